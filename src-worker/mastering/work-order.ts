/**
 * Messages between the server and one engine process: plain data only, in both directions.
 * The server sends one {@link WorkOrder}, the process answers with progress and exactly one {@link WorkDone} or {@link WorkFailed}.
 */

import type { AuditionPicture, PlannedResponse, TargetPrice } from '../../src-contract/auditions.ts'
import type { MasterName, MasterTargets } from '../../src-contract/delivery-target.ts'
import type { SoundForm } from '../../src-contract/distributors/rules.ts'
import type { EdgeProposal } from '../../src-contract/edge-proposals.ts'
import type { Edges } from '../../src-contract/edges.ts'
import type { ErrorParams, FailureCode } from '../../src-contract/errors.ts'
import type { Format } from '../../src-contract/formats.ts'
import type { Analysis } from '../../src-contract/jobs.ts'
import type { SongMetadata } from '../../src-contract/metadata.ts'
import type { Platform } from '../../src-contract/platforms/index.ts'
import type { Recipe } from '../../src-contract/recipe.ts'
import type {
  Decision,
  MasterResult,
  Pictured,
  ReleaseResult,
  Repair,
  Spectrum,
  StemsUsed,
  Warning,
} from '../../src-contract/report.ts'
import type { SavedTarget } from '../../src-contract/saved-targets.ts'
import type { JobSettings } from '../../src-contract/settings.ts'
import type { MixLikeness } from '../../src-contract/stem-likeness.ts'
import type { StemMix } from '../../src-contract/stem-mix-schemas.ts'
import type { LoudnessPrice, SuggestionProposal } from '../../src-contract/suggestion.ts'
import type { LocalizedText } from '../../src-contract/text/language.ts'
import type { SourceAnalysis } from '../../src-engine/analysis/analysis.ts'
import type { FinalisePlan } from '../../src-engine/finalise/finalise.ts'
import type { FilePart } from '../../src-system/copy-part.ts'
import type { AudioFacts, SongTags } from '../media/audio-facts.ts'
import type { Cover, StoredCover } from '../media/cover.ts'
import type { Ffmpeg } from '../media/ffmpeg.ts'
import type { Joined } from '../media/joined.ts'
import type { PlayedLevel } from '../media/label-file.ts'
import type { DecodedStem } from '../media/stem-lanes.ts'
import type { StemParts } from '../media/stored-stem.ts'
import type { WrittenFile } from '../media/written-file.ts'
import type { ResultZip } from '../result/result-zip.ts'

/** Stored song: its file, facts and the name that the client gave it. */
export interface StoredSong {
  /** Absolute path. */
  readonly path: string
  /** The client's file name: display text only. */
  readonly filename: string
  /** SHA-256 of the file, lower-case hexadecimal. */
  readonly sha256: string
  readonly facts: AudioFacts
}

/** All that the samples of the masters of one song depend on. */
export interface SongOrder {
  readonly source: StoredSong
  /** File that may keep the analysis of the source; see `kept-analysis.ts`. */
  readonly analysisPath?: string | undefined
  /** Songs joined with it; a single song when absent. */
  readonly joined?: Joined
  readonly reference?: StoredSong
  readonly ffmpeg: Ffmpeg
  readonly settings: JobSettings
  /** Seed of the dither: the same for every attempt of a job; 0 reproduces the bytes of every other job with seed 0. */
  readonly seed: number
}

/** All that an engine process needs to master one song. */
export interface WorkOrder extends SongOrder {
  readonly jobId: string
  /** Creation time of the job, ISO 8601: the only time in the report. */
  readonly createdAt: string
  /** Existing, empty folder of this attempt; all output goes below it. */
  readonly attemptFolder: string
  /** The request's title and artist; the source's tags and file name are used when absent. */
  readonly title?: string
  readonly artist?: string
  /** Further metadata of the request. */
  readonly metadata?: SongMetadata
  /** Cover of the request; the source's is used when absent. */
  readonly cover?: StoredCover
  /** Targets of single masters that override the settings, as in a record. */
  readonly masterTargets?: MasterTargets
  /** Absent unless the source is the sum of stems. */
  readonly stems?: StemsUsed
  /** Number of render threads, 1 or more; the result does not depend on it. */
  readonly threads: number
}

