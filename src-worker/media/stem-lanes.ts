/** The stems of a mix as they are added: their order, their levels, and the files in which auditions keep them decoded. */
import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import path from 'node:path'
import { isTreated, STEM_SOUND_NAMES } from '../../src-contract/stem-mix.ts'
import type { StemMix, StemSettings } from '../../src-contract/stem-mix-schemas.ts'
import { dbToGain } from '../../src-engine/dsp/units.ts'
import { decodedRateHz, engineRateHz } from './decode.ts'
import type { StemParts, StoredStem } from './stored-stem.ts'

/** Highest rate of a mix, Hz. */
const HIGHEST_RATE_HZ = 96_000

/** Returns the rate of the mix of stems, Hz: the highest of theirs, up to 96 kHz. Pure. */
export function mixRateHz(stems: readonly { readonly facts: { readonly sampleRateHz: number } }[]): number {
  const highestHz = Math.max(...stems.map(({ facts }) => decodedRateHz(facts.sampleRateHz)))
  return highestHz > HIGHEST_RATE_HZ ? engineRateHz(highestHz) : highestHz
}

/** Returns stems in the order in which they are added: by their bytes, then by name, whatever the order of upload. Pure. */
function inOrderOfSum<Stem extends Pick<StoredStem, 'sha256' | 'filename'>>(stems: readonly Stem[]): Stem[] {
  const keyOf = ({ sha256, filename }: Stem) => `${sha256} ${filename}`
  return [...stems].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
}

/** Gains of the left and the right channel of a stem. */
export type StemGains = readonly [left: number, right: number]

/**
 * Returns the gains of a stem by its gain and place. A place other than the middle has constant power: 3 dB more on the side to which it
 * is moved fully, silence on the other. Exactly 1 for neutral settings. Pure.
 */
export function stemGains({ gain_db: gainDb = 0, pan_percent: pan = 0 }: Omit<StemSettings, 'stem'>): StemGains {
  const gain = gainDb === 0 ? 1 : dbToGain(gainDb)
  if (pan === 0) return [gain, gain]
  const angle = ((1 + pan / 100) * Math.PI) / 4
  return [gain * Math.SQRT2 * Math.cos(angle), gain * Math.SQRT2 * Math.sin(angle)]
}

/** A stem in a mix. */
export interface Lane {
  readonly file: StoredStem
  /** Its position in the order of the numbers. */
  readonly place: number
  readonly settings: StemSettings
  /** Null if it is not heard. */
  readonly gains: StemGains | null
  /** True for the voice and its backing. */
  readonly isVoice: boolean
}

/** Returns the stems in the order in which they are added, with their settings in a mix. Pure. */
export function lanesOf(stems: readonly StoredStem[], mix: StemMix | undefined): Lane[] {
  const hasSolo = mix?.stems?.some(({ solo }) => solo) ?? false
  return inOrderOfSum(stems).map((file) => {
    const place = stems.indexOf(file)
    const settings = mix?.stems?.find(({ stem }) => stem === place + 1) ?? { stem: place + 1 }
    const isHeard = hasSolo ? settings.solo === true : !settings.mute
    const role = settings.role ?? file.role
    const isVoice = role === 'voice' || role === 'backing'
    return { file, place, settings, gains: isHeard ? stemGains(settings) : null, isVoice }
  })
}

/** A decoded stem on disk: interleaved float32 samples of two channels, in the byte order of this machine. */
export interface DecodedStem {
  readonly path: string
  readonly frames: number
  /** Gains with which it is added, left and right; null leaves it out, but for its length. */
  readonly gains: StemGains | null
}

/** Size of a frame of a decoded stem, bytes. */
export const FRAME_BYTES = 2 * Float32Array.BYTES_PER_ELEMENT

/** Returns the name under which a stem is kept decoded at a rate, with its treatment if it has one. Pure. */
export function keptName({ sha256 }: Pick<StoredStem, 'sha256'>, rateHz: number, settings?: StemSettings): string {
  if (!settings || !isTreated(settings)) return `${sha256}-${rateHz}`
  const { low_cut_hz, repairs, ...others } = settings
  const treatment = [low_cut_hz, repairs, ...STEM_SOUND_NAMES.map((name) => others[name])]
  return `${sha256}-${rateHz}-${digestOf(treatment)}`
}

/** Returns the name under which what the stems lack is kept. Pure. */
export function missingName({ stems, original }: StemParts, rateHz: number): string {
  return `missing-${rateHz}-${digestOf([...stems, ...(original ? [original.file] : [])].map(({ sha256 }) => sha256))}`
}

const digestOf = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16)

/** Returns a file that is kept decoded; undefined unless it is there. */
export function keptStem(file: string, gains: StemGains | null): DecodedStem | undefined {
  const size = statSync(file, { throwIfNoEntry: false })?.size
  return size === undefined ? undefined : { path: file, frames: size / FRAME_BYTES, gains }
}

/** Shares of a voice that comes forward, of the asked change, dB: the loudness of the whole stays where the voice is a quarter of it. */
const VOICE_PART = 0.75

/**
 * Returns the stems that a folder keeps as a mix is heard before it is made: the voice is moved by its level alone. Undefined if one of
 * them is not kept, or the mix has a rate that the engine would change.
 */
export function keptLanes(parts: StemParts, mix: StemMix, folder: string): DecodedStem[] | undefined {
  const rateHz = mixRateHz(parts.stems)
  if (engineRateHz(rateHz) !== rateHz) return undefined
  const { voice_forward_db: forwardDb = 0, restore_missing: isRestored } = mix
  const [voice, rest] = [dbToGain(VOICE_PART * forwardDb), dbToGain((VOICE_PART - 1) * forwardDb)]
  const hasSolo = mix.stems?.some(({ solo }) => solo) ?? false
  const lanes = lanesOf(parts.stems, mix).map(({ file, settings, gains, isVoice }) => {
    const level = isVoice ? voice : rest
    const heard = gains && ([level * gains[0], level * gains[1]] as const)
    return keptStem(path.join(folder, keptName(file, rateHz, gains ? settings : undefined)), heard)
  })
  if (isRestored && parts.original?.likeness)
    lanes.push(keptStem(path.join(folder, missingName(parts, rateHz)), hasSolo ? null : [rest, rest]))
  const known = lanes.filter((lane) => lane !== undefined)
  return known.length < lanes.length ? undefined : known
}
