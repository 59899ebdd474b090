/** English sentences for every code of the contract: first the cause, then what to do. */
import type { ErrorCode, ErrorParams, FailureCode } from '../errors.ts'
import type { WarningCode } from '../report.ts'
import { colorModelWords } from './color-models.ts'
import { FORMAT_REASONS, type FormatReason } from './format-reasons.ts'
import { codecLabel, count, decibels, frequency, sampleRate } from './numbers.ts'
import { REQUEST_REASONS, type RequestReason, WEBHOOK_REASONS, type WebhookReason } from './reasons.ts'
import { stemReason } from './stem-reasons.ts'

const clause = (reason: unknown) => {
  const text = WEBHOOK_REASONS[reason as WebhookReason]?.en
  return text === undefined ? '' : `: ${text}`
}

type Sentence = string | ((values: ErrorParams) => string)

const formatReason = (reason: unknown) => (FORMAT_REASONS[reason as FormatReason] ?? FORMAT_REASONS.unknown).en

const coverFault: Record<string, string> = {
  format: 'it is not a JPEG, PNG, WebP, GIF, BMP or TIFF image',
  size: 'it is too large',
  broken: 'it cannot be read',
}

const places = (number: number) => `${count(number)} ${number === 1 ? 'place' : 'places'}`

const who = (values: ErrorParams) => (values.field === 'reference_file' ? 'The reference' : 'The file')

const loss: Record<string, string> = {
  stopped: 'the last of them was stopped',
  disk_full: 'the disk of the last of them was full',
  ffmpeg: 'the last of them had no ffmpeg that works',
  files: 'the song could not be brought to the last of them, or its masters back',
}

const noFfmpeg = 'No ffmpeg was found. Install ffmpeg 5.1 or newer, or select one in Settings.'
const ffmpegToConfirm = (lack: string) =>
  `The selected ffmpeg ${lack === 'ffmpeg_changed' ? 'has changed since it was confirmed' : 'was never confirmed'}, so it is not run. Settings shows how to confirm it.`
const brokenFfmpeg =
  'ffmpeg does not work: it cannot read or write files in the data folder, or cannot decode even a known good file. Choose another ffmpeg in Settings; `loudsmith doctor` shows what is wrong.'

