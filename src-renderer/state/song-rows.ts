/** Rows of the list of songs, derived from the batch, the uploads and the jobs. Pure. */
import type { BatchSong } from '../../src-contract/app.ts'
import type { Job } from '../../src-contract/jobs.ts'
import { MIN_DURATION_SECONDS } from '../../src-contract/limits.ts'
import type { OwnMetadata } from '../../src-contract/metadata.ts'
import type { Warning } from '../../src-contract/report.ts'
import { jobSettings, type MasterSettings, recipeId, shownSettings } from '../../src-contract/settings.ts'
import { chosenMix, skippedWith } from '../../src-contract/stem-mix.ts'
import type { StemMix } from '../../src-contract/stem-settings.ts'
import { isWithoutCost } from '../../src-contract/text/costs.ts'
import { WARNING_KINDS, type WarningKind } from '../../src-contract/warning-kinds.ts'
import type { Refusal } from './refusal.ts'

/** A song that is not in the batch: uploading, refused on arrival, or interrupted when its page closed. */
export interface Upload {
  readonly uploadId: string
  readonly filename: string
  readonly sizeBytes: number
  readonly state: 'queued' | 'sending' | 'refused' | 'interrupted'
  /** When it was added, ISO 8601. */
  readonly addedAt: string
  /** 0 to 1. */
  readonly sent: number
  readonly error?: Refusal
  /** Settings of its own, which the song gets when it is stored. */
  readonly settings?: MasterSettings | null
  /** Typed details, which the song gets when it is stored. */
  readonly metadata?: OwnMetadata
  /** The song it replaces. */
  readonly replaces?: string
  /** Number of its stems, for a song that comes as such. */
  readonly stemCount?: number
}

export type RowKind =
  | 'sending'
  | 'interrupted'
  | 'analysing'
  | 'ready'
  | 'warning'
  | 'repeated'
  | 'waiting'
  | 'reading'
  | 'queued'
  | 'rendering'
  | 'done'
  | 'below'
  | 'failed'
  | 'cancelled'
  | 'refused'

export interface SongRow {
  /** source_id of a song in the batch, otherwise the id of the upload. */
  readonly rowId: string
  readonly kind: RowKind
  readonly upload?: Upload
  readonly song?: BatchSong
  /** The version of a mastered song, else its newest job, when it is known. */
  readonly job?: Job
  /** Progress of the analysis of the song, while it runs. */
  readonly progress?: AnalysisProgress
  /** Failure of the analysis of the song, when it failed. */
  readonly analysisError?: Refusal
  /** Title of another song of the batch with the same masters. */
  readonly repeats?: string
}

/** Result of a finished job: "done" if every master met its target at no cost, else "below". */
function outcomeOf(job: Job): 'done' | 'below' {
  return job.results.every(isWithoutCost) ? 'done' : 'below'
}

/** Splits the findings about a song into damage, to be read before a credit is spent on it, and remarks. */
export function partWarnings<Found extends Pick<Warning, 'code'>>(
  warnings: readonly Found[],
): { damage: readonly Found[]; remarks: readonly Found[] } {
  const of = (kind: WarningKind) => warnings.filter(({ code }) => WARNING_KINDS[code] === kind)
  return { damage: of('damage'), remarks: of('remark') }
}

/** The analysis of a song under way. */
export interface AnalysisProgress {
  readonly stage: 'decoding' | 'analysing'
  /** 0 to 100, never decreasing. */
  readonly percent: number
}

/** Tells whether a song is too short for mastering: its job would fail. */
export const isTooShort = ({ source }: Pick<BatchSong, 'source'>): boolean =>
  source.duration_seconds < MIN_DURATION_SECONDS

/** Tells whether a song cannot be measured: its job would fail. */
const isSilent = ({ analysis }: Pick<BatchSong, 'analysis'>): boolean => analysis?.integrated_lufs === null

/** Returns the reason why a row is refused; undefined without one. */
export function refusalOfRow(row: SongRow): Refusal | undefined {
  const { upload, song, analysisError } = row
  if (song?.state === 'ready' && isTooShort(song)) return { code: 'TOO_SHORT' }
  if (song?.state === 'ready' && isSilent(song)) return { code: 'DIGITAL_SILENCE' }
  return upload?.error ?? analysisError ?? song?.error
}