/** Order for one master of a song, without tags, report and package: the same that a job with these settings writes for the platform. */
export interface RenderOrder extends SongOrder {
  readonly platform: Platform
  /** Existing folder for the output. */
  readonly attemptFolder: string
  readonly threads: number
}

/** A separately rendered master, measured on its file. */
export interface RenderedAlone {
  readonly path: string
  readonly sizeBytes: number
  readonly sha256: string
  readonly sampleRateHz: number
  readonly bitDepth: 16 | 24
  readonly durationSeconds: number
  readonly integratedLufs: number
  readonly truePeakDbtp: number
  /** Gain from the source to the master before limiting. */
  readonly gainDb: number
  readonly meanGainReductionDb: number
  readonly verdict: 'on_target' | 'below_target'
  readonly recipe: Recipe
  readonly decisions: readonly Decision[]
  /** Loudness of the 3 s that end with each step, LUFS; null for silence. */
  readonly shortTermLufs: readonly (number | null)[]
  readonly stepSeconds: number
  /** Figures of the report. */
  readonly figures: Pictured
}

/** A song to play with settings for one platform. */
export interface AuditionOrder extends SongOrder {
  /** SHA-256 of the sum of the stems, if the source is a mix of them. */
  readonly sumSha256?: string
  /** Decoded stems of the source, which is then their sum: they are heard in its place, treated as the song that was loaded last. */
  readonly lanes?: readonly DecodedStem[]
  readonly platform: Platform
  /** Existing folder reserved for this audition: its master and trials of ffmpeg. */
  readonly folder: string
}

/** Estimate of an audition, made without rendering the song. */
export interface AuditionEstimate {
  readonly frames: number
  readonly sampleRateHz: number
  readonly bitDepth: 16 | 24
  readonly targetLufs: number
  readonly ceilingDbtp: number
  readonly loudnessLufs: number
  /** Gain from the source to the master before limiting. */
  readonly gainDb: number
  /** Gain, clipper and limiter of the playback. */
  readonly finalise: FinalisePlan
  readonly recipe: Recipe
  readonly planned: PlannedResponse
  readonly targetSpectrum: Spectrum | null
  readonly decisions: readonly Decision[]
  /** Figures of the report. */
  readonly figures: Pick<AuditionPicture, 'source' | 'reference'>
}

/** Piece of work of the process that plays auditions, by its result. */
export interface AuditionTasks {
  readonly estimate: { readonly order: AuditionOrder; readonly result: AuditionEstimate }
  /** Interleaved PCM of some frames of the estimate; the same at every request as first rendered. */
  readonly passage: {
    readonly order: AuditionOrder & {
      readonly firstFrame: number
      readonly passageFrames: number
      /** Finalise plan of the estimate. */
      readonly finalise: FinalisePlan
    }
    readonly result: Uint8Array
  }
  /** The exact master before candidates and codec proof, written into the folder. */
  readonly render: { readonly order: AuditionOrder; readonly result: RenderedAlone }
  /** Costs of four loudness targets of the song that was rendered last. */
  readonly price: { readonly order: AuditionOrder; readonly result: readonly TargetPrice[] }
}
export type AuditionTask = keyof AuditionTasks

/** Request to the process that plays auditions, answered under its number; `stop` makes the answer a failure with the code CANCELLED. */
export type AuditionCall =
  | {
      [Task in AuditionTask]: {
        readonly type: 'audition'
        readonly call: number
        readonly task: Task
        readonly order: AuditionTasks[Task]['order']
      }
    }[AuditionTask]
  | { readonly type: 'stop'; readonly call: number }

export interface AuditionAnswer {
  readonly type: 'audition'
  readonly call: number
  readonly answer: { readonly result: AuditionTasks[AuditionTask]['result'] } | { readonly failure: WorkFailed }
}

