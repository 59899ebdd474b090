/** Releases: a single, an EP or an album with its tracks in order, uploaded to a distributor as one unit (extension). */
import Type, { type Static, type TProperties } from 'typebox'
import { exactly, IdempotencyHeaders, oneOf, orNull, PageSize, Timestamp, Uuid } from './common.ts'
import { COVER_TYPES, StoredCover } from './covers.ts'
import { Disclosure, DisclosureChange, ReleaseDisclosure, ReleaseDisclosureChange } from './disclosure.ts'
import { DISTRIBUTORS } from './distributors/index.ts'
import { FADE_SHAPES } from './edges.ts'
import { endpoints } from './endpoint.ts'
import {
  MAX_COVER_BYTES,
  MAX_DURATION_SECONDS,
  MAX_GAP_SECONDS,
  MAX_LINE_LENGTH,
  MAX_NAMES,
  MAX_RELEASE_TRACKS,
  MAX_TITLE_LENGTH,
} from './limits.ts'
import { RELEASE_KINDS } from './release-kinds.ts'
import { Mastering, RELEASE_LOUDNESS_MODES, ReleasePlan, ReleaseSettings, TrackMaster } from './release-mastering.ts'
import { CHANGED_SETTINGS, SHOWN_SETTINGS } from './setting-schemas.ts'

export { RELEASE_KINDS, type ReleaseKind } from './release-kinds.ts'

/** States of the song of a track. */
export const TRACK_STATES = ['no_song', 'stored', 'queued', 'done', 'failed', 'expired', 'gone'] as const
export type TrackState = (typeof TRACK_STATES)[number]

const line = (description: string, maxLength = MAX_LINE_LENGTH) => Type.String({ maxLength, description })
const title = (description: string) => line(description, MAX_TITLE_LENGTH)
const names = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: MAX_TITLE_LENGTH }), { maxItems: MAX_NAMES, description })
const seconds = (maximum: number, description: string) => Type.Number({ minimum: 0, maximum, description })

/** Facts of a release that can be left out; empty means absent. */
const optionalFacts = {
  release_date: Type.String({ description: 'Date of release, `YYYY-MM-DD`.' }),
  label: line('Record label.'),
  upc: Type.String({ description: 'UPC (12 digits) or EAN (13 digits); its check digit is verified.' }),
  genre: line('Genre as the distributor calls it.'),
  language: Type.String({
    maxLength: 100,
    description:
      'Language of title and tracks (BCP 47), such as `ko`; a name such as `Korean` or `한국어` is taken for its code.',
  }),
  p_line: line('℗ line: year and owner of the recording.'),
  c_line: line('© line: year and owner of artwork and texts.'),
}

/** Distributors and services that a release is uploaded to. */
const Receivers = Type.Array(oneOf(DISTRIBUTORS), {
  uniqueItems: true,
  maxItems: DISTRIBUTORS.length,
  description:
    'Where it is uploaded, the most important first: its export follows their rules. Empty for not chosen yet.',
})

const neededFacts = {
  title: title('Title of the release.'),
  artist: title('Artist of the release.'),
  kind: oneOf(RELEASE_KINDS, 'Kind of the release.'),
}

/** Facts of a release for its mastering; absent ones have their empty value. */
const masteringFacts = {
  loudness_mode: oneOf(
    RELEASE_LOUDNESS_MODES,
    'As one record whose tracks keep their relations (default of EPs and albums), or each track on its own.',
  ),
  coherence: Type.Boolean({
    description: 'True where tracks that lie outside the record are moved toward it, by 1.5 dB at most.',
  }),
  level_generated: Type.Optional(
    Type.Boolean({
      description:
        'In mode `album`: true, the default, where the loud parts of songs of generators come to within 1.5 LU of their median over the record, since no artist chose how loud they are; false keeps the relations of all songs.',
    }),
  ),
}

/** The same in requests: null removes a value. */
const masteringChanges = {
  ...masteringFacts,
  settings: orNull(ReleaseSettings),
  anchor_track_id: orNull(Type.String({ ...Uuid, description: 'Track that coherence leaves bit for bit as it is.' })),
}