export const errors: Record<ErrorCode, Sentence> = {
  FILE_TOO_LARGE: (v) =>
    `${who(v)} is larger than ${v.maxMegabytes ?? 50} MB. Export it as FLAC or at a lower resolution.`,
  UNSUPPORTED_FORMAT: (v) => formatReason(v.reason),
  FILE_TOO_LONG: (v) =>
    `${who(v)} is ${v.duration ? `${v.duration} long` : 'too long'}. The limit is 10 minutes: shorten it and send it again.`,
  INVALID_PLATFORM: (v) =>
    `${v.platform ? `"${v.platform}" is not a platform.` : v.sentAs ? `The platforms were sent as "${v.sentAs}". Name the field "platforms", without brackets.` : 'No platform was given.'} Use a comma-separated list of: ${v.allowed}.`,
  INVALID_API_KEY:
    'The API key is missing, unknown, revoked or suspended. Send "Authorization: Bearer <key>" with a key from Settings.',
  INSUFFICIENT_CREDITS: (v) =>
    `This ${Number(v.cost ?? 1) === 1 ? 'job costs 1 credit' : `release costs ${v.cost} credits`} and the balance is ${v.balance ?? 0}. Add credits in Settings.`,
  CONCURRENT_LIMIT: (v) =>
    v.reason === 'sessions'
      ? `This key has ${v.limit} open MCP sessions, which is the limit. End one with DELETE /mcp and its Mcp-Session-Id; one that is unused for 10 minutes makes room by itself.`
      : v.reason === 'links_of_job'
        ? `This key has ${v.limit} working links to this result, which is the limit. End one with DELETE /api/v1/jobs/{job_id}/links/{link_id}; GET /api/v1/jobs/{job_id}/links lists them.`
        : v.reason === 'links'
          ? `This key has ${v.limit} working links, which is the limit. End some with DELETE /api/v1/jobs/{job_id}/links/{link_id}, or let them end with their time.`
          : v.reason === 'streams'
            ? `This key has ${v.limit} open event streams, which is the limit. Close one; its events go on with Last-Event-ID.`
            : `${v.limit ? `${v.limit === 1 ? '1 job is' : `${v.limit} jobs are`} unfinished, which is the limit of the plan.` : 'Another job is still running.'} Try again when a job has finished.`,
  RATE_LIMIT: (v) => `The plan allows ${v.limit} requests a minute. Try again in ${v.retryAfterSeconds} s.`,
  INVALID_REQUEST: (v) =>
    REQUEST_REASONS[v.reason as RequestReason]?.en ??
    `The value of "${v.param}" cannot be used. ${v.cause ?? 'Check how it is written.'}`,
  INVALID_WEBHOOK_URL: (v) =>
    `The webhook address cannot be used${clause(v.reason)}. Use an absolute http or https address that is not this server.`,
  TRIMMED_AWAY: (v) => `These trims leave ${v.leftSeconds} s of the song. At least ${v.seconds} s must stay.`,
  FADES_OVERLAP: (v) =>
    `Both fades together take ${v.seconds} s, and ${v.leftSeconds} s of the song stay. Shorten one.`,
  UNUSABLE_STEMS: (v) => stemReason(v, 'en'),
  FORBIDDEN: (v) =>
    v.neededScope
      ? `This key has the scope "${v.scope}", and this needs "${v.neededScope}". Use a key with that scope; Settings and "loudsmith keys create" make them.`
      : 'Requests are accepted only from this computer and from Loudsmith itself. Call http://127.0.0.1 directly, and use /app only from the application.',
  OWNER_REQUIRED:
    'Only the owner can do this. Use the window of the application, or the command "loudsmith" in a terminal ("npm run cli --" in its source folder).',
  PATH_NOT_ALLOWED:
    'There is no such file or folder among those that the owner has allowed. Check the full path, or allow the folder with "loudsmith allow FOLDER".',
  NOT_FOUND: (v) =>
    v.reason === 'session'
      ? 'This MCP session has ended, as each does when Loudsmith restarts. Send "initialize" without Mcp-Session-Id to begin a new one.'
      : v.reason === 'trailing_slash'
        ? 'Nothing exists at this address because it ends with a slash. Leave out the slash at its end.'
        : v.reason === 'preset'
          ? 'No preset has this name. GET /api/v1/presets lists all presets.'
          : 'Nothing exists at this address. See /docs for all addresses.',
  JOB_NOT_FOUND: 'There is no such job. It may have been deleted; GET /api/v1/jobs lists all jobs.',
  RELEASE_NOT_FOUND:
    'There is no such release, or no such track in it. It may have been deleted; GET /api/v1/releases lists all releases.',
  BATCH_NOT_FOUND: 'There is no such batch. GET /api/v1/batches lists the newest.',
  LINK_NOT_FOUND: 'This link does not work. It has ended or was taken back, or its result is gone; ask for a new one.',
  METHOD_NOT_ALLOWED: (v) => `This address accepts only ${v.allow}.`,
  REQUEST_TIMEOUT: 'The request stopped before it was complete. Send it again without a pause.',
  JOB_NOT_READY: 'The job is not done yet. Try again shortly.',
  JOB_FAILED: 'The job failed, so it has no result. Read the job for the reason.',
  AUDITION_NOT_READY: 'The exact master is still being rendered. Play the estimate, or try again shortly.',
  CEILING_NOT_HELD:
    'With these settings the master cannot be kept under its true-peak ceiling. Choose a lower intensity or less loudness.',
  IDEMPOTENCY_IN_PROGRESS: 'The request with this Idempotency-Key is still running. Try again shortly.',
  KEY_LIMIT: (v) =>
    v.limit === 0
      ? `The ${v.plan} plan has no API keys. Choose a larger plan.`
      : `The ${v.plan} plan allows ${v.limit} API keys. Revoke one or choose a larger plan.`,
  WEBHOOK_LIMIT: (v) =>
    v.limit === 0
      ? `The ${v.plan} plan has no webhooks. Choose a larger plan.`
      : `The ${v.plan} plan allows ${v.limit} webhooks. Remove one or choose a larger plan.`,
  STEM_SET_LIMIT: (v) =>
    `${v.reason === 'bytes' ? `Sets of stems may take ${v.gigabytes} GB together, and this one does not fit` : `There are ${v.limit} sets of stems without a job, which is the limit`}. Master one, or remove one with DELETE /api/v1/sources/{source_id}; GET /api/v1/sources lists them.`,
  PRESET_NAME_TAKEN: (v) => `A preset named “${v.name}” already exists. Choose another name.`,
  TRACK_LIMIT: (v) => `A release has at most ${v.limit} tracks. Remove some, or make another release.`,
  RELEASE_NOT_READY: (v) => {
    if (v.reason === 'no_platform')
      return 'The release has no platform for which every track has a master. Master all tracks for one platform.'
    if (v.track === undefined) return 'The release has no tracks. Add some first.'
    const track = `Track ${v.track}${v.title ? ` (“${v.title}”)` : ''}`
    if (v.format !== undefined)
      return `${track} has no ${v.format} file, and no master to make it from. Master it with this format, or leave the format out.`
    if (v.reason === 'no_song') return `${track} has no song, or its file is gone. Give it a stored song or a job.`
    return v.reason === 'no_release_master'
      ? `${track} has no release master. Master it with one, or export the masters of a platform.`
      : `${track} has no finished master. Master it, or give the track a finished job.`
  },
  TRACKS_NOT_CONTINUOUS: (v) => {
    const track = `Track ${v.track}${v.title ? ` (“${v.title}”)` : ''}`
    if (v.reason === 'length')
      return `The tracks that go over into each other from track ${v.track} on are longer than ${v.seconds} s together. Let one of them end by itself.`
    const both = `${track} cannot go over into the next one`
    if (v.reason === 'rate') return `${both}: their songs have different sample rates. Give both the same rate.`
    if (v.reason === 'channels') return `${both}: one song is mono and the other stereo. Give both the same channels.`
    if (v.reason === 'gap') return `${both}: there is a gap between them. Set the gap before the next track to 0 s.`
    if (v.reason === 'fade')
      return `${both}: there is a fade between them. Set the fade out of it, and the fade in of the next, to 0 s.`
    return `${both}: both share one sound, and their own settings differ. Give both the same settings, or none.`
  },
  RELEASE_BUSY: 'The release is being mastered. Wait until it is done, or cancel it first.',
  FOLDER_TAKEN: (v) =>
    v.file !== undefined
      ? `“${v.file}” in the folder “${v.folder}” was changed, and is not overwritten. Move it away, or export into another folder.`
      : `The folder “${v.folder ?? 'of this name'}” exists and holds other files. Rename or move it, or export into another folder.`,
  RESULT_EXPIRED: 'The result is no longer kept: its retention period is over. Master the song again.',
  FILE_GONE: (v) =>
    `${v.file === undefined ? 'A file' : `“${v.file}”`} is gone: it was moved, deleted or changed since its batch, or its folder was taken off the allowed ones. Put it back as it was, or master the song again.`,
  TICKET_SPENT: 'This link has been used already or is more than five minutes old. Run "loudsmith open" for a new one.',
  UNSUPPORTED_MEDIA_TYPE: (v) =>
    v.encoding === undefined
      ? `Send this request as ${v.expected}.`
      : `The body is encoded as ${v.encoding}, which is not supported. Send it without Content-Encoding.`,
  PRECONDITION_FAILED: 'The file is not the one that If-Match names. Repeat the request without If-Match.',
  RANGE_NOT_SATISFIABLE: 'The range is outside the file. Content-Range gives the length of the file.',
  IDEMPOTENCY_MISMATCH: (v) =>
    v.name === undefined
      ? 'This Idempotency-Key was used with another request. Use a new one.'
      : `This ${v.name} was used with another manifest. Use a new one.`,
  INTERNAL_ERROR: 'Something failed inside Loudsmith. Try again; if it happens again, quote the request id.',
  UNAVAILABLE: (v) =>
    v.reason === 'ffmpeg_missing'
      ? noFfmpeg
      : v.reason === 'ffmpeg_unconfirmed' || v.reason === 'ffmpeg_changed'
        ? ffmpegToConfirm(v.reason)
        : v.reason === 'ffmpeg_broken'
          ? brokenFfmpeg
          : v.reason === 'no_encoder'
            ? `This ffmpeg has no encoder for ${v.codec}. Choose an ffmpeg with it in Settings.`
            : v.reason === 'signing_key'
              ? `The key that signs certificates is damaged: ${v.file}. Put the file back from a backup, or move it elsewhere and keep it; Loudsmith then makes a new key, and certificates made so far count as signed by another.`
              : 'Loudsmith is starting, stopping or busy. Try again shortly.',
  AUDITION_ENDED:
    'The engine that plays songs with new settings has stopped. It starts again with the next try; no job, credit or file is affected.',
  INSUFFICIENT_STORAGE: 'There is not enough space on the disk. Free some space or raise the quota in Settings.',
}