/** Files to write for one track of a release, and the files of its job. */
export interface ExportOrder {
  readonly ffmpeg: Ffmpeg
  /** Existing, empty folder. */
  readonly folder: string
  /** Seed of the dither. */
  readonly seed: number
  /** Padding of the master, which is left without dither. */
  readonly edges: Pick<Edges, 'pad_start_seconds' | 'pad_end_seconds'>
  /** Highest true peak of a file that is made, dBTP. */
  readonly ceilingDbtp: number
  /** Files of the job: the wanted formats and the WAVs that others are made from. */
  readonly sources: readonly (FilePart & {
    readonly format: Format
    readonly gainDb: number
    /** The same files of the adjacent joined tracks; conversions run over all of them. */
    readonly joined?: { readonly before: readonly FilePart[]; readonly after: readonly FilePart[] }
  })[]
  readonly files: readonly { readonly format: Format; readonly isTagged: boolean }[]
  readonly tags: SongTags
  /** Cover of the release, or the song that contains it. */
  readonly cover: Cover | Pick<StoredSong, 'path' | 'facts'> | null
  /** Measurement of the record; null for the track's. */
  readonly album: PlayedLevel | null
  /** Highest true peak of the lossy copies of the master, dBTP; null if not measured. */
  readonly copyPeakDbtp: number | null
}

/** A written file of a release and its facts, measured on the file. */
export interface ExportedSound extends SoundForm {
  readonly format: Format
  readonly isTagged: boolean
  readonly path: string
  readonly sha256: string
  readonly samplesSha256: string
  readonly durationSeconds: number
  readonly silenceStartSeconds: number
  readonly silenceEndSeconds: number
  /** −Infinity for silence, as the peaks are. */
  readonly integratedLufs: number
  readonly truePeakDbtp: number
  /** At 44.1 kHz; null if this ffmpeg cannot measure it. */
  readonly truePeakAfterRateDbtp: number | null
  readonly truePeakAfterCodecDbtp: number | null
  /** Gain against the master, dB: 0 or less. */
  readonly gainDb: number
}

/** Masters of a record that are measured as one. */
export interface RecordOrder {
  readonly ffmpeg: Ffmpeg
  /** Existing, empty folder. */
  readonly folder: string
  /** WAVs in order. */
  readonly tracks: readonly FilePart[]
}

/** Stems to be mixed into one song. */
export interface StemMixOrder extends StemParts {
  readonly ffmpeg: Ffmpeg
  /** Existing, empty folder. */
  readonly folder: string
  /** Settings of the mix; the sum when absent. */
  readonly mix?: StemMix
  /** Tags of the song. */
  readonly tags: SongTags
  /** Folder in which decoded stems are kept by their content, for the next mix; they are removed when absent. */
  readonly kept?: string
  /** Song whose cover the mix has. */
  readonly cover?: Pick<StoredSong, 'path' | 'facts'>
}

/** Repairs that were made in a stem. */
export interface StemRepairs {
  readonly stem: number
  readonly repairs: readonly Repair[]
}

/** A mix of stems: a WAV of 32 bit float. */
export interface StemMixDone {
  readonly type: 'mixed'
  readonly mix: WrittenFile & {
    readonly path: string
    readonly sampleRateHz: number
    readonly frames: number
    /** Positions of silent stems in the order; of the plain sum alone. */
    readonly silent: readonly number[]
    /** Peaks of each stem of the plain sum, in the order of the stems, as an analysis has them; none of a mix. */
    readonly waveforms: readonly (readonly number[])[]
    readonly repairs: readonly StemRepairs[]
    /** Relation of the stereo mix to the sum; absent if they were not or could not be compared. */
    readonly likeness?: MixLikeness
  }
}

/** Stages of a running job as they appear on the wire, in order. */
export const WORK_STAGES = ['decoding', 'analysing', 'rendering', 'verifying', 'packaging'] as const
export type WorkStage = (typeof WORK_STAGES)[number]

/** Progress of a job; neither stage nor fraction ever goes back. */
export interface WorkProgress {
  readonly type: 'progress'
  readonly stage: WorkStage
  /** Part of the whole job that is done, 0 to 1. */
  readonly fraction: number
}

/** A warning without its text, which depends on the reader's language. */
export type WarningFact = Omit<Warning, 'message'>