/**
 * The state of a song in the batch; "reading" until its newest job is known. A song whose jobs were all deleted can be
 * started like a new one. `isAccepted`: its warnings were read and it is to be used as it is.
 */
export function kindOf(song: BatchSong, job: Job | undefined, isAccepted: boolean, hasAnalysisError: boolean): RowKind {
  if (song.state === 'refused') return 'refused'
  if (song.state === 'waiting') return 'waiting'
  if (song.state === 'submitted' && (job || song.job_ids.length > 0)) {
    if (!job) return 'reading'
    if (job.status === 'done') return outcomeOf(job)
    if (job.status === 'failed') return job.failure_code === 'CANCELLED' ? 'cancelled' : 'failed'
    return job.stage && job.stage !== 'waiting' ? 'rendering' : 'queued'
  }
  if (isTooShort(song) || isSilent(song)) return 'refused'
  if (!song.analysis) return hasAnalysisError ? 'refused' : 'analysing'
  const isSound = partWarnings(song.analysis.warnings).damage.length === 0
  return isSound || isAccepted ? 'ready' : 'warning'
}

export interface RowSources {
  readonly songs: readonly BatchSong[]
  /** Of all songs without their own; null until the batch is read. */
  readonly settings: MasterSettings | null
  readonly uploads: readonly Upload[]
  /** Ids in display order; ids missing here follow. */
  readonly order: readonly string[]
  readonly jobs: Readonly<Record<string, Job>>
  readonly accepted: Readonly<Record<string, true>>
  /** Ended jobs whose songs are to be mastered again. */
  readonly again: Readonly<Record<string, true>>
  readonly analysing: Readonly<Record<string, AnalysisProgress>>
  readonly analysisErrors: Readonly<Record<string, Refusal>>
}

/** Returns one row per song, in the order shown. */
export function songRows(sources: RowSources): SongRow[] {
  const { songs, uploads, order, jobs, accepted, again, analysing, analysisErrors } = sources
  const rows = new Map<string, SongRow>()
  const newJobs = new Map(Object.values(jobs).map((job) => [`${job.source_id} ${job.batch_id}`, job]))
  for (const song of songs) {
    const rowId = song.source.source_id
    // Its job is known a moment before the batch reports that the song was handed over.
    const newJob = song.state === 'waiting' && song.batch_id ? newJobs.get(`${rowId} ${song.batch_id}`) : undefined
    const newest = newJob ?? jobs[song.job_ids[0] ?? '']
    const isAgain = song.state === 'submitted' && newest?.status !== 'queued' && again[newest?.job_id ?? ''] === true
    const job = isAgain ? undefined : versionOf(newest, song, sources)
    const analysisError = analysisErrors[rowId]
    const progress = analysing[rowId]
    const state = newJob ? 'submitted' : isAgain ? 'ready' : song.state
    const kind = kindOf({ ...song, state }, job, accepted[rowId] === true, analysisError !== undefined)
    rows.set(rowId, {
      rowId,
      kind,
      song,
      ...(job ? { job } : {}),
      ...(progress ? { progress } : {}),
      ...(analysisError ? { analysisError } : {}),
    })
  }
  for (const upload of uploads) {
    const kind = upload.state === 'queued' ? 'sending' : upload.state
    rows.set(upload.uploadId, { rowId: upload.uploadId, kind, upload })
  }
  const shown: SongRow[] = []
  for (const id of order) {
    const row = rows.get(id)
    if (row) shown.push(row)
    rows.delete(id)
  }
  return withRepeats([...shown, ...rows.values()], sources)
}

const NOT_STARTED: readonly RowKind[] = ['analysing', 'ready', 'warning', 'repeated']
const CAME_TO_NOTHING: readonly RowKind[] = ['failed', 'cancelled', 'refused']

const isStarted = ({ kind }: Pick<SongRow, 'kind'>) => !NOT_STARTED.includes(kind)

/** Returns the identifier of the recipe that a job followed or that settings have; undefined without one. */
const recipeIdOf = (made: MasterSettings | Job) =>
  'job_id' in made ? made.recipe_id : made.recipe ? recipeId(made.recipe) : undefined

