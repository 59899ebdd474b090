/**
 * Messages between the machines of a farm. Anyone who reaches the queue can write to it, and a machine may lie: no part of a message is
 * used before it has passed its schema here. Nothing in a message names a path.
 */
import Type, { type Static, type TProperties, type TSchema } from 'typebox'
import Value from 'typebox/value'
import { exactly, oneOf, Timestamp, UUID_PATTERN } from '../../src-contract/common.ts'
import { COLOR_MODELS, COVER_CHANGES, COVER_TYPES } from '../../src-contract/covers.ts'
import { RELEASE } from '../../src-contract/delivery-target.ts'
import { FADE_SHAPES } from '../../src-contract/edges.ts'
import { FAILURE_CODES, type FailureCode } from '../../src-contract/errors.ts'
import { STAGES } from '../../src-contract/jobs.ts'
import { MasterSettings } from '../../src-contract/master-settings-schema.ts'
import { SHOWN_METADATA } from '../../src-contract/metadata-schemas.ts'
import { PLATFORMS } from '../../src-contract/platforms/index.ts'
import { MasterResult, ReleaseResult, Repair, Report, StemsUsed, Warning } from '../../src-contract/report.ts'
import { OTHER_CONTAINER_NAMES } from '../../src-contract/song-files.ts'
import type {
  StoredSong as StoredSongValue,
  WorkFailed,
  WorkOrder,
  WorkProgress,
  WorkResult,
} from '../../src-worker/mastering/work-order.ts'
import type { AudioFacts as AudioFactsValue, SongTags as SongTagsValue } from '../../src-worker/media/audio-facts.ts'
import type { StoredCover } from '../../src-worker/media/cover.ts'
import type { Joined, JoinedSong } from '../../src-worker/media/joined.ts'
import type { ResultEntry, ResultZip } from '../../src-worker/result/result-zip.ts'
import type { AttemptEnd, Loss } from '../jobs/queue.ts'
import { ATTEMPT_ID } from './blobs.ts'

/** A message that is not one of ours; its text names the member at fault. */
export class MessageFault extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'MessageFault'
  }
}

/** Version of the messages. A machine of another one is refused, whatever its engine is. */
export const PROTOCOL = 2 as const

/** Returns a value that fits a schema. Throws a {@link MessageFault} that names another protocol, or the first member at fault. */
export function read<Schema extends TSchema>(schema: Schema, value: unknown): Static<Schema> {
  const theirs = (value as { readonly protocol?: unknown } | null)?.protocol
  if (typeof theirs === 'number' && theirs !== PROTOCOL)
    throw new MessageFault(`it speaks protocol ${theirs}, this machine ${PROTOCOL}`)
  if (Value.Check(schema, value)) return value
  const [fault] = Value.Errors(schema, value)
  throw new MessageFault(`${fault?.instancePath || 'the message'} ${fault?.message ?? 'has another form'}`)
}

/** Returns the schema of a JSON object, whose members the compiler holds to those of an interface. */
export function closed<Shape>() {
  return <Properties extends TProperties & Record<keyof Shape, TSchema>>(properties: Properties) =>
    exactly<Properties>(properties)
}

const amount = Type.Number({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' })
const texts = Type.Record(Type.String(), Type.String())
const textsAndNumbers = Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]))
const line = Type.Optional(Type.String())

const tagNames = [
  ...['title', 'artist', 'album', 'albumArtist', 'composer', 'genre', 'date', 'track', 'copyright', 'comment', 'isrc'],
] as readonly Exclude<keyof SongTagsValue, 'other'>[]
const SongTags = exactly({
  ...(Object.fromEntries(tagNames.map((name) => [name, line])) as Record<(typeof tagNames)[number], typeof line>),
  other: Type.Optional(texts),
})

