/** Sentences about stems in English. The Korean file has the same keys; a missing one does not compile. */
import type { StemRole } from '../../src-contract/stem-roles.ts'
import { plural } from './plural.ts'

const credits = (count: number) => plural(count, 'credit', 'credits')

export const stemsEn = {
  question: 'Stems',
  ask: (count: number) => `${count} files look like the stems of one song.`,
  askOf: (count: number, title: string) =>
    count === 1 ? `Is this file the stems of “${title}”?` : `Are these ${count} files the stems of “${title}”?`,
  replaces: 'The song is then mixed from them, and compared with their sum.',
  one: (count: number) =>
    count === 1 ? `One song from its stems · ${credits(1)}` : `One song from ${count} stems · ${credits(1)}`,
  many: (count: number) => `${plural(count, 'song', 'songs')} · ${credits(count)}`,
  addTo: 'Use files as its stems…',
  from: (count: number) => `from ${count} stems`,
  title: 'Stems',
  sum: 'Sum of the stems',
  master: 'Master',
  reading: 'The stems are being read.',
  silent: 'silent',
  notCompared: 'The mix and the stems could not be compared: one of them is silent or too short.',
  restore: 'Restore what they lack',
  role: (name: string) => `Role of ${name}`,
  solo: (name: string) => `Solo ${name}`,
  mute: (name: string) => `Mute ${name}`,
  gain: (name: string) => `Gain of ${name}`,
  choose: (name: string) => `Sound of ${name}`,
  roles: {
    voice: 'Voice',
    backing: 'Backing',
    drums: 'Drums',
    bass: 'Bass',
    guitar: 'Guitar',
    keys: 'Keys',
    strings: 'Strings',
    synth: 'Synth',
    fx: 'FX',
    other: 'Other',
  } satisfies Record<StemRole, string>,
  of: (name: string) => `Sound of the stem ${name}`,
  back: 'Back to the master',
  labels: {
    gain: 'Gain',
    pan: 'Place',
    lowCut: 'Low cut',
    transient: 'Transients',
    voice: 'Voice forward',
    repairs: 'Repairs in this stem',
  },
  off: 'off',
  left: (percent: number) => `${percent} % left`,
  right: (percent: number) => `${percent} % right`,
  middle: 'middle',
  offered: 'found here',
  help: {
    gain: 'Level of this stem in the mix. Moves of 1 or 2 dB are audible.',
    pan: 'Moves the stem to the left or the right. Bass and voice mostly stay in the middle.',
    lowCut: 'Removes everything below. For rumble under a voice or a guitar; too high makes it thin.',
    voice:
      'Voice and backing against the rest, at equal loudness of the whole. For a voice that is buried or too loud.',
    repairs: 'Each is made only where this stem needs it, and not again in the mix.',
    noVoice: 'No stem is a voice. Give one the role Voice.',
  },
}

export type StemsText = typeof stemsEn