/** Credits and numbers of a track that can be left out; empty means absent. */
const optionalTrackFacts = {
  version: title('Version that is added to the title, such as `Radio Edit`.'),
  isrc: Type.String({ description: 'ISRC; blanks and hyphens are removed.' }),
}

/** Facts that every track has; absent ones have their empty value. */
const trackFacts = {
  title: title('Title of the track; that of the song when absent.'),
  artists: names('Artists in the order of the credits; that of the song when absent.'),
  composers: names('Composers.'),
  lyricists: names('Lyricists.'),
  explicit: Type.Boolean({ description: 'True where the lyrics are explicit.' }),
  gap_before_seconds: seconds(MAX_GAP_SECONDS, 'Silence between the track before and this one, s.'),
  gap_in_file: Type.Boolean({
    description: 'True where that silence is in the file of the track before; else only the sequence player makes it.',
  }),
  continuous_with_next: Type.Boolean({
    description:
      'True where the track goes over into the next: both are mastered as one, with one recipe and one gain, and cut at the sample, so that their lossless files laid end to end are the one master. Their songs need the same rate and channels, their tracks the same settings, and no gap or fade between them. Of the last track it says nothing.',
  }),
  trim_start_seconds: seconds(MAX_DURATION_SECONDS, 'Cut from the start of the song, s.'),
  trim_end_seconds: seconds(MAX_DURATION_SECONDS, 'Cut from the end of the song, s.'),
  fade_in_seconds: seconds(MAX_GAP_SECONDS, 'Length of the fade at the start, s; 0 for none.'),
  fade_in_shape: oneOf(FADE_SHAPES, 'Curve of the fade at the start.'),
  fade_out_seconds: seconds(MAX_GAP_SECONDS, 'Length of the fade at the end, s; 0 for none.'),
  fade_out_shape: oneOf(FADE_SHAPES, 'Curve of the fade at the end.'),
}

const featuredArtists = {
  featured_artists: Type.Optional(names('Guests, who are no main artists. Empty for none.')),
}

const partial = <Properties extends TProperties>(properties: Properties) =>
  Type.Partial(Type.Object(properties)).properties

const songChoice = {
  source_id: Type.Optional(orNull(Uuid)),
  job_id: Type.Optional(orNull(Uuid)),
}

/** A track in a request: its song is a stored one (only in the app), a job, or still to come; absent members stay as they are. */
export const TrackChange = exactly({
  ...songChoice,
  ...partial(trackFacts),
  ...featuredArtists,
  disclosure: Type.Optional(DisclosureChange),
  ...partial(optionalTrackFacts),
  settings: Type.Optional(orNull(exactly(CHANGED_SETTINGS, 'Sound settings of this track alone; null for none.'))),
})
export type TrackChange = Static<typeof TrackChange>

/** One track of a release. */
export const Track = exactly({
  track_id: Uuid,
  position: Type.Integer({ minimum: 1, description: 'Number of the track, from 1.' }),
  source_id: Type.Optional(Uuid),
  job_id: Type.Optional(Uuid),
  state: oneOf(
    TRACK_STATES,
    'State of the song: none yet, stored, or that of its job; `gone` where it was deleted, or is no longer where a batch found it.',
  ),
  duration_seconds: Type.Optional(Type.Number({ description: 'Length of the song, s.' })),
  ...trackFacts,
  ...featuredArtists,
  disclosure: Type.Optional(Disclosure),
  ...partial(optionalTrackFacts),
  settings: Type.Optional(Type.Object(partial(SHOWN_SETTINGS), { description: 'Sound settings of this track alone.' })),
  master: Type.Optional(TrackMaster),
})
export type Track = Static<typeof Track>

const shownFacts = {
  release_id: Uuid,
  ...neededFacts,
  ...partial(optionalFacts),
  ...masteringFacts,
  settings: Type.Optional(ReleaseSettings),
  anchor_track_id: Type.Optional(Uuid),
  receivers: Type.Optional(Receivers),
  disclosure: Type.Optional(ReleaseDisclosure),
  cover: Type.Optional(StoredCover),
  created_at: Timestamp,
  changed_at: Type.String({ format: 'date-time', description: 'Time of the last change.' }),
}

