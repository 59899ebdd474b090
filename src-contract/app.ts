/** Endpoints of the app itself: stored songs, the batch, settings and the state of the machine. */
import Type, { type Static } from 'typebox'
import { Deleted, exactly, JobPath, oneOf, orNull, SONG_MEDIA_TYPES, Timestamp, Uuid } from './common.ts'
import { COVER_TYPES, StoredCover } from './covers.ts'
import { ProposedEdges } from './edge-proposals.ts'
import { endpoints } from './endpoint.ts'
import { ERROR_CODES } from './errors.ts'
import { AcceptField, type Analysis, MadeWith, RESULT_ERRORS } from './jobs.ts'
import { MAX_ALLOWED_FOLDERS, MAX_COVER_BYTES, MAX_ENGINE_WORKERS, MAX_PRESETS } from './limits.ts'
import { MasterSettings } from './master-settings-schema.ts'
import { CHANGED_OWN_METADATA, SHOWN_METADATA, SHOWN_OWN_METADATA } from './metadata-schemas.ts'
import { Warning } from './report.ts'
import { ACCEPT_ANY } from './song-files.ts'
import { Suggestion } from './suggestion.ts'
import { LANGUAGES } from './text/language.ts'

const { lyrics: _lyrics, ...FILE_METADATA } = SHOWN_METADATA

/** A song stored once for any number of analyses and masters. */
export const Source = exactly({
  source_id: Uuid,
  filename: Type.String(),
  title: Type.String(),
  artist: Type.Optional(Type.String()),
  size_bytes: Type.Integer(),
  sha256: Type.String(),
  codec: Type.String(),
  duration_seconds: Type.Number(),
  sample_rate_hz: Type.Integer(),
  channels: Type.Integer(),
  bit_depth: Type.Optional(Type.Integer()),
  bit_rate_bps: Type.Optional(Type.Integer()),
  has_cover: Type.Boolean(),
  made_with: MadeWith,
  tags: Type.Object(FILE_METADATA, {
    description: 'Metadata in the file beside title and artist; its lyrics are left out.',
  }),
  created_at: Timestamp,
})
export type Source = Static<typeof Source>

/** State of a song in the batch: not started, waiting for a free slot, handed over as a job, or refused at the hand-over. */
export const BATCH_SONG_STATES = ['ready', 'waiting', 'submitted', 'refused'] as const

/** Part of an analysis that the batch shows; `analyze` returns the whole, which is twenty times as much. */
export const AnalysisSummary = exactly({
  integrated_lufs: orNull(Type.Number()),
  true_peak_dbtp: orNull(Type.Number()),
  waveform_percent: Type.Array(Type.Integer(), {
    description: 'Mean of the peaks in each of at most 200 equal slices, percent of full scale.',
  }),
  tone_db: Type.Array(orNull(Type.Integer()), {
    description: 'Long-term levels of the mid in the bands of a third of an octave that `analyze` names, whole dB.',
  }),
  proposed_edges: Type.Optional(ProposedEdges),
  suggestion: Type.Optional(Suggestion),
  warnings: Type.Array(Warning),
})
export type AnalysisSummary = Static<typeof AnalysisSummary>

const SUMMARY_SLICES = 200

/** Returns a waveform in fewer slices, as `waveform_percent`. An empty one stays empty. Pure. */
export function waveformPercent(waveform: readonly number[]): number[] {
  const count = Math.min(SUMMARY_SLICES, waveform.length)
  const edge = (slice: number) => Math.round((slice * waveform.length) / count)
  const slices = Array.from({ length: count }, (_, slice) => waveform.slice(edge(slice), edge(slice + 1)))
  return slices.map((peaks) => Math.round((100 * peaks.reduce((sum, peak) => sum + peak, 0)) / peaks.length))
}

/** Returns the batch's summary of an analysis. */
export function summaryOf({ measurement, waveform, spectrum, warnings, ...found }: Analysis): AnalysisSummary {
  const { proposed_edges, suggestion } = found
  return {
    integrated_lufs: measurement.integrated_lufs,
    true_peak_dbtp: measurement.true_peak_dbtp,
    waveform_percent: waveformPercent(waveform),
    tone_db: spectrum.mid_db.map((db) => (db === null ? null : Math.round(db))),
    ...(proposed_edges ? { proposed_edges } : {}),
    ...(suggestion ? { suggestion } : {}),
    warnings,
  }
}

