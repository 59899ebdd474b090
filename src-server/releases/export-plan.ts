/** Plan of an export: its sets of files, their sources among the jobs' files, and their names. Pure. */
import { type MasterName, RELEASE } from '../../src-contract/delivery-target.ts'
import { isStale } from '../../src-contract/distributors/age.ts'
import { type Distributor, distributorProfile } from '../../src-contract/distributors/index.ts'
import type { DeliveryRule, RuleName } from '../../src-contract/distributors/rules.ts'
import { type Format, formatFacts } from '../../src-contract/formats.ts'
import { PLATFORMS } from '../../src-contract/platforms/index.ts'
import type { ExportRequest, FileSet } from '../../src-contract/release-exports.ts'
import type { MasterResult, ReleaseResult } from '../../src-contract/report.ts'
import { patternName, safeTitle } from '../../src-worker/result/names.ts'
import { asciiName } from '../../src-worker/result/romanise.ts'
import type { ReleaseRecord, TrackFacts } from './release.ts'

/** Measurements of one master of a job, and its files. */
export type JobMaster = MasterResult | ReleaseResult

/** The masters of the song of a track. */
export interface TrackMasters {
  readonly masters: readonly MasterResult[]
  readonly release?: ReleaseResult
}

/** A file of a job. */
export interface JobFile {
  readonly format: Format
  /** Name within the result. */
  readonly file: string
  readonly sha256: string
  /** Gain against the master, dB. */
  readonly gainDb: number
}

/** Least digits of the number of a track. */
const NUMBER_DIGITS = 2
/** Folder for files without tags, if other files have them. */
const TAGLESS_FOLDER = 'no_tags'
const CD_RATE_HZ = 44_100

/** Source formats for remaking a job's lossless files, the best first; a format without any can only come from a job. */
const MADE_FROM: Readonly<Record<Format, readonly Format[]>> = {
  wav24: [],
  wav32f: [],
  wav16_44: ['wav32f', 'wav24'],
  flac24: ['wav24'],
  flac16_44: ['wav16_44', 'wav32f', 'wav24'],
  mp3_320: ['wav32f', 'wav24'],
  aac_256: ['wav32f', 'wav24'],
}

/** Returns the master with this name; undefined if the job lacks it. */
export function masterOf({ masters, release }: TrackMasters, name: MasterName): JobMaster | undefined {
  return name === RELEASE ? release : masters.find(({ platform }) => platform === name)
}

/** Returns the source files for a format: the job's own file, else the best of its WAVs; undefined without any. */
export function sourcesOf(master: JobMaster, format: Format): readonly JobFile[] | undefined {
  const files = new Map(filesOf(master).map((file) => [file.format, file]))
  const name = [format, ...MADE_FROM[format]].find((one) => files.has(one))
  return name && [files.get(name)!]
}

function filesOf({ file, sha256, bit_depth, sample_rate_hz, files = [] }: JobMaster): JobFile[] {
  const further = files.map((one): JobFile => ({ ...one, gainDb: one.gain_db }))
  const own = bit_depth === 24 ? 'wav24' : sample_rate_hz === CD_RATE_HZ ? 'wav16_44' : undefined
  return own ? [{ format: own, file, sha256, gainDb: 0 }, ...further] : further
}

/**
 * Returns the masters to export, those of the folder itself first; empty if no kind of master exists for every track, or the requested one
 * is missing.
 */
export function chosenMasters(
  { platform, by_platform: isByPlatform = false }: Pick<ExportRequest, 'platform' | 'by_platform'>,
  tracks: readonly TrackMasters[],
): MasterName[] {
  const common = [RELEASE, ...PLATFORMS].filter((name) => tracks.every((track) => masterOf(track, name)))
  const chosen = platform === undefined ? common[0] : common.find((name) => name === platform)
  if (chosen === undefined) return []
  return [chosen, ...(isByPlatform ? common.filter((name) => name !== chosen && name !== RELEASE) : [])]
}

/** Returns the rules of a receiver that an export applies: an old rule may no longer hold. */
function followedRules(receiver: Distributor, nowMs: number): DeliveryRule[] {
  return distributorProfile(receiver).rules.filter((rule) => !isStale(rule, nowMs))
}

/** Returns the best format that a receiver accepts for songs of these rates, by its rules of the last 180 days. */
export function wantedFormat(receiver: Distributor, songRatesHz: readonly number[], nowMs: number): Format {
  const rules = followedRules(receiver, nowMs)
  const candidates = ['wav24', 'flac24', 'wav16_44', 'flac16_44'] as const
  const isTaken = (format: Format) => {
    const { container, bitDepth = 0, rateHz } = formatFacts(format)
    const ratesHz = rateHz === undefined ? songRatesHz : [rateHz]
    return rules.every((rule) => {
      if (rule.rule === 'file_type') return rule.types.includes(container)
      if (rule.rule === 'bit_depth') return rule.depths.includes(bitDepth)
      if (rule.rule === 'sample_rate') return ratesHz.every((one) => rule.ratesHz.includes(one))
      return true
    })
  }
  return candidates.find(isTaken) ?? 'wav24'
}