/** Files that a finished job left in the attempt folder, and their measurements. */
export interface WorkResult {
  /** One result per platform, in the order of the request; measured on the written files. */
  readonly masters: readonly MasterResult[]
  /** The result for all services, if requested. */
  readonly release?: ReleaseResult
  readonly warnings: readonly WarningFact[]
  readonly repairs: readonly Repair[]
  /** Summary of the changes; absent in results of earlier versions. */
  readonly summary?: LocalizedText
  readonly zip: ResultZip
  /** Loudness of every master in steps, as `encodeSteps` writes it; absent in results of earlier versions. */
  readonly loudnessSteps?: Readonly<Partial<Record<MasterName, string>>>
  /** Names of the files of the reports in the attempt folder; both are in the ZIP too. */
  readonly reportJsonFile: string
  readonly reportHtmlFile: string
}

export interface WorkDone {
  readonly type: 'done'
  readonly result: WorkResult
}

/** Failure of a job or an analysis: the code is for the user, message and stack are for the log. */
export interface WorkFailed {
  readonly type: 'failed'
  readonly failureCode: FailureCode
  readonly params: ErrorParams
  readonly message: string
  readonly stack?: string
}

/** Order for the free analysis of one song; writes nothing. */
export interface AnalysisOrder {
  /** The song; its file name is the title of one whose tags have none. */
  readonly song: Omit<StoredSong, 'filename'> & Partial<Pick<StoredSong, 'filename'>>
  /** Settings of a planned job; a mere analysis uses the defaults apart from the AI service. */
  readonly settings: JobSettings
  readonly reference?: Omit<StoredSong, 'filename'>
  readonly ffmpeg: Ffmpeg
  /** Price of loudness for the suggestion: `wanted`, or the known one; none if absent. */
  readonly price?: 'wanted' | LoudnessPrice
}

/** Result of an analysis; the server adds the texts. */
export interface AnalysisDone {
  readonly type: 'analysed'
  readonly analysis: Omit<Analysis, 'warnings' | 'proposed_edges' | 'suggestion' | 'summary' | 'target'> & {
    readonly suggestion?: SuggestionProposal
    readonly warnings: readonly WarningFact[]
    readonly proposed_edges?: EdgeProposal
    /** Reasons of the plan that these settings give. */
    readonly decisions: readonly Pick<Decision, 'code' | 'values'>[]
    /** Absent without a reference. */
    readonly reference?: Pick<SourceAnalysis, 'integratedLufs'>
    /** The song as a reference for others. */
    readonly target: SavedTarget
    /** Loudness of the song in steps, as `encodeSteps` writes it. */
    readonly loudnessSteps: string
    /** File that keeps the whole analysis; see `kept-analysis.ts`. */
    readonly kept: Uint8Array
  }
}

export interface RenderDone {
  readonly type: 'rendered'
  readonly master: RenderedAlone
}

export interface ExportDone {
  readonly type: 'exported'
  readonly files: readonly ExportedSound[]
}

/** Loudness of a record, of all its tracks together, and its highest true peak. */
export interface RecordMeasured {
  readonly type: 'record_measured'
  readonly level: PlayedLevel
}

/** Message of an engine process. It exits after any message except `progress` and `audition`. */
export type WorkerMessage =
  | WorkProgress
  | WorkDone
  | AnalysisDone
  | RenderDone
  | ExportDone
  | RecordMeasured
  | StemMixDone
  | WorkFailed
  | AuditionAnswer
export type FinalMessage = Exclude<WorkerMessage, WorkProgress | AuditionAnswer>

/** Returns whether an engine process ends after a message. */
export function isFinal(message: WorkerMessage): message is FinalMessage {
  return message.type !== 'progress' && message.type !== 'audition'
}

/** Message to an engine process: one piece of work, or calls of auditions for as long as it lives; and `abort`, which makes it answer `failed` with the code CANCELLED. */
export type WorkerCommand =
  | { readonly type: 'work'; readonly order: WorkOrder }
  | { readonly type: 'analyse'; readonly order: AnalysisOrder }
  | { readonly type: 'render'; readonly order: RenderOrder }
  | { readonly type: 'export'; readonly order: ExportOrder }
  | { readonly type: 'measure_record'; readonly order: RecordOrder }
  | { readonly type: 'mix_stems'; readonly order: StemMixOrder }
  | AuditionCall
  | { readonly type: 'abort' }
