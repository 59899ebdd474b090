/** Plan of an export: its sets of files, their sources among the jobs' files, and their names. Pure. */
import { type MasterName, RELEASE } from '../../src-contract/delivery-target.ts'
import { type Distributor, distributorProfile } from '../../src-contract/distributors/index.ts'
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
/** Folder of files without tags beside such with them. */
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

/** Returns the best format that a receiver accepts for any song. */
export function wantedFormat(receiver: Distributor): Format {
  const { rules } = distributorProfile(receiver)
  const candidates = ['wav24', 'flac24', 'wav16_44', 'flac16_44'] as const
  const isTaken = (format: Format) => {
    const { container, bitDepth = 0, rateHz } = formatFacts(format)
    return rules.every((rule) => {
      if (rule.rule === 'file_type') return rule.types.includes(container)
      if (rule.rule === 'bit_depth') return rule.depths.includes(bitDepth)
      // A format at the rate of the song may have any.
      if (rule.rule === 'sample_rate') return rateHz !== undefined && rule.ratesHz.includes(rateHz)
      return true
    })
  }
  return candidates.find(isTaken) ?? 'wav24'
}

const asksFor = (receiver: Distributor, rule: 'no_tags' | 'name_characters') =>
  distributorProfile(receiver).rules.some((one) => one.rule === rule)

/** Returns whether an export uses plain names. */
export function hasPlainNames({ ascii_names, receivers = [] }: ExportRequest): boolean {
  return ascii_names ?? receivers.some((receiver) => asksFor(receiver, 'name_characters'))
}

/**
 * Returns the sets of files: every format of every kind of master, and one without tags for named receivers that accept none. `masters` are
 * those of `chosenMasters`.
 */
export function plannedSets(
  request: ExportRequest,
  masters: readonly MasterName[],
  tracks: readonly TrackMasters[],
): FileSet[] {
  const { receivers = [], file_tags: labels = 'release' } = request
  const [first] = masters
  const isThere = (format: Format) => tracks.every((track) => sourcesOf(masterOf(track, first!)!, format))
  // A job of 16 bit at 44.1 kHz has no better file.
  const standard: Format = !isThere('wav24') && isThere('wav16_44') ? 'wav16_44' : 'wav24'
  const named = [...new Set(receivers.map(wantedFormat))]
  const formats = request.formats ?? (named.length > 0 ? named : [standard])
  const tagless = labels === 'none' ? [] : receivers.filter((one) => asksFor(one, 'no_tags')).map(wantedFormat)
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
  request: Pick<ExportRequest, 'naming' | 'ascii_names' | 'receivers'> = {},
): string[] {
  const { container, suffix, bitDepth } = formatFacts(set.format)
  const isAlone = !sets.some(
    ({ folder, format }) =>
      folder === set.folder && format !== set.format && formatFacts(format).container === container,
  )
  const ending = isAlone || bitDepth === 24 ? '' : suffix
  const pattern = request.naming || '{track} {title}'
  const isPlain = hasPlainNames(request)
  const taken = new Set<string>()
  return tracks.map(({ facts: own }, index) => {
    const values = tokensOf(facts, own, { number: index + 1, count: tracks.length, set })
    const named = patternName(pattern, values, [{ token: 'format', text: ending }])
    const stem = isPlain ? safeTitle(asciiName(named)) : named
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
