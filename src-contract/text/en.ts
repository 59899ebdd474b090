/** English sentences for every code of the contract: the cause, then what to do. */
import type { ErrorCode, ErrorParams, FailureCode } from '../errors.ts'
import type { WarningCode } from '../report.ts'
import { FORMAT_REASONS, type FormatReason } from './format-reasons.ts'
import { codecLabel, count, decibels, frequency, sampleRate } from './numbers.ts'
import { REQUEST_REASONS, type RequestReason, WEBHOOK_REASONS, type WebhookReason } from './reasons.ts'

const clause = (reason: unknown) => {
  const text = WEBHOOK_REASONS[reason as WebhookReason]?.en
  return text === undefined ? '' : `: ${text}`
}

type Sentence = string | ((values: ErrorParams) => string)

const formatReason = (reason: unknown) => (FORMAT_REASONS[reason as FormatReason] ?? FORMAT_REASONS.unknown).en

const coverFault: Record<string, string> = {
  format: 'it is no JPEG, PNG, WebP, GIF, BMP or TIFF',
  size: 'it is too large',
  broken: 'it cannot be read',
}

const places = (number: number) => `${count(number)} ${number === 1 ? 'place' : 'places'}`

const who = (values: ErrorParams) => (values.field === 'reference_file' ? 'The reference' : 'The file')

const noFfmpeg = 'No ffmpeg was found. Install ffmpeg 5.1 or newer, or name one in Settings.'
const ffmpegToConfirm = (lack: string) =>
  `The ffmpeg that is set ${lack === 'ffmpeg_changed' ? 'is another file than was confirmed' : 'was never confirmed'}, so it is not run. Settings shows how to confirm it.`
const brokenFfmpeg =
  'ffmpeg does not work: it cannot read or write files in the data folder, or not even a file that is good. Choose another ffmpeg in Settings; `loudsmith doctor` shows what is wrong.'