/** Returns whether a job has the masters that a song would get with its settings of now. */
function isMadeWith(job: Job, song: BatchSong, now: MasterSettings): boolean {
  // A job knows its saved targets by name and weight.
  const key = (made: MasterSettings | Job, targets: Job['saved_targets'], isFile: boolean, mix?: StemMix | null) => {
    const {
      platforms,
      style: _style,
      reference_amount,
      skip_repairs,
      targets: _curves,
      recipe: _,
      ...rest
    } = jobSettings(made)
    const skipped = skippedWith(skip_repairs, mix)
    const reference = (isFile || targets) && [reference_amount, isFile, targets]
    return JSON.stringify([[...platforms].sort(), rest, skipped, reference, chosenMix(mix ?? {}), recipeIdOf(made)])
  }
  return (
    key(job, job.saved_targets, job.reference_filename !== undefined, job.stem_mix) ===
    key(now, shownSettings(now).saved_targets, now.reference_source_id !== null, song.stem_count ? now.stem_mix : null)
  )
}

/**
 * Returns the version of a mastered song: its newest job whose masters are there and were made with its settings of now,
 * else `newest`.
 */
function versionOf(newest: Job | undefined, song: BatchSong, { jobs, settings }: RowSources): Job | undefined {
  const now = song.settings ?? settings
  if (newest?.status !== 'done' || !now || song.job_ids.length < 2) return newest
  const made = song.job_ids.flatMap((id) => jobs[id] ?? [])
  return made.find((job) => job.status === 'done' && !job.expired && isMadeWith(job, song, now)) ?? newest
}

/** Returns whether no version of a mastered song was made with its settings of now. */
export function isChangedSince({ job, song, kind }: SongRow, common: MasterSettings | null): boolean {
  const now = song?.settings ?? common
  return !!job && !!song && !!now && (kind === 'done' || kind === 'below') && !isMadeWith(job, song, now)
}

/** Returns the finished songs whose settings have changed since, as they would be mastered again. */
export const changedRows = (rows: readonly SongRow[], common: MasterSettings | null): SongRow[] =>
  rows.filter((row) => isChangedSince(row, common))

/**
 * Returns the settings of a song's job, or those it would be started with now; null while they are unknown. `common`:
 * the settings of all songs.
 */
export function madeWith(row: SongRow, common: MasterSettings | null): MasterSettings | Job | null {
  return isStarted(row) && row.job ? row.job : (row.song?.settings ?? common)
}

/** Key of a row's masters: equal for the same bytes and settings. null without masters, or if it cannot be known. */
function mastersOf(row: SongRow, common: MasterSettings | null): string | null {
  const made = madeWith(row, common)
  if (!row.song || !made || CAME_TO_NOTHING.includes(row.kind)) return null
  // A job knows only the name of its reference.
  if ('job_id' in made && (made.expired || made.reference_filename || made.saved_targets)) return null
  // The name of a style changes nothing: its values count.
  const { platforms, reference_amount, style, recipe: _, ...settings } = jobSettings(made)
  const reference =
    'reference_source_id' in made && made.reference_source_id ? [made.reference_source_id, reference_amount] : []
  const mix = chosenMix((row.song.stem_count && made.stem_mix) || {})
  return JSON.stringify([row.song.source.sha256, [...platforms].sort(), settings, reference, mix, recipeIdOf(made)])
}

/** Marks songs not yet started that would get the same masters as a song that was started or is higher up. */
function withRepeats(rows: readonly SongRow[], { accepted, settings }: RowSources): SongRow[] {
  const first = new Map<string, BatchSong>()
  for (const row of [...rows.filter(isStarted), ...rows.filter((row) => !isStarted(row))]) {
    const masters = mastersOf(row, settings)
    if (masters && row.song && !first.has(masters)) first.set(masters, row.song)
  }
  return rows.map((row) => {
    const other = first.get(mastersOf(row, settings) ?? '')
    if (!other || other === row.song || isStarted(row) || accepted[row.rowId]) return row
    return { ...row, kind: 'repeated', repeats: songTitle(other) }
  })
}

/**
 * Returns `now` with each row that equals one of `before` replaced by that object, which limits drawing to changed
 * rows.
 */
export function steadyRows(before: readonly SongRow[], now: readonly SongRow[]): SongRow[] {
  const known = new Map(before.map((row) => [row.rowId, row]))
  const parts = ['kind', 'upload', 'song', 'job', 'progress', 'analysisError', 'repeats'] as const
  return now.map((row) => {
    const old = known.get(row.rowId)
    return old && parts.every((part) => old[part] === row[part]) ? old : row
  })
}