/** Returns the rule of this kind of the first receiver that has one. */
function asked<Name extends RuleName>(receivers: readonly Distributor[], name: Name, nowMs: number) {
  const isOfName = (rule: DeliveryRule): rule is Extract<DeliveryRule, { readonly rule: Name }> => rule.rule === name
  return receivers.flatMap((receiver) => followedRules(receiver, nowMs)).find(isOfName)
}

/** Returns the longest side of a cover that every one of some receivers takes, pixels; undefined where none limits it. */
export function mostCoverPx(receivers: readonly Distributor[], nowMs: number): number | undefined {
  const rules = receivers.flatMap((receiver) => followedRules(receiver, nowMs))
  const limits = rules.flatMap((rule) => (rule.rule === 'cover' ? (rule.mostPx ?? []) : []))
  return limits.length > 0 ? Math.min(...limits) : undefined
}

/** Returns whether an export uses plain names. */
export function hasPlainNames({ ascii_names, receivers = [] }: ExportRequest, nowMs: number): boolean {
  return ascii_names ?? asked(receivers, 'name_characters', nowMs) !== undefined
}

/**
 * Returns the sets of files: every format of every kind of master, and one without tags for named receivers that accept none. `masters` are
 * those of `chosenMasters`.
 */
export function plannedSets(
  request: ExportRequest,
  masters: readonly MasterName[],
  tracks: readonly TrackMasters[],
  nowMs: number,
): FileSet[] {
  const { receivers = [], file_tags: labels = 'release' } = request
  const [first] = masters
  const isThere = (format: Format) => tracks.every((track) => sourcesOf(masterOf(track, first!)!, format))
  // A job of 16 bit at 44.1 kHz has no better file.
  const standard: Format = !isThere('wav24') && isThere('wav16_44') ? 'wav16_44' : 'wav24'
  const ratesHz = tracks.map((track) => masterOf(track, first!)!.sample_rate_hz)
  const wanted = (receiver: Distributor) => wantedFormat(receiver, ratesHz, nowMs)
  const named = [...new Set(receivers.map(wanted))]
  const formats = request.formats ?? (named.length > 0 ? named : [standard])
  const tagless = labels === 'none' ? [] : receivers.filter((one) => asked([one], 'no_tags', nowMs)).map(wanted)
  return [
    ...masters.flatMap((master, index) =>
      formats.map((format): FileSet => ({ folder: index === 0 ? '' : master, master, format, labels })),
    ),
    ...[...new Set(tagless)].map(
      (format): FileSet => ({ folder: TAGLESS_FOLDER, master: first!, format, labels: 'none' }),
    ),
  ]
}

/**
 * Returns the names of the files of a set, prefixed by its folder: `01 Title.wav` or by the pattern. If the folder has several formats of
 * one extension, files other than 24 bit include their format.
 */
export function fileNames(
  set: FileSet,
  sets: readonly FileSet[],
  { facts, tracks }: Pick<ReleaseRecord, 'facts' | 'tracks'>,
  request: Pick<ExportRequest, 'naming' | 'ascii_names' | 'receivers'>,
  nowMs: number,
): string[] {
  const { container, suffix, bitDepth } = formatFacts(set.format)
  const isAlone = !sets.some(
    ({ folder, format }) =>
      folder === set.folder && format !== set.format && formatFacts(format).container === container,
  )
  const ending = isAlone || bitDepth === 24 ? '' : suffix
  const pattern = request.naming || '{track} {title}'
  const isPlain = hasPlainNames(request, nowMs)
  const { characters: unwanted = '' } = asked(request.receivers ?? [], 'name_without', nowMs) ?? {}
  const allowed = (name: string) => [...name].map((one) => (unwanted.includes(one) ? ' ' : one)).join('')
  const taken = new Set<string>()
  return tracks.map(({ facts: own }, index) => {
    const values = tokensOf(facts, own, { number: index + 1, count: tracks.length, set })
    const named = patternName(pattern, values, [{ token: 'format', text: ending }])
    const stem = isPlain ? safeTitle(asciiName(named)) : unwanted === '' ? named : safeTitle(allowed(named))
    const name = firstFree(stem, taken)
    taken.add(name.toLowerCase())
    return `${set.folder === '' ? '' : `${set.folder}/`}${name}.${container}`
  })
}

function tokensOf(
  release: ReleaseRecord['facts'],
  track: TrackFacts,
  { number, count, set }: { readonly number: number; readonly count: number; readonly set: FileSet },
) {
  const year = release.release_date?.slice(0, 4)
  return {
    track: trackNumber(number, count),
    title: fullTitle(track),
    artist: track.artists.join(', ') || release.artist,
    album: release.title,
    platform: set.master,
    format: set.format,
    ...(track.isrc === undefined ? {} : { isrc: track.isrc }),
    ...(year === undefined ? {} : { year }),
  }
}

/** Returns a number with as many digits as the last one has, two at least. */
function trackNumber(number: number, count: number): string {
  return String(number).padStart(Math.max(NUMBER_DIGITS, String(count).length), '0')
}

function firstFree(stem: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? stem : `${stem}_${number}`
    if (!taken.has(name.toLowerCase())) return name
  }
}

/** Returns the title of a track with its version. */
export function fullTitle({ title, version }: Pick<TrackFacts, 'title' | 'version'>): string {
  return version === undefined ? title : `${title} (${version})`
}