export const failures: Record<FailureCode, Sentence> = {
  CANCELLED: 'cancelled',
  DIGITAL_SILENCE: 'The song is silent or nearly silent. Export it again with sound.',
  TOO_SHORT: 'The song is shorter than one second. Export the whole song.',
  UNREADABLE_AUDIO:
    'The stored song can no longer be read as it was when it was added. Add it again; if that does not help, export it again.',
  INVALID_SAMPLES: (v) =>
    `${v.percent ?? 'Too many'}${v.percent === undefined ? '' : ' %'} of the samples in this file are not numbers or far beyond any level, so it holds no usable sound. Export the song again.`,
  CEILING_BROKEN: (v) =>
    `A master for ${v.platform ?? 'a platform'} could not be kept under its true-peak ceiling, so nothing was delivered. Try a lower intensity.`,
  ENGINE_CRASHED:
    'The engine stopped three times while working on this song. Try again, or use another ffmpeg; the log names the cause.',
  OUT_OF_MEMORY:
    'The computer ran out of memory three times while mastering this song. Close other programs, or master fewer songs at once, and try again.',
  MACHINES_LOST: (v) =>
    `Ten times a machine could not finish this song; ${loss[v.reason ?? ''] ?? 'the last of them no longer answered'}. Look after the machines, and try again.`,
  ENGINE_TIMEOUT: 'The engine exceeded its time limit and was stopped. Try again when the computer is less busy.',
  SOURCE_LOST: 'The stored song is gone from the disk. Add it again.',
  REFERENCE_LOST: 'The stored reference is gone from the disk. Add it again, or master without it.',
  REFERENCE_UNREADABLE: (v) =>
    v.percent !== undefined
      ? `${v.percent} % of the samples in the reference are not numbers or far beyond any level. Export it again, choose another one, or master without it.`
      : 'The stored reference can no longer be read as it was when it was added. Add it again, choose another one, or master without it.',
  DISK_FULL: 'The disk filled up while the masters were written. Free some space and try again.',
  FFMPEG_MISSING:
    'No usable ffmpeg was found. Install ffmpeg 5.1 or newer, or select or confirm one in Settings, then try again.',
  FFMPEG_BROKEN: brokenFfmpeg,
  ENCODER_MISSING: (v) =>
    `This ffmpeg cannot write ${v.codec ?? 'one of the formats'}. Choose another ffmpeg in Settings, or leave that format out.`,
  ENGINE_FAILED: 'The engine failed on this song. Export it again and try again; the log names the cause.',
}

