/** Sentences of the Sound column in English. The Korean file has the same keys; a missing one does not compile. */
import type { Edges } from '../../src-contract/edges.ts'
import type { MasterSettings } from '../../src-contract/settings.ts'
import { change } from '../../src-contract/text/numbers.ts'
import { faderHints, settingLabels, wordsIn } from '../../src-contract/text/setting-words.ts'
import { plural } from './plural.ts'

export const soundEn = {
  start: 'Starting point',
  planned: 'Corrections',
  delivery: 'Delivery',
  quality: 'Quality',
  actions: 'Actions on the sound',
  keep: 'Keep this sound as a version',
  isKept: 'This sound is kept',
  kept: (slot: string) => `Kept as sound ${slot}`,
  files: 'Files',
  releaseMaster: 'One file to upload, for all services',
  releaseHelp:
    'Most distributors take one file of a song: 24 bit at the rate of the song, under the lowest ceiling of the platforms.',
  formats: 'Also write every master as',
  formatsHelp: 'Further files of the same master; the WAV of each platform stays as it is.',
  filesOf: (isRelease: boolean, names: readonly string[]) =>
    [...(isRelease ? ['file to upload'] : []), 'WAV per platform', ...names].join(' · '),
  edges: 'Edges',
  edgesWhole: 'the whole song',
  edgesProposed: 'trims proposed',
  edgesOf: ({ trim_start_seconds, trim_end_seconds, fade_in_seconds, fade_out_seconds, ...pads }: Edges) =>
    [
      trim_start_seconds + trim_end_seconds > 0 && `cut ${trim_start_seconds} s, ${trim_end_seconds} s`,
      fade_in_seconds + fade_out_seconds > 0 && `fades ${fade_in_seconds} s, ${fade_out_seconds} s`,
      pads.pad_start_seconds + pads.pad_end_seconds > 0 &&
        `silence ${pads.pad_start_seconds} s, ${pads.pad_end_seconds} s`,
    ]
      .filter(Boolean)
      .join(' · '),
  trimAsProposed: 'Trim as proposed',
  trimmedAsProposed: 'It is trimmed as proposed',
  seconds: 's',
  repairs: 'Mend what is found',
  labels: {
    ...wordsIn('en', settingLabels),
    intensity: 'Intensity',
    reference_amount: 'Match a reference',
    reference_clamp_db: 'Limit of the match',
    tone_amount: 'Tone',
    dynamics_amount: 'Dynamics',
    image_amount: 'Stereo image',
  },
  help: {
    ...wordsIn('en', faderHints),
    skip_repairs: 'A fault that is left unticked stays as it is. For clicks or distortion that belong to the song.',
    target_lufs:
      'One loudness for every platform. For a level that was agreed on. Above −10 loud parts are squeezed, and most services turn them down.',
    genre: 'Sets the target tone and the genre level.',
    difference: 'Hold to hear only what is taken away or added, at equal level.',
  },
  styles: {
    clean: 'As planned, nothing added.',
    warm: 'Darker and fuller, with soft saturation.',
    punchy: 'Attacks in front, firm low end.',
    bright: 'More presence and air.',
    open: 'Wider and airier, looser dynamics.',
  },
  changed: 'Changed by hand: choosing a style sets these faders anew.',
  factory: {
    voice: { name: 'Voice in front', sentence: 'Words come forward, the low end steps back.' },
    club: { name: 'Club', sentence: 'Heavy low end, hard attacks, a little wider.' },
    soft: { name: 'Soft', sentence: 'Dark and rounded, for late hours.' },
    natural: { name: 'Nearly as it is', sentence: 'Less than half of every correction, for a finished mix.' },
    loudness: { name: 'Loudness only', sentence: 'No repair and no correction, only level and peaks.' },
  },
  aims: {
    platform: 'Each platform gets the level that it plays at.',
    competitive: 'As loud as releases of the genre, everywhere.',
    own: 'The level that you set, everywhere.',
    reference: 'The level of the reference, everywhere.',
  },
  own: 'Own',
  anyService: 'any service',
  intensityOf: (value: number) => `intensity ${value}`,
  noReference: 'no reference',
  plannedOf: ({ tone_amount, dynamics_amount, image_amount, density, highs_side_db, skip_repairs }: MasterSettings) =>
    [
      tone_amount + dynamics_amount + image_amount === 300
        ? 'all as planned'
        : `tone ${tone_amount} · dynamics ${dynamics_amount} · image ${image_amount}`,
      density > 0 && `density ${density}`,
      highs_side_db < 0 && `sides above 6 kHz ${change(highs_side_db)} dB`,
      skip_repairs.length > 0 && `${plural(skip_repairs.length, 'fault', 'faults')} left`,
    ]
      .filter(Boolean)
      .join(' · '),
  deliveryOf: { standard: 'one recipe', premium: 'best recipe, checked after encoding' },
  price: {
    fine: (target: string, loss: string) => `At ${target} LUFS the loud parts give up ${loss} dB.`,
    loss: (target: string, loss: string) => `${target} LUFS costs this song ${loss} dB of its loud parts.`,
    peaks: (target: string, loss: string) => `${target} LUFS cuts ${loss} dB off the peaks of this song.`,
    plr: (target: string, plr: string) => `${target} LUFS leaves only ${plr} dB between peaks and level.`,
    better: (target: string, loss: string) => `At ${target} it costs ${loss}.`,
    use: (target: string) => `Use ${target} LUFS`,
  },
  proposal: {
    suggested: 'Suggested for this song',
    hear: 'Hear it',
    use: 'Use it',
    used: 'Used for this song',
    inUse: 'The suggestion is in use',
    price: 'What loudness costs',
    pricing: 'Finding what loudness costs',
    priced: 'The cost of loudness is shown',
    onlyShown: 'Select one song to hear it',
    words: 'Change the sound in words',
    wordsExample: 'warmer, less harsh, voice in front',
    understand: 'Turn words into settings',
  },
  mixed: 'differs',
  curve: (values: string) => `Tone set by hand: ${values}`,
  edge: 'Width of this column',
  difference: 'Hold: difference',
  differenceWhyNot: 'Play the song and change its sound first',
}

export type SoundText = typeof soundEn