export const errors: Record<ErrorCode, Sentence> = {
  FILE_TOO_LARGE: (v) =>
    `${who(v)} is larger than ${v.maxMegabytes ?? 50} MB. Export it as FLAC or at a lower resolution.`,
  UNSUPPORTED_FORMAT: (v) => formatReason(v.reason),
  FILE_TOO_LONG: (v) =>
    `${who(v)} is ${v.duration ? `${v.duration} long` : 'too long'}. The limit is 10 minutes: shorten it and send it again.`,
  INVALID_PLATFORM: (v) =>
    `${v.platform ? `"${v.platform}" is not a platform.` : 'No platform is named.'} Use a comma-separated list of: ${v.allowed}.`,
  INVALID_API_KEY:
    'The API key is missing, unknown, revoked or suspended. Send "Authorization: Bearer <key>" with a key from Settings.',
  INSUFFICIENT_CREDITS: (v) =>
    `This job costs ${v.cost ?? 1} credit and the balance is ${v.balance ?? 0}. Add credits in Settings.`,
  CONCURRENT_LIMIT: (v) =>
    `${v.limit ? `${v.limit === 1 ? '1 job is' : `${v.limit} jobs are`} unfinished, as many as the plan allows.` : 'Another one is still running.'} Try again when one has ended.`,
  RATE_LIMIT: (v) => `The plan allows ${v.limit} requests a minute. Try again in ${v.retryAfterSeconds} s.`,
  INVALID_REQUEST: (v) =>
    REQUEST_REASONS[v.reason as RequestReason]?.en ??
    `The value of "${v.param}" cannot be used. ${v.cause ?? 'See /docs for what it takes.'}`,
  INVALID_WEBHOOK_URL: (v) =>
    `The webhook address cannot be used${clause(v.reason)}. Use an absolute http or https address that is not this server.`,
  FORBIDDEN:
    'Requests are taken from this computer and from Loudsmith itself only. Call http://127.0.0.1 directly, and /app from the application.',
  OWNER_REQUIRED:
    'Only the owner can do this. Use the window of the application, or the command "loudsmith" in a terminal ("npm run cli --" in its source folder).',
  NOT_FOUND: 'There is nothing at this address. See /docs for what there is.',
  JOB_NOT_FOUND: 'There is no such job. It may have been deleted; GET /api/v1/jobs lists those that are there.',
  METHOD_NOT_ALLOWED: (v) => `This address takes ${v.allow}.`,
  REQUEST_TIMEOUT: 'The request stopped coming before it was whole. Send it again without a pause.',
  JOB_NOT_READY: 'The job is not done yet. Try again shortly.',
  JOB_FAILED: 'The job failed, so it has no result. Read the job for the reason.',
  IDEMPOTENCY_IN_PROGRESS: 'The request with this Idempotency-Key is still running. Try again shortly.',
  KEY_LIMIT: (v) =>
    v.limit === 0
      ? `The plan ${v.plan} has no API keys. Choose a larger plan.`
      : `The plan ${v.plan} allows ${v.limit} API keys. Revoke one or choose a larger plan.`,
  WEBHOOK_LIMIT: (v) =>
    v.limit === 0
      ? `The plan ${v.plan} has no webhooks. Choose a larger plan.`
      : `The plan ${v.plan} allows ${v.limit} webhooks. Remove one or choose a larger plan.`,
  PRESET_NAME_TAKEN: (v) => `There is a preset “${v.name}” already. Give each preset a name of its own.`,
  RESULT_EXPIRED: 'The result was kept for its retention period and is gone. Master the song again.',
  TICKET_SPENT: 'This link was used already or is over five minutes old. Run "loudsmith open" for a new one.',
  UNSUPPORTED_MEDIA_TYPE: (v) =>
    v.encoding === undefined
      ? `Send this request as ${v.expected}.`
      : `The body is encoded as ${v.encoding}, which is not taken. Send it as it is, without Content-Encoding.`,
  PRECONDITION_FAILED: 'The file is not the one that If-Match names. Ask again without it.',
  RANGE_NOT_SATISFIABLE: 'The range lies outside the file. Content-Range says how long it is.',
  IDEMPOTENCY_MISMATCH: 'This Idempotency-Key was used with another request. Use a new one.',
  INTERNAL_ERROR: 'Something failed inside Loudsmith. Try again; if it stays, quote the request id.',
  UNAVAILABLE: (v) =>
    v.reason === 'ffmpeg_missing'
      ? noFfmpeg
      : v.reason === 'ffmpeg_unconfirmed' || v.reason === 'ffmpeg_changed'
        ? ffmpegToConfirm(v.reason)
        : v.reason === 'ffmpeg_broken'
          ? brokenFfmpeg
          : 'Loudsmith is starting, stopping or busy. Try again shortly.',
  INSUFFICIENT_STORAGE: 'There is not enough room on the disk. Free some space or raise the quota in Settings.',
}

export const failures: Record<FailureCode, Sentence> = {
  CANCELLED: 'cancelled',
  DIGITAL_SILENCE: 'The song is digital silence or nearly so. Export it again with sound.',
  TOO_SHORT: 'The song is shorter than one second. Export the whole of it.',
  UNREADABLE_AUDIO:
    'The stored song could not be read as it was when it was added. Add it again; if it stays, export it again.',
  CEILING_BROKEN: (v) =>
    `A master for ${v.platform ?? 'a platform'} could not be kept under its true-peak ceiling, so nothing was delivered. Try a lower intensity.`,
  ENGINE_CRASHED:
    'The engine stopped three times while working on this song. Try once more, or with another ffmpeg; the log names the cause.',
  OUT_OF_MEMORY:
    'The computer ran out of memory three times while mastering this song. Close other programs, or master fewer songs at once, and try again.',
  ENGINE_TIMEOUT: 'The engine took longer than it may and was stopped. Try again when the computer is less busy.',
  SOURCE_LOST: 'The stored song is gone from the disk. Add it again.',
  REFERENCE_LOST: 'The stored reference is gone from the disk. Add it again, or master without it.',
  REFERENCE_UNREADABLE:
    'The stored reference could not be read as it was when it was added. Add it again, choose another one, or master without it.',
  DISK_FULL: 'The disk filled up while the masters were written. Free some space and try again.',
  FFMPEG_MISSING:
    'There was no ffmpeg that may be run. Install ffmpeg 5.1 or newer, or name or confirm one in Settings; then try again.',
  FFMPEG_BROKEN: brokenFfmpeg,
  ENGINE_FAILED: 'The engine failed on this song. Export it again and try once more; the log names the cause.',
}