const AudioFacts = closed<AudioFactsValue>()({
  format: oneOf(['mp3', 'wav', 'flac', ...OTHER_CONTAINER_NAMES]),
  codec: Type.String(),
  sampleRateHz: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }),
  channels: Type.Integer({ minimum: 1, maximum: 2 }),
  frames: count,
  countedBy: line,
  excerpt: Type.Optional(exactly({ startFrame: count, frames: count })),
  track: Type.Optional(exactly({ index: count, count })),
  durationSeconds: amount,
  claimedSeconds: Type.Optional(amount),
  uncountedSeconds: Type.Optional(amount),
  damagedSeconds: Type.Optional(amount),
  bitDepth: Type.Optional(count),
  bitRate: Type.Optional(amount),
  isLossy: Type.Boolean(),
  tags: SongTags,
  hasCover: Type.Boolean(),
  coverColorModel: Type.Optional(oneOf(COLOR_MODELS)),
  tagLosses: Type.Optional(
    exactly({
      cover: Type.Optional(oneOf(['format', 'size', 'broken'])),
      otherPictures: Type.Optional(count),
      cutTags: Type.Optional(Type.Array(Type.String())),
    }),
  ),
  hasProvenance: Type.Boolean(),
  claimGenerator: line,
})

/** Its path is the address of the stored file. */
const song = { path: Type.String(), filename: Type.String(), sha256: Sha256, facts: AudioFacts }
const StoredSong = closed<StoredSongValue>()(song)

const edges = {
  fade_in_seconds: amount,
  fade_in_shape: oneOf(FADE_SHAPES),
  fade_out_seconds: amount,
  fade_out_shape: oneOf(FADE_SHAPES),
  pad_start_seconds: amount,
  pad_end_seconds: amount,
}
const Songs = Type.Array(
  closed<JoinedSong>()({
    ...song,
    trims: closed<JoinedSong['trims']>()({ trim_start_seconds: amount, trim_end_seconds: amount }),
  }),
)

const { reference_source_id: _reference, stem_mix: _mix, ...settings } = MasterSettings.properties
const masterNames = [...PLATFORMS, RELEASE] as const

/** Order whose paths are addresses of stored files, without what belongs to one machine. */
export type PackedOrder = Omit<WorkOrder, 'analysisPath' | 'attemptFolder' | 'ffmpeg' | 'threads'>
const PackedOrder = closed<PackedOrder>()({
  jobId: Type.String({ pattern: UUID_PATTERN }),
  createdAt: Timestamp,
  source: StoredSong,
  joined: Type.Optional(closed<Joined>()({ before: Songs, after: Songs, edges: closed<Joined['edges']>()(edges) })),
  reference: Type.Optional(StoredSong),
  settings: exactly(settings),
  seed: count,
  title: line,
  artist: line,
  metadata: Type.Optional(exactly(SHOWN_METADATA)),
  cover: Type.Optional(
    closed<StoredCover>()({
      ...{ path: Type.String(), sha256: Sha256, sizeBytes: count, widthPx: count, heightPx: count },
      mimeType: oneOf(COVER_TYPES),
      colorModel: Type.Optional(oneOf(COLOR_MODELS)),
      changes: Type.Optional(Type.Array(oneOf(COVER_CHANGES))),
    }),
  ),
  stems: Type.Optional(StemsUsed),
  masterTargets: Type.Optional(perMaster(Type.Number({ minimum: -120, maximum: 0 }))),
})

/** Longest time for an attempt that a machine accepts, ms: a longer timer of Node fires at once. */
const LONGEST_MS = 2 ** 31 - 1

/** Attempt in the queue: no secret, no address of a webhook and no path of the user. */
export interface PackedAttempt {
  readonly protocol: typeof PROTOCOL
  readonly order: PackedOrder
  readonly timeLimitMs: number
  readonly memoryBytes: number
  /** Name of the machine that ran the original, for a comparison by another one: no file of the result is then fetched. */
  readonly notOn?: string
}
const PackedAttempt = closed<PackedAttempt>()({
  protocol: Type.Literal(PROTOCOL),
  order: PackedOrder,
  timeLimitMs: Type.Integer({ minimum: 1, maximum: LONGEST_MS }),
  memoryBytes: count,
  notOn: line,
})

