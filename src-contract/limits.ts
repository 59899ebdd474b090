/** Limits for clients. Sizes are bytes, durations seconds. */

/** Largest `file` and `reference_file` of `POST /api/v1/master`, inclusive: 50 MB (specification section 4.1). */
export const MAX_UPLOAD_BYTES = 52_428_800
/** Largest song that only the app may store as a source. */
export const MAX_SOURCE_BYTES = 1_073_741_824
/** Longest song (specification section 4.1). */
export const MAX_DURATION_SECONDS = 600
/** Encoder padding allowed on top of a song of exactly the limit. */
export const DURATION_TOLERANCE_SECONDS = 0.1
/** Shortest song that can be mastered: loudness needs two gating blocks and music needs more. */
export const MIN_DURATION_SECONDS = 1
/** Most references of a job, files and saved targets together. */
export const MAX_REFERENCES = 4
/** Shortest reference track. */
export const MIN_REFERENCE_SECONDS = 5
/** Longest webhook address in characters. */
export const MAX_URL_LENGTH = 2048
/** Longest title or artist in characters (Unicode code points). */
export const MAX_TITLE_LENGTH = 200
/** Most entries on one page of a list. */
export const MAX_PAGE_SIZE = 100
/** Default port of the service. */
export const DEFAULT_PORT = 47310
/** Fixed prefix of every API key. */
export const KEY_PREFIX = 'ams_live_'
/** Longest life of an API key that has an end, seconds: ten years. */
export const MAX_KEY_SECONDS = 315_360_000
/** Longest and default lifetime of a link to a result, seconds. */
export const MAX_LINK_SECONDS = 604_800
export const DEFAULT_LINK_SECONDS = 86_400
/** Most working links of one key to the result of one job, and to all results; the application has the same limits. */
export const MAX_LINKS_PER_JOB = 20
export const MAX_LINKS_PER_KEY = 100
/** Most open event streams of one key. */
export const MAX_STREAMS_PER_KEY = 32
/** Default retention of finished masters, days. */
export const DEFAULT_RETENTION_DAYS = 30
/** Lifetime of the link of the page, which can be opened once, seconds. */
export const TICKET_SECONDS = 300
/** Longest and default passage of a preview. */
export const MAX_PREVIEW_SECONDS = 30
export const DEFAULT_PREVIEW_SECONDS = 20
/** Shortest passage of a preview. */
export const MIN_PREVIEW_SECONDS = 1
/** Most tracks of a release. */
export const MAX_RELEASE_TRACKS = 100
/** Most persons named in one field of a track. */
export const MAX_NAMES = 20
/** Longest copyright line, label or genre of a release, characters. */
export const MAX_LINE_LENGTH = 300
/** Longest lyrics of a request, characters: as UTF-8 they fit a text field of 64 KiB. */
export const MAX_LYRICS_LENGTH = 20_000
/** Shortest side that shops advise for a cover, pixels. */
export const ADVISED_COVER_PX = 1400
/** Longest gap before a track, and longest fade, seconds. */
export const MAX_GAP_SECONDS = 60
/** Largest cover picture of a release, bytes: our limit, within that of every upload form. */
export const MAX_COVER_BYTES = 10_000_000
/** Most engine processes of any machine: no current system has more cores. */
export const MAX_ENGINE_WORKERS = 1024
/** Most presets. */
export const MAX_PRESETS = 100
/** Most folders that the owner allows. */
export const MAX_ALLOWED_FOLDERS = 100
/** Most songs of one manifest, and its largest size, bytes. */
export const MAX_MANIFEST_SONGS = 10_000
export const MAX_MANIFEST_BYTES = 33_554_432

/** Longest reference that a client keeps with its job, characters, and its largest JSON object, bytes of UTF-8. */
export const MAX_CLIENT_REFERENCE_LENGTH = 200
export const MAX_CLIENT_METADATA_BYTES = 1024

/** Open sessions of the Model Context Protocol of one API key. */
export const MAX_MCP_SESSIONS = 16

/** Longest time that a request for a job waits for its end, s. */
export const MAX_WAIT_SECONDS = 30

/** Longest sentence about the sound that is turned into settings, characters. */
export const MAX_WORDS_LENGTH = 500

/** Largest recipe of a request, bytes of JSON. */
export const MAX_RECIPE_BYTES = 4_194_304