export const warnings: Record<WarningCode, Sentence> = {
  INPUT_CLIPPED: (v) =>
    v.perSecond === undefined
      ? `Peaks are clipped in ${v.count === undefined ? 'several places' : places(Number(v.count))}. Mastering rebuilds them.`
      : 'The song is clipped throughout, which is taken for its sound. If that was not meant, export it again with less gain.',
  INPUT_LIMITED: 'The song is already limited hard. There is little left to gain in loudness.',
  INPUT_LOSSY: (v) =>
    `The song is ${v.codec ? `encoded as ${v.codec}` : 'lossily encoded'}. A WAV or FLAC export will sound better.`,
  INPUT_RESAMPLED: (v) =>
    `The song was resampled from ${sampleRate(Number(v.fromHz))} to ${sampleRate(Number(v.toHz))}.`,
  INPUT_CUT_SHORT: (v) =>
    `The file says that it is ${v.claimed} long, but holds ${v.held}. If its end is missing, export or download it again.`,
  INPUT_HOLDS_MORE: (v) =>
    `The file says that it is ${v.counted} long; about ${v.more} more lies behind that and is not used. If the song is longer, export it again.`,
  INPUT_DAMAGED: (v) =>
    `The file is damaged: about ${v.seconds} s of it cannot be read and is missing or silent. Export or download it again.`,
  INPUT_MONO: 'The song is mono. Its masters have two equal channels.',
  INPUT_DEAD_CHANNEL: (v) => `The ${v.channel === 'left' ? 'left' : 'right'} channel is silent. It is left as it is.`,
  INPUT_OUT_OF_PHASE: (v) =>
    Number(v.lossDb) >= 30
      ? 'Left and right cancel each other: in mono hardly anything is left. Check whether one channel is inverted.'
      : `Left and right partly cancel each other: in mono the song is ${decibels(Number(v.lossDb), 1)} dB quieter. Check whether one channel is inverted.`,
  INPUT_NEAR_SILENT_EDGES: ({ startSeconds = 0, endSeconds = 0 }) => {
    const start = `${startSeconds} s of silence at its start`
    if (endSeconds === 0) return `The song has ${start}.`
    return startSeconds === 0
      ? `The song has ${endSeconds} s of silence at its end.`
      : `The song has ${start} and ${endSeconds} s at its end.`
  },
  INPUT_BREAKS_OFF:
    'The song breaks off while it still sounds. Extend it in the generator or fade it out, unless that is meant.',
  INPUT_BAND_LIMITED: (v) => `There is nothing above ${frequency(Number(v.cutoffHz))}. No air is invented there.`,
  INPUT_PROVENANCE_DROPPED:
    'The song carries a provenance manifest that a new rendering makes invalid. It is not copied.',
  INPUT_COVER_DROPPED: (v) =>
    `The cover was left out because ${coverFault[String(v.reason)] ?? coverFault.broken}. Put a JPEG or PNG into the song if its masters need one.`,
  INPUT_PICTURES_DROPPED: (v) =>
    `The masters carry the cover only: ${v.count === 1 ? 'one more picture' : `${v.count ?? 'more'} further pictures`} of the song ${v.count === 1 ? 'was' : 'were'} left out.`,
  INPUT_TAGS_CUT: (v) => `These tags are too long and were cut: ${v.names ?? 'some'}.`,
  REFERENCE_LOSSY: 'The reference is lossily encoded. It is followed only up to its own bandwidth.',
  REFERENCE_IS_TARGET: 'The reference is the song itself, so there is nothing to match.',
  REFERENCE_NOT_COMPARABLE:
    'The reference cannot be compared: it is silent, out of phase, or holds only a few tones. It was not followed. Choose another track.',
  TARGET_NOT_REACHED: (v) =>
    `The master stops ${v.missingLu} LU below its target. Going on would have cost more than it gives.`,
  IGNORED_FIELD: (v) => `There is no field "${v.field}" here, so it was ignored. See /docs for those there are.`,
  CODEC_OVERSHOOT: (v) => `After ${codecLabel(v.codec)} the peaks reach ${v.truePeakDbtp} dBTP.`,
}