export const warnings: Record<WarningCode, Sentence> = {
  INPUT_CLIPPED: (v) =>
    v.perSecond === undefined
      ? `Peaks are clipped in ${v.count === undefined ? 'several places' : places(Number(v.count))}. Mastering rebuilds them.`
      : 'The song is clipped throughout, so clipping is treated as part of its sound. If that was not intended, export it again with less gain.',
  INPUT_LIMITED: 'The song is already heavily limited. There is little room for more loudness.',
  INPUT_LOSSY: (v) =>
    `The song is ${v.codec ? `encoded as ${v.codec}` : 'lossily encoded'}. A WAV or FLAC export will sound better.`,
  INPUT_OTHER_TRACKS: (v) =>
    `The file has ${v.count} tracks of sound. Track ${v.track} is used, which players choose. For another one, export it alone.`,
  INPUT_RESAMPLED: (v) =>
    `The song was resampled from ${sampleRate(Number(v.fromHz))} to ${sampleRate(Number(v.toHz))}.`,
  INPUT_CUT_SHORT: (v) =>
    `According to its header the file is ${v.claimed} long, but it contains only ${v.held}. If its end is missing, export or download it again.`,
  INPUT_HOLDS_MORE: (v) =>
    `According to its header the file is ${v.counted} long; about ${v.more} more follows and is not used. If the song is longer, export it again.`,
  INPUT_DAMAGED: (v) =>
    `The file is damaged: about ${v.seconds} s of it cannot be read and is missing or silent. Export or download it again.`,
  INPUT_SAMPLES_DAMAGED: (v) => {
    const isOne = v.count === 1
    const others = v.morePlaces === undefined ? '' : ` and in ${places(Number(v.morePlaces))} more`
    return `${isOne ? '1 sample is' : `${count(Number(v.count))} samples are`} damaged (not a number, or far above the music), at ${v.places}${others}. ${isOne ? 'It was' : 'They were'} replaced by what lies around ${isOne ? 'it' : 'them'}; export the song again if you hear it.`
  },
  INPUT_MONO: 'The song is mono. Its masters have two equal channels.',
  INPUT_DEAD_CHANNEL: (v) => `The ${v.channel === 'left' ? 'left' : 'right'} channel is silent. It is left as it is.`,
  INPUT_OUT_OF_PHASE: (v) =>
    Number(v.lossDb) >= 30
      ? 'Left and right cancel each other: in mono almost nothing remains. Check whether one channel is inverted.'
      : `Left and right partly cancel each other: in mono the song is ${decibels(Number(v.lossDb), 1)} dB quieter. Check whether one channel is inverted.`,
  INPUT_NEAR_SILENT_EDGES: ({ startSeconds = 0, endSeconds = 0 }) => {
    const start = `${startSeconds} s of silence at its start`
    if (endSeconds === 0) return `The song has ${start}.`
    return startSeconds === 0
      ? `The song has ${endSeconds} s of silence at its end.`
      : `The song has ${start} and ${endSeconds} s at its end.`
  },
  INPUT_BREAKS_OFF: 'The song ends abruptly. Extend it in the generator or fade it out, unless this is intended.',
  INPUT_BAND_LIMITED: (v) =>
    `The song contains nothing above ${frequency(Number(v.cutoffHz))}. No high frequencies are added.`,
  INPUT_MUFFLED:
    'The song is muffled: its treble falls away early. Its highs are not cut, and they are lifted only toward a genre or a reference.',
  INPUT_HIGHS_LOST_IN_MONO: (v) =>
    `Between 6 and 14 kHz the two channels have nothing in common: mono playback loses ${decibels(Number(v.lossDb), 1)} dB of treble there. They are left alone; "Sides above 6 kHz" (highs_side_db) turns their sides down if wanted.`,
  INPUT_PROVENANCE_DROPPED:
    'The song contains a provenance manifest that mastering makes invalid. It is not copied; the export of a release carries it on.',
  INPUT_COVER_DROPPED: (v) =>
    `The cover was left out because ${coverFault[String(v.reason)] ?? coverFault.broken}. Add a JPEG or PNG to the song if the masters need a cover.`,
  INPUT_PICTURES_DROPPED: (v) =>
    `The masters contain only the cover: ${v.count === 1 ? 'one more picture' : `${v.count ?? 'more'} further pictures`} of the song ${v.count === 1 ? 'was' : 'were'} left out.`,
  COVER_UNUSUAL: (v) =>
    `The cover has ${v.widthPx} × ${v.heightPx} pixels. Shops ask for a square of at least 1400 pixels a side.`,
  COVER_NOT_RGB: (v) =>
    `The cover is ${colorModelWords(v.colorModel).en}. Shops ask for RGB: convert it to RGB with 8 bits for each channel.`,
  INPUT_TAGS_CUT: (v) => `These tags are too long and were cut: ${v.names ?? 'some'}.`,
  REFERENCE_LOSSY: 'The reference is lossy. It is matched only up to its own bandwidth.',
  REFERENCE_IS_TARGET: 'The reference is the song itself, so there is nothing to match.',
  REFERENCE_NOT_COMPARABLE:
    'The reference cannot be compared: it is silent, out of phase, or contains only a few tones. It was not used. Choose another track.',
  RECIPE_OF_OTHER_SONG:
    'The recipe was made for another song, or for another cut of this one. Its stages are used as written; repairs, gain and limiter are planned anew.',
  RECIPE_ROUNDED:
    'The recipe was written by an older version, with rounded numbers and without its targets: the masters come close, but are not the same.',
  TARGET_NOT_REACHED: (v) =>
    `The master is ${v.missingLu} LU below its target. More loudness would have cost too much sound quality.`,
  IGNORED_FIELD: (v) => `The field "${v.field}" does not exist and was ignored. Check its spelling.`,
  CODEC_OVERSHOOT: (v) => `After ${codecLabel(v.codec)} the peaks reach ${v.truePeakDbtp} dBTP.`,
}