/** The states counted in the head of the list, in display order. */
const TALLY = ['done', 'rendering', 'queued', 'ready', 'check', 'reading', 'failed', 'cancelled', 'refused'] as const
export type Tally = Record<(typeof TALLY)[number], number>

const TALLY_OF: Record<RowKind, keyof Tally> = {
  sending: 'reading',
  interrupted: 'check',
  analysing: 'reading',
  warning: 'check',
  repeated: 'check',
  ready: 'ready',
  waiting: 'queued',
  reading: 'reading',
  queued: 'queued',
  rendering: 'rendering',
  done: 'done',
  below: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
  refused: 'refused',
}

/** Counts rows by the states in the head of the list. */
export function tallyOf(rows: readonly SongRow[]): Tally {
  const tally = Object.fromEntries(TALLY.map((word) => [word, 0])) as Tally
  for (const { kind } of rows) tally[TALLY_OF[kind]] += 1
  return tally
}

export interface Start {
  readonly rowIds: readonly string[]
  /** The songs carry unaccepted warnings: everything ready was started before. */
  readonly hasWarnings: boolean
  /** Songs still uploading or being measured; they start by themselves afterwards. */
  readonly unmeasured: readonly string[]
}

const isUnmeasured = ({ kind }: Pick<SongRow, 'kind'>) => kind === 'sending' || kind === 'analysing'

/**
 * Returns the songs the start button starts: every ready one, plus those still being measured that are not in `armed`
 * already. If there are none, the songs with warnings, as the button then says.
 */
export function startOf(rows: readonly SongRow[], armed: readonly string[] = []): Start {
  const of = (kind: RowKind) => rows.filter((row) => row.kind === kind).map((row) => row.rowId)
  const ready = of('ready')
  const unmeasured = rows.filter((row) => isUnmeasured(row) && !armed.includes(row.rowId)).map((row) => row.rowId)
  const isOver = ready.length === 0 && !rows.some(isUnmeasured)
  return isOver
    ? { rowIds: of('warning'), hasWarnings: true, unmeasured: [] }
    : { rowIds: ready, hasWarnings: false, unmeasured }
}

/** Returns the armed songs to start now: all ready ones, once the measuring is done; null before. */
export function dueOf(rows: readonly SongRow[], armed: readonly string[]): readonly string[] | null {
  const its = rows.filter(({ rowId }) => armed.includes(rowId))
  if (its.some(isUnmeasured)) return null
  return its.filter(({ kind }) => kind === 'ready').map(({ rowId }) => rowId)
}

/** Queue position (1 is next) of every waiting song, in display order; songs with a job come first. */
export function queuePlaces(rows: readonly SongRow[]): Readonly<Record<string, number>> {
  const queued = rows.filter((row) => row.kind === 'queued')
  queued.sort((a, b) => (a.job?.queue_position ?? 1e6) - (b.job?.queue_position ?? 1e6))
  const places: Record<string, number> = {}
  for (const row of [...queued, ...rows.filter((row) => row.kind === 'waiting')])
    places[row.rowId] = Object.keys(places).length + 1
  return places
}

/** Returns `order` with `rowId` moved by `step` places among the shown ids; the same array if it cannot move. */
export function movedOrder(order: readonly string[], rowId: string, step: number): readonly string[] {
  const from = order.indexOf(rowId)
  const to = from + step
  if (from < 0 || to < 0 || to >= order.length) return order
  const rest = order.filter((id) => id !== rowId)
  return [...rest.slice(0, to), rowId, ...rest.slice(to)]
}

/** Returns `order` with the rows named in `former` in their order there; the others keep their places. */
export function asOrdered(order: readonly string[], former: readonly string[]): readonly string[] {
  const present = new Set(order)
  const known = new Set(former)
  const next = former.filter((id) => present.has(id)).values()
  return order.map((id) => (known.has(id) ? (next.next().value ?? id) : id))
}

/** The title of a song: as typed, else its tag or file stem. */
export const songTitle = ({ source, metadata }: Pick<BatchSong, 'source' | 'metadata'>): string =>
  metadata.title ?? source.title

/** The title of a row: that of its song, or the file name until it is known. */
export function titleOf(row: SongRow): string {
  return row.song ? songTitle(row.song) : (row.upload?.filename ?? '')
}