/** One release with its tracks in order. */
export const Release = exactly({
  ...shownFacts,
  mastering: Mastering,
  tracks: Type.Array(Track, { description: 'Tracks in order.' }),
})
export type Release = Static<typeof Release>

/** One release as a list shows it. */
export const ReleaseSummary = exactly({
  ...shownFacts,
  track_count: Type.Integer({ description: 'Number of tracks.' }),
})
export type ReleaseSummary = Static<typeof ReleaseSummary>

const tracksToAdd = Type.Array(TrackChange, {
  minItems: 1,
  maxItems: MAX_RELEASE_TRACKS,
  description: 'Tracks in order.',
})

/** A new release. */
export const NewRelease = Type.Object(
  {
    ...neededFacts,
    ...partial(optionalFacts),
    ...partial(masteringChanges),
    receivers: Type.Optional(Receivers),
    disclosure: Type.Optional(ReleaseDisclosure),
    tracks: Type.Optional(Type.Array(TrackChange, { maxItems: MAX_RELEASE_TRACKS, description: 'Tracks in order.' })),
  },
  {
    additionalProperties: false,
    examples: [
      {
        ...{ title: '밤의 정원', artist: '하늘', kind: 'ep', release_date: '2026-05-01', upc: '036000291452' },
        ...{ language: 'ko', p_line: '2026 하늘', c_line: '2026 하늘' },
        tracks: [
          { title: '첫차', artists: ['하늘'], composers: ['김하늘'], isrc: 'KRA382400001', gap_before_seconds: 0 },
        ],
      },
    ],
  },
)
export type NewRelease = Static<typeof NewRelease>

/** Changed facts of a release; absent ones stay, and an empty optional fact is removed. */
export const ReleaseChange = exactly({
  ...partial(neededFacts),
  ...partial(optionalFacts),
  ...partial(masteringChanges),
  receivers: Type.Optional(Receivers),
  disclosure: Type.Optional(ReleaseDisclosureChange),
})
export type ReleaseChange = Static<typeof ReleaseChange>

/** New tracks for a release. */
export const NewTracks = Type.Object(
  {
    tracks: tracksToAdd,
    position: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_RELEASE_TRACKS,
        description: 'Number that the first of them gets; at the end when absent.',
      }),
    ),
  },
  {
    additionalProperties: false,
    examples: [{ tracks: [{ job_id: '7d1f6f0e-3c55-4f0e-9a34-0f6a4f3d2b11', version: 'Live' }], position: 2 }],
  },
)

/** Order of the tracks of a release. */
export const TrackOrder = exactly({
  track_ids: Type.Array(Uuid, { maxItems: MAX_RELEASE_TRACKS, description: 'Every track of the release, in order.' }),
})

/** Changes made to the duplicate of a release. */
export const DuplicateChange = exactly({
  title: Type.Optional(title('Title of the copy; that of the release when absent.')),
})

export const ReleaseQuery = exactly({
  q: Type.Optional(Type.String({ maxLength: 200, description: 'Words in title, artist or UPC.' })),
  limit: Type.Optional(PageSize),
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the page before.' })),
})
export type ReleaseQuery = Static<typeof ReleaseQuery>

export const ReleasePage = exactly({
  releases: Type.Array(ReleaseSummary, { description: 'The releases of this page, newest first.' }),
  total: Type.Integer({ description: 'Releases that match, on all pages.' }),
  next_cursor: Type.Optional(Type.String()),
})
export type ReleasePage = Static<typeof ReleasePage>

/** Releases that a table made or changed. */
export const ImportedReleases = exactly({
  releases: Type.Array(Release, { description: 'The releases that were made or changed.' }),
  ignored_columns: Type.Array(Type.String(), { description: 'Headings of columns that are not known.' }),
})
export type ImportedReleases = Static<typeof ImportedReleases>

const csvForm = {
  fields: exactly({}),
  files: { file: { required: true, description: 'The table: CSV, at most 4 MB and 500 rows.' } },
}
const importForm = {
  ...csvForm,
  fields: exactly({
    release_title: Type.Optional(title('Title of the release where the table does not say it.')),
    release_artist: Type.Optional(title('Artist of the release where the table does not say it.')),
  }),
}