export const BatchSong = exactly({
  source: Source,
  state: oneOf(BATCH_SONG_STATES),
  settings: orNull(MasterSettings),
  metadata: Type.Object(SHOWN_OWN_METADATA, {
    description: 'What was written about the song here; it stands over the tags of the file.',
  }),
  cover: Type.Optional(StoredCover),
  analysis: orNull(AnalysisSummary),
  stem_count: Type.Optional(
    Type.Integer({ description: 'Number of the stems whose sum the song is; absent without any.' }),
  ),
  job_ids: Type.Array(Uuid, { description: 'Jobs of this song, newest first.' }),
  mastered_before: Type.Optional(
    exactly(
      { job_id: Uuid, finished_at: Type.String({ ...Timestamp, description: 'End of that job.' }) },
      'The newest job of the same bytes that is not of this song and whose files are still there.',
    ),
  ),
  batch_id: Type.Optional(Uuid),
  error: Type.Optional(
    exactly({
      code: oneOf(ERROR_CODES),
      message: Type.String(),
      values: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()])),
    }),
  ),
})
export type BatchSong = Static<typeof BatchSong>

export const Preset = exactly({ name: Type.String({ minLength: 1, maxLength: 60 }), settings: MasterSettings })
export type Preset = Static<typeof Preset>

/** The batch: songs in mastering order, and the settings of all songs without their own. */
export const Batch = exactly({
  is_paused: Type.Boolean(),
  settings: MasterSettings,
  presets: Type.Array(Preset),
  songs: Type.Array(BatchSong),
  release_songs: Type.Array(BatchSong, {
    description:
      'Songs of releases that were never started here: they are no part of the batch until they leave their releases.',
  }),
})
export type Batch = Static<typeof Batch>

/** Languages and themes to choose from; `system` follows the computer's. */
export const CHOSEN_LANGUAGES = ['system', ...LANGUAGES] as const
export const THEMES = ['system', 'dark', 'light'] as const

export const Settings = exactly({
  language: oneOf(CHOSEN_LANGUAGES),
  theme: oneOf(THEMES),
  retention_days: orNull(Type.Integer({ minimum: 1, maximum: 365 })),
  disk_quota_bytes: orNull(Type.Integer({ minimum: 1 })),
  output_folder: orNull(Type.String()),
  engine_workers: Type.Integer({
    minimum: 1,
    maximum: MAX_ENGINE_WORKERS,
    description:
      'Songs that are mastered at once: at most the cores of the machine, half of them by default. One that does not fit into memory waits.',
  }),
  ffmpeg_path: orNull(
    Type.String({
      description: 'An ffmpeg that is used instead of those that are found. Only the owner can change it.',
    }),
  ),
  allowed_folders: Type.Array(Type.String(), {
    maxItems: MAX_ALLOWED_FOLDERS,
    description:
      'Folders in which requests may name files by their path, behind links; none by default. Only the owner can change it.',
  }),
  farm: Type.Union(
    [
      exactly({
        queue: Type.String({
          maxLength: 1000,
          pattern: '^rediss?://(?![^/]*:[^/]*@)[^\\s/]+(/\\d+)?$',
          description:
            'Address of the queue to further machines, without a password: that is in MASTER_QUEUE_PASSWORD.',
        }),
        blobs: Type.String({
          maxLength: 1000,
          pattern: '^(s3://[^\\s/]|/|[A-Za-z]:[\\\\/])',
          description: 'Place of the files between machines: an absolute folder or s3://BUCKET.',
        }),
      }),
      Type.Null(),
    ],
    { description: 'Further machines of `serve`, from its next start on. Only the owner can change it.' },
  ),
  is_offline: Type.Boolean({ description: 'True if only callbacks to this machine are sent; all others wait.' }),
})
export type Settings = Static<typeof Settings>

/**
 * Settings that control which programs this machine runs and which of its folders other programs may use: the page reads them, and only the
 * owner's control credential changes them.
 */
export const OWNER_SETTINGS = ['ffmpeg_path', 'allowed_folders', 'farm'] as const satisfies readonly (keyof Settings)[]