/** Files of a result as its machine describes them. The owner takes names and checksums from here, and computes all else from the files. */
const Zip = closed<ResultZip>()({
  ...{ fileName: Type.String(), folderName: Type.String(), sizeBytes: count, sha256: Sha256 },
  ...{ headers: Type.String(), keptBytes: count },
  entries: Type.Array(
    closed<ResultEntry>()({
      ...{ name: Type.String(), offset: count, sizeBytes: count },
      kept: exactly({ file: Type.String(), sha256: Sha256 }),
    }),
  ),
})

const { message: _text, ...warning } = Warning.properties
const Result = closed<WorkResult>()({
  masters: Type.Array(MasterResult),
  release: Type.Optional(ReleaseResult),
  warnings: Type.Array(exactly(warning)),
  repairs: Type.Array(Repair),
  summary: Report.properties.summary,
  zip: Zip,
  loudnessSteps: Type.Optional(perMaster(Type.String({ pattern: '^[A-Za-z0-9+/]*={0,2}$' }))),
  reportJsonFile: Type.String(),
  reportHtmlFile: Type.String(),
})

/** Failures that only the owner knows of. */
const OWN_FAILURES: readonly FailureCode[] = ['CANCELLED', 'MACHINES_LOST']
const Failed = closed<WorkFailed>()({
  type: Type.Literal('failed'),
  failureCode: oneOf(FAILURE_CODES.filter((code) => !OWN_FAILURES.includes(code))),
  params: textsAndNumbers,
  message: Type.String(),
  stack: line,
})
const LOSSES = ['gone', 'stopped', 'disk_full', 'ffmpeg', 'files'] as const satisfies readonly Loss[]

/** End of an attempt on its way to the owner. Only the owner decides whether an end leaves the start of a job uncounted. */
export interface PackedEnd {
  readonly protocol: typeof PROTOCOL
  readonly end: Exclude<AttemptEnd, { kind: 'left' | 'stopped' }>
  /** Name of the machine. */
  readonly machine: string
}
const PackedEnd = closed<PackedEnd>()({
  protocol: Type.Literal(PROTOCOL),
  end: Type.Union([
    exactly({
      kind: Type.Literal('answered'),
      message: Type.Union([exactly({ type: Type.Literal('done'), result: Result }), Failed]),
    }),
    exactly({
      kind: Type.Literal('crashed'),
      detail: Type.String(),
      fault: Type.Optional(Type.Literal('out_of_memory')),
    }),
    exactly({ kind: Type.Literal('timed_out') }),
    exactly({ kind: Type.Literal('lost'), reason: oneOf(LOSSES), detail: line }),
  ]),
  machine: Type.String(),
})

/** Returns the schema of one value for each master that has one. */
function perMaster<Schema extends TSchema>(schema: Schema) {
  const members = masterNames.map((name) => [name, Type.Optional(schema)] as const)
  return exactly(
    Object.fromEntries(members) as Record<(typeof masterNames)[number], ReturnType<typeof Type.Optional<Schema>>>,
  )
}

const Progress = closed<WorkProgress>()({
  type: Type.Literal('progress'),
  stage: oneOf(STAGES.filter((stage) => stage !== 'waiting')),
  fraction: Type.Number({ minimum: 0, maximum: 1 }),
})

/** Returns the identifier and the content of an attempt in the queue. Throws a {@link MessageFault} for anything else. */
export function readAttempt({
  id,
  data,
}: {
  readonly id?: string | undefined
  readonly data: unknown
}): PackedAttempt & { readonly id: string } {
  if (id === undefined || !ATTEMPT_ID.test(id)) throw new MessageFault('its identifier is not one of an attempt')
  const attempt: PackedAttempt = read(PackedAttempt, data)
  if (!id.startsWith(`${attempt.order.jobId}-`)) throw new MessageFault('its identifier is that of another job')
  return { ...attempt, id }
}

/** Returns the end of an attempt as its machine tells it. Throws a {@link MessageFault} for anything else. */
export function readEnd(value: unknown): PackedEnd {
  return read(PackedEnd, value)
}

/** Returns the progress that a machine tells; undefined for anything else. */
export function progressOf(value: unknown): WorkProgress | undefined {
  return Value.Check(Progress, value) ? value : undefined
}
