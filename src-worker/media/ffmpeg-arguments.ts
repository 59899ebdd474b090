/** A call of ffmpeg and its argument list, built by fluent-ffmpeg without starting anything. */
import type { Readable } from 'node:stream'
import fluentFfmpeg from 'fluent-ffmpeg'

/** One call of ffmpeg. */
export interface FfmpegCall {
  /** Name of the operation, a verb phrase: "decode the song". */
  readonly operation: string
  /** A file or a stream of bytes, and the demuxer it must be read with. */
  readonly input: { readonly from: string | Readable; readonly format: string; readonly options?: readonly string[] }
  /** All options between the input and the output, muxer (`-f`) included. */
  readonly outputOptions: readonly string[]
  /** An output file, or the receiver of ffmpeg's output; it runs before the next chunk is read and may throw. */
  readonly output: string | ((chunk: Uint8Array) => void)
  /** Limit of the whole call, not counting time while the machine is asleep. */
  readonly timeLimitSeconds: number
  /** Longest time without output or a printed line; 20 s when absent. */
  readonly stallSeconds?: number
  readonly signal?: AbortSignal | undefined
  /** True to run ffmpeg at a lower priority, also when this process keeps its own. */
  readonly givesWay?: boolean
  /** Receives each line that ffmpeg prints about its input and output. */
  readonly onLine?: (line: string) => void
}

/**
 * Limits on ffmpeg's parsers, set before each input; ffmpeg 5.1 and 7.0 take all of them. Without them a picture of 2 MB that expands to
 * 16 000 × 16 000 pixels takes 2 GB, since ffmpeg decodes one picture of each kind just to describe it.
 */
const PARSING_LIMITS: Readonly<Record<string, number>> = {
  /** Pixels of a picture that is decoded: 4000 × 4000. */
  max_pixels: 16_000_000,
  /** Samples of a decoded frame: FLAC allows 65 535 for each channel (RFC 9639, section 9.1.1). */
  max_samples: 1 << 20,
  /** Bytes and microseconds of input that are probed for streams: ffmpeg's own defaults, pinned. */
  probesize: 5_000_000,
  analyzeduration: 5_000_000,
  formatprobesize: 1 << 20,
  max_probe_packets: 2500,
  /** A song is one stream, and each picture is another. */
  max_streams: 1000,
  indexmem: 1 << 20,
}

/** Bytes of one block of memory: the largest that a song can ask for is an ID3 tag of 256 MB. */
const MAX_ALLOCATION_BYTES = 512 * 1024 * 1024

/** Returns the arguments of a call, input and output included. Pure. */
export function ffmpegArguments({ input, output, outputOptions }: FfmpegCall): string[] {
  const isFile = typeof input.from === 'string'
  const limits = Object.entries(PARSING_LIMITS).flatMap(([name, limit]) => [`-${name}`, String(limit)])
  const command = fluentFfmpeg(input.from)
  command.inputOptions(['-hide_banner', '-nostats', '-max_alloc', String(MAX_ALLOCATION_BYTES)])
  command.inputOptions([...(isFile ? ['-nostdin'] : []), '-protocol_whitelist', 'file,pipe', ...limits])
  command.inputOptions([...(input.options ?? []), '-f', input.format])
  command.output(typeof output === 'string' ? output : 'pipe:1')
  command.outputOptions([...outputOptions])
  // A private member: the public ones start ffmpeg themselves, without our stall watch, output limits and priority.
  return command._getArguments()
}