export const SystemState = exactly({
  app_version: Type.String(),
  engine_version: Type.String(),
  node_version: Type.String(),
  base_url: Type.String(),
  data_dir: Type.String(),
  ffmpeg: orNull(
    exactly({
      path: Type.String(),
      version: Type.String(),
      origin: Type.String(),
      fault: Type.Optional(
        Type.String({
          description:
            'Reason for which it could not write and read a test file in the data folder; absent if it could.',
        }),
      ),
    }),
  ),
  ffmpeg_lack: orNull(
    oneOf(
      ['ffmpeg_missing', 'ffmpeg_unconfirmed', 'ffmpeg_changed'],
      'Reason for which there is no ffmpeg: none was found, or the selected one was not confirmed or has changed since.',
    ),
  ),
  has_simd: Type.Boolean(),
  cores: Type.Integer({ description: 'Cores of the machine.' }),
  free_bytes: Type.Integer(),
  used_bytes: Type.Integer(),
  host: oneOf(['desktop', 'browser']),
  is_private: Type.Boolean({
    description: 'False if the disk of the data folder has no access rights: other users of this machine may read it.',
  }),
  quarantine: orNull(
    exactly(
      {
        folder: Type.String(),
        items: Type.Integer({ description: 'Job folders and stored songs.' }),
        bytes: Type.Integer(),
        left_in_place: Type.Array(Type.String(), { description: 'Those on another disk, which were not moved.' }),
      },
      'Files of ours that the database does not know, as an older one from a backup leaves them. Remove them by hand; null without any.',
    ),
  ),
})
export type SystemState = Static<typeof SystemState>

/** A folder whose new songs are mastered automatically; its subfolders are ignored. */
export const WatchFolder = exactly({
  folder_id: Uuid,
  path: Type.String(),
  output_folder: orNull(
    Type.String({ description: 'Folder for its masters; null for the output folder of the settings.' }),
  ),
  settings: orNull(MasterSettings),
  accept: orNull(oneOf([ACCEPT_ANY])),
  is_active: Type.Boolean(),
  is_reachable: Type.Boolean({ description: 'False while its drive is not connected.' }),
  taken: Type.Integer({ description: 'Number of songs added so far.' }),
  refused: Type.Array(exactly({ filename: Type.String(), code: oneOf(ERROR_CODES), message: Type.String() }), {
    description: 'Songs that were refused and are tried again only when they change, newest first, at most 20.',
  }),
  waiting: Type.Array(exactly({ filename: Type.String(), code: oneOf(ERROR_CODES), message: Type.String() }), {
    description: 'Songs that could not be added yet and are tried again automatically, with the reasons.',
  }),
  created_at: Timestamp,
})
export type WatchFolder = Static<typeof WatchFolder>

const folderChoice = {
  output_folder: Type.Optional(orNull(Type.String())),
  settings: Type.Optional(orNull(MasterSettings)),
  accept: Type.Optional(orNull(oneOf([ACCEPT_ANY]))),
  is_active: Type.Optional(Type.Boolean()),
}
const FolderPath = exactly({ folder_id: Type.String() })

const SourcePath = exactly({ source_id: Type.String() })
const SourceIds = exactly({ source_ids: Type.Array(Type.String(), { minItems: 1 }) })
const tag = 'App'

