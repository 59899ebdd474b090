/** Answers with ranges of a WAV that is made while it is sent. */
import { Readable } from 'node:stream'
import { wavHead } from '../../src-worker/media/wav.ts'
import { type FileAnswer, type FileRequest, selectionOf } from '../artifacts/send-file.ts'

/** A WAV of two channels whose samples are made on demand. */
export interface VirtualWav {
  readonly frames: number
  readonly sampleRateHz: number
  readonly bitDepth: 16 | 24
  /** Entity tag without quotes. */
  readonly tag: string
  readonly filename: string
  /** Returns the interleaved PCM of some frames; the same at every request. */
  readonly read: (firstFrame: number, frames: number) => Promise<Uint8Array>
}

const CHANNELS = 2
/** Length of the first piece, which is waited for, and of each that follows, s. */
const FIRST_SECONDS = 2
const NEXT_SECONDS = 5

/**
 * Returns the answer to a GET of the WAV, whole or a range, or to a HEAD. The first piece is read before the answer starts, so an error in
 * it becomes the answer. Throws as `fileAnswer` does.
 */
export async function virtualAnswer(wav: VirtualWav, request: FileRequest): Promise<FileAnswer> {
  const head = wavHead(wav, wav.frames)
  const frameBytes = (CHANNELS * wav.bitDepth) / 8
  const sizeBytes = head.length + wav.frames * frameBytes
  const { status, range, headers } = selectionOf(request, {
    sizeBytes,
    tag: wav.tag,
    mediaType: 'audio/wav',
    filename: wav.filename,
  })
  if (range === undefined) return { status, bytes: Readable.from([]), headers }
  const pieces = piecesOf(wav, { head, frameBytes, start: range.start, end: range.end + 1 })
  const first = await pieces.next()
  const all = async function* () {
    if (!first.done) yield first.value
    yield* pieces
  }
  return { status, bytes: Readable.from(all(), { objectMode: false }), headers }
}

interface Stretch {
  readonly head: Uint8Array
  readonly frameBytes: number
  /** Bytes [start, end) of the WAV. */
  readonly start: number
  readonly end: number
}

async function* piecesOf(wav: VirtualWav, { head, frameBytes, start, end }: Stretch): AsyncGenerator<Uint8Array> {
  // Sent with the first samples, so the answer waits for them too.
  let before = head.subarray(start, Math.min(end, head.length))
  let at = Math.max(start, head.length)
  if (at >= end) yield before
  for (let seconds = FIRST_SECONDS; at < end; seconds = NEXT_SECONDS) {
    const firstFrame = Math.floor((at - head.length) / frameBytes)
    const endFrame = Math.min(
      Math.ceil((end - head.length) / frameBytes),
      firstFrame + Math.round(seconds * wav.sampleRateHz),
    )
    const pcm = await wav.read(firstFrame, endFrame - firstFrame)
    const offset = head.length + firstFrame * frameBytes
    yield Buffer.concat([before, pcm.subarray(at - offset, end - offset)])
    before = new Uint8Array(0)
    at = offset + pcm.length
  }
}