// Plain strings, so a malformed identifier is an unknown one.
const ReleasePath = exactly({ release_id: Type.String() })
const TrackPath = exactly({ release_id: Type.String(), track_id: Type.String() })

const tag = 'Releases'
const changed = { 200: { description: 'The release.', schema: Release } }
const made = { 201: { description: 'The release.', schema: Release } }

export const releaseEndpoints = endpoints({
  listReleases: {
    method: 'GET',
    path: '/api/v1/releases',
    access: 'caller',
    scope: 'read',
    tag,
    summary: 'List releases (extension)',
    query: ReleaseQuery,
    answers: { 200: { description: 'One page of releases.', schema: ReleasePage } },
    errors: [],
  },
  createRelease: {
    method: 'POST',
    path: '/api/v1/releases',
    access: 'caller',
    scope: 'master',
    tag,
    summary: 'Make a release (extension)',
    headers: IdempotencyHeaders,
    body: NewRelease,
    answers: made,
    errors: ['IDEMPOTENCY_MISMATCH'],
  },
  readRelease: {
    method: 'GET',
    path: '/api/v1/releases/{release_id}',
    access: 'caller',
    scope: 'read',
    tag,
    summary: 'Read a release with its tracks (extension)',
    params: ReleasePath,
    answers: changed,
    errors: ['RELEASE_NOT_FOUND'],
  },
  changeRelease: {
    method: 'PATCH',
    path: '/api/v1/releases/{release_id}',
    access: 'caller',
    scope: 'master',
    tag,
    summary: 'Change the facts of a release (extension)',
    params: ReleasePath,
    body: ReleaseChange,
    answers: changed,
    errors: ['RELEASE_NOT_FOUND'],
  },
  deleteRelease: {
    method: 'DELETE',
    path: '/api/v1/releases/{release_id}',
    access: 'caller',
    scope: 'master',
    tag,
    summary: 'Delete a release; its songs and jobs stay (extension)',
    params: ReleasePath,
    answers: { 204: { description: 'Deleted.' } },
    errors: ['RELEASE_NOT_FOUND'],
  },
  duplicateRelease: {
    method: 'POST',
    path: '/api/v1/releases/{release_id}/duplicate',
    access: 'caller',
    scope: 'master',
    tag,
    summary: 'Make a copy of a release (extension)',
    params: ReleasePath,
    headers: IdempotencyHeaders,
    body: DuplicateChange,
    isBodyOptional: true,
    answers: made,
    errors: ['RELEASE_NOT_FOUND', 'IDEMPOTENCY_MISMATCH'],
  },
  addTracks: {
    method: 'POST',
    path: '/api/v1/releases/{release_id}/tracks',
    access: 'caller',
    scope: 'master',
    tag,
    summary: 'Add tracks to a release (extension)',
    params: ReleasePath,
    headers: IdempotencyHeaders,
    body: NewTracks,
    answers: made,
    errors: ['RELEASE_NOT_FOUND', 'TRACK_LIMIT', 'IDEMPOTENCY_MISMATCH'],
  },
  orderTracks: {
    method: 'PUT',
    path: '/api/v1/releases/{release_id}/tracks',
    access: 'caller',
    scope: 'master',
    tag,
    summary: 'Put the tracks of a release into another order (extension)',
    params: ReleasePath,
    body: TrackOrder,
    answers: changed,
    errors: ['RELEASE_NOT_FOUND'],
  },
  changeTrack: {
    method: 'PATCH',
    path: '/api/v1/releases/{release_id}/tracks/{track_id}',
    access: 'caller',
    scope: 'master',
    tag,
    summary: 'Change a track, or replace its song (extension)',
    params: TrackPath,
    body: TrackChange,
    answers: changed,
    errors: ['RELEASE_NOT_FOUND'],
  },
  removeTrack: {
    method: 'DELETE',
    path: '/api/v1/releases/{release_id}/tracks/{track_id}',
    access: 'caller',
    scope: 'master',
    tag,
    summary: 'Take a track out of a release; its song and job stay (extension)',
    params: TrackPath,
    answers: changed,
    errors: ['RELEASE_NOT_FOUND'],
  },
  planRelease: {
    method: 'GET',
    path: '/api/v1/releases/{release_id}/plan',
    access: 'caller',
    scope: 'read',
    tag,
    summary: 'Plan the mastering of a release, free (extension)',
    params: ReleasePath,
    answers: { 200: { description: 'The plan.', schema: ReleasePlan } },
    errors: ['RELEASE_NOT_FOUND', 'RELEASE_NOT_READY', 'TRACKS_NOT_CONTINUOUS', 'FILE_GONE'],
  },
  masterRelease: {
    method: 'POST',
    path: '/api/v1/releases/{release_id}/master',
    access: 'caller',
    scope: 'master',
    tag,
    summary: 'Master a release (extension)',
    params: ReleasePath,
    headers: IdempotencyHeaders,
    answers: { 202: { description: 'The release, which is being mastered.', schema: Release } },
    errors: [
      'FILE_GONE',
      'RELEASE_NOT_FOUND',
      'RELEASE_NOT_READY',
      'TRACKS_NOT_CONTINUOUS',
      'RELEASE_BUSY',
      'INSUFFICIENT_CREDITS',
      'IDEMPOTENCY_MISMATCH',
    ],
  },
  cancelRelease: {
    method: 'POST',
    path: '/api/v1/releases/{release_id}/master/cancel',
    access: 'caller',
    scope: 'master',
    tag,
    summary: 'Stop mastering a release (extension)',
    params: ReleasePath,
    answers: changed,
    errors: ['RELEASE_NOT_FOUND'],
  },
  importReleases: {
    method: 'POST',
    path: '/api/v1/releases/csv',
    access: 'caller',
    scope: 'master',
    tag,
    summary: 'Make releases from a table, one row for each track (extension)',
    headers: IdempotencyHeaders,
    form: importForm,
    answers: { 201: { description: 'The releases.', schema: ImportedReleases } },
    errors: ['FILE_TOO_LARGE', 'TRACK_LIMIT', 'IDEMPOTENCY_MISMATCH'],
  },
  readReleaseCsv: {
    method: 'GET',
    path: '/api/v1/releases/{release_id}/csv',
    access: 'caller',
    scope: 'read',
    tag,
    summary: 'Read a release as a table (extension)',
    params: ReleasePath,
    answers: { 200: { description: 'The table.', mediaTypes: ['text/csv'] } },
    errors: ['RELEASE_NOT_FOUND'],
  },
  changeReleaseByCsv: {
    method: 'PUT',
    path: '/api/v1/releases/{release_id}/csv',
    access: 'caller',
    scope: 'master',
    tag,
    summary: 'Change a release and its tracks by a table (extension)',
    params: ReleasePath,
    form: csvForm,
    answers: { 200: { description: 'The release.', schema: ImportedReleases } },
    errors: ['RELEASE_NOT_FOUND', 'FILE_TOO_LARGE', 'TRACK_LIMIT'],
  },
  putReleaseCover: {
    method: 'PUT',
    path: '/api/v1/releases/{release_id}/cover',
    access: 'caller',
    scope: 'master',
    tag,
    summary: 'Set the cover of a release (extension)',
    params: ReleasePath,
    form: {
      fields: exactly({}),
      files: { file: { required: true, description: `JPEG or PNG, at most ${MAX_COVER_BYTES / 1e6} MB.` } },
    },
    answers: changed,
    errors: ['RELEASE_NOT_FOUND', 'FILE_TOO_LARGE'],
  },
  readReleaseCover: {
    method: 'GET',
    path: '/api/v1/releases/{release_id}/cover',
    access: 'caller',
    scope: 'read',
    tag,
    summary: 'Read the cover of a release (extension)',
    params: ReleasePath,
    answers: { 200: { description: 'The picture.', mediaTypes: COVER_TYPES } },
    errors: ['RELEASE_NOT_FOUND', 'NOT_FOUND'],
  },
  removeReleaseCover: {
    method: 'DELETE',
    path: '/api/v1/releases/{release_id}/cover',
    access: 'caller',
    scope: 'master',
    tag,
    summary: 'Remove the cover of a release (extension)',
    params: ReleasePath,
    answers: changed,
    errors: ['RELEASE_NOT_FOUND'],
  },
})