export const appEndpoints = endpoints({
  createSource: {
    method: 'POST',
    path: '/app/sources',
    access: 'session',
    tag,
    summary: 'Store a song and put it in the batch',
    form: {
      fields: exactly({ purpose: Type.Optional(oneOf(['song', 'reference'])), accept: AcceptField }),
      files: { file: { required: true, description: 'MP3, WAV or FLAC, at most 1 GiB and 10 minutes.' } },
    },
    answers: { 201: { description: 'The stored song.', schema: Source } },
    errors: ['UNSUPPORTED_MEDIA_TYPE', 'FILE_TOO_LARGE', 'UNSUPPORTED_FORMAT', 'FILE_TOO_LONG'],
  },
  readSource: {
    method: 'GET',
    path: '/app/sources/{source_id}',
    access: 'session',
    tag,
    summary: 'Read a stored song',
    params: SourcePath,
    answers: { 200: { description: 'The song.', schema: Source } },
    errors: ['NOT_FOUND'],
  },
  readSourceFile: {
    method: 'GET',
    path: '/app/sources/{source_id}/file',
    access: 'session',
    tag,
    summary: 'Read the audio of a stored song',
    params: SourcePath,
    answers: {
      200: { description: 'The whole file.', mediaTypes: SONG_MEDIA_TYPES },
      206: { description: 'The range asked for.', mediaTypes: SONG_MEDIA_TYPES },
      304: { description: 'Unchanged.' },
    },
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED', 'RANGE_NOT_SATISFIABLE'],
  },
  readSourceCover: {
    method: 'GET',
    path: '/app/sources/{source_id}/cover',
    access: 'session',
    tag,
    summary: 'Read the cover picture of a stored song',
    params: SourcePath,
    answers: { 200: { description: 'The picture.', mediaTypes: ['image/*'] } },
    errors: ['NOT_FOUND'],
  },
  handOverResult: {
    method: 'POST',
    path: '/app/jobs/{job_id}/files',
    access: 'session',
    tag,
    summary: 'Copy the files of a result into a folder of the caller',
    description:
      'For the command line, with the control credential. The folder holds a file `probe` that only this user can read: its bytes show that caller and service mean the same folder. Existing files are never touched, and links never followed.',
    params: JobPath,
    body: exactly({
      folder: Type.String({ description: 'Real path of the folder.' }),
      probe: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Content of its file `probe`: random bytes.' }),
    }),
    answers: {
      200: {
        description: 'The files are in the folder.',
        schema: exactly({
          folder_name: Type.String({ description: 'Name of the folder in the ZIP.' }),
          files: Type.Array(Type.String(), { description: 'Names in the order of the ZIP.' }),
        }),
      },
    },
    errors: [...RESULT_ERRORS, 'OWNER_REQUIRED', 'PATH_NOT_ALLOWED', 'FOLDER_TAKEN'],
  },
  readDesk: {
    method: 'GET',
    path: '/app/desk',
    access: 'session',
    tag,
    summary: 'Read the batch',
    answers: { 200: { description: 'The batch.', schema: Batch } },
    errors: [],
  },
  changeDesk: {
    method: 'PATCH',
    path: '/app/desk',
    access: 'session',
    tag,
    summary: 'Pause or continue, set the common settings, the presets, the order, or the metadata of songs',
    body: exactly({
      is_paused: Type.Optional(Type.Boolean()),
      settings: Type.Optional(MasterSettings),
      presets: Type.Optional(Type.Array(Preset, { maxItems: MAX_PRESETS })),
      order: Type.Optional(Type.Array(Type.String(), { description: 'source_ids, all or some; the rest follow.' })),
      metadata: Type.Optional(
        Type.Array(exactly({ source_id: Type.String(), ...CHANGED_OWN_METADATA }), {
          description: 'What is written about songs; members that are absent stay.',
        }),
      ),
    }),
    answers: { 200: { description: 'The batch.', schema: Batch } },
    errors: ['PRESET_NAME_TAKEN', 'NOT_FOUND'],
  },
  changeDeskSong: {
    method: 'PATCH',
    path: '/app/desk/{source_id}',
    access: 'session',
    tag,
    summary: 'Give one song settings of its own, or null for the common ones',
    params: SourcePath,
    body: exactly({ settings: orNull(MasterSettings) }),
    answers: { 200: { description: 'The song.', schema: BatchSong } },
    errors: ['NOT_FOUND'],
  },
  putDeskCover: {
    method: 'PUT',
    path: '/app/desk/{source_id}/cover',
    access: 'session',
    tag,
    summary: 'Set the cover of the masters of a song',
    params: SourcePath,
    form: {
      fields: exactly({}),
      files: {
        cover_file: {
          required: true,
          description: `JPEG or PNG; above ${MAX_COVER_BYTES / 1e6} MB it becomes a smaller JPEG.`,
        },
      },
    },
    answers: { 200: { description: 'The song.', schema: BatchSong } },
    errors: ['NOT_FOUND', 'FILE_TOO_LARGE'],
  },
  readDeskCover: {
    method: 'GET',
    path: '/app/desk/{source_id}/cover',
    access: 'session',
    tag,
    summary: 'Read the cover that was set for the masters of a song',
    params: SourcePath,
    answers: { 200: { description: 'The picture.', mediaTypes: COVER_TYPES } },
    errors: ['NOT_FOUND'],
  },
  removeDeskCover: {
    method: 'DELETE',
    path: '/app/desk/{source_id}/cover',
    access: 'session',
    tag,
    summary: 'Let the masters of a song have the cover of its file again',
    params: SourcePath,
    answers: { 200: { description: 'The song.', schema: BatchSong } },
    errors: ['NOT_FOUND'],
  },
  startSongs: {
    method: 'POST',
    path: '/app/desk/start',
    access: 'session',
    tag,
    summary: 'Master songs of the batch in its order, as fast as the plan allows',
    body: SourceIds,
    answers: { 200: { description: 'The batch; the songs started now share a batch_id.', schema: Batch } },
    errors: ['NOT_FOUND'],
  },
  stopSongs: {
    method: 'POST',
    path: '/app/desk/stop',
    access: 'session',
    tag,
    summary: 'Take waiting songs back and cancel their unfinished jobs',
    body: SourceIds,
    answers: { 200: { description: 'The batch.', schema: Batch } },
    errors: ['NOT_FOUND'],
  },
  removeSongs: {
    method: 'POST',
    path: '/app/desk/remove',
    access: 'session',
    tag,
    summary: 'Take songs out of the batch; their jobs stay in history',
    body: SourceIds,
    answers: { 200: { description: 'The batch.', schema: Batch } },
    errors: ['NOT_FOUND'],
  },
  restoreSongs: {
    method: 'POST',
    path: '/app/desk/restore',
    access: 'session',
    tag,
    summary: 'Put removed songs back where they were',
    body: SourceIds,
    answers: { 200: { description: 'The batch.', schema: Batch } },
    errors: ['NOT_FOUND'],
  },
  readSettings: {
    method: 'GET',
    path: '/app/settings',
    access: 'session',
    tag,
    summary: 'Read the settings',
    answers: { 200: { description: 'The settings.', schema: Settings } },
    errors: [],
  },
  changeSettings: {
    method: 'PATCH',
    path: '/app/settings',
    access: 'session',
    tag,
    summary: 'Change settings',
    description:
      '`ffmpeg_path` cannot be set with the credential of the page: the owner confirms the program in the window of the application or with `loudsmith settings ffmpeg PATH`. Its SHA-256 is kept, and a changed file is not run until it is confirmed again. `allowed_folders` is set with `loudsmith allow FOLDER`, `farm` with `loudsmith settings farm`.',
    body: Type.Partial(Settings, { additionalProperties: false }),
    answers: { 200: { description: 'The settings.', schema: Settings } },
    errors: ['OWNER_REQUIRED'],
  },
  keepResults: {
    method: 'POST',
    path: '/app/results/keep',
    access: 'session',
    tag,
    summary: 'Keep the results that are removed soon for another period',
    answers: {
      200: {
        description: 'How many they were.',
        schema: exactly({ results: Type.Integer({ description: 'Number of ended jobs.' }) }),
      },
    },
    errors: [],
  },
  listWatchFolders: {
    method: 'GET',
    path: '/app/watch-folders',
    access: 'session',
    tag,
    summary: 'List the watched folders',
    answers: { 200: { description: 'The folders.', schema: exactly({ folders: Type.Array(WatchFolder) }) } },
    errors: [],
  },
  addWatchFolder: {
    method: 'POST',
    path: '/app/watch-folders',
    access: 'session',
    tag,
    summary: 'Master every song that appears in a folder',
    body: exactly({
      path: Type.String({ description: 'Full path of the folder. Its subfolders are not watched.' }),
      takes_existing: Type.Optional(Type.Boolean({ description: 'Also add the songs that are already in it.' })),
      ...folderChoice,
    }),
    answers: { 201: { description: 'The folder.', schema: WatchFolder } },
    errors: [],
  },
  changeWatchFolder: {
    method: 'PATCH',
    path: '/app/watch-folders/{folder_id}',
    access: 'session',
    tag,
    summary: 'Change settings or output folder of a watched folder, or pause it',
    params: FolderPath,
    body: exactly(folderChoice),
    answers: { 200: { description: 'The folder.', schema: WatchFolder } },
    errors: ['NOT_FOUND'],
  },
  removeWatchFolder: {
    method: 'DELETE',
    path: '/app/watch-folders/{folder_id}',
    access: 'session',
    tag,
    summary: 'Stop watching a folder; its songs and masters stay',
    params: FolderPath,
    answers: { 200: { description: 'The folder is no longer watched.', schema: Deleted } },
    errors: ['NOT_FOUND'],
  },
  readSystem: {
    method: 'GET',
    path: '/app/system',
    access: 'session',
    tag,
    summary: 'Read versions, ffmpeg, folders and free disk',
    answers: { 200: { description: 'The state of the machine.', schema: SystemState } },
    errors: [],
  },
})
