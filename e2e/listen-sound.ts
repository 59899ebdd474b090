/**
 * Sound for the specs of the stage: songs to master, recording of the page's output, and its alignment in time.
 */
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright/test'
import { locateFfmpeg } from '../src-worker/media/locate.ts'

const run = promisify(execFile)

/**
 * Returns a 24 bit stereo WAV: chords, a beat and a soft, never silent hiss that gives every millisecond its own shape.
 * The same seed gives the same bytes.
 */
export function musicBytes(seconds: number, rateHz: number, seed: number): Buffer {
  const frames = Math.round(seconds * rateHz)
  const bytes = Buffer.alloc(44 + frames * 6)
  bytes.write('RIFF', 0)
  bytes.writeUInt32LE(bytes.length - 8, 4)
  bytes.write('WAVEfmt ', 8)
  bytes.writeUInt32LE(16, 16)
  bytes.writeUInt16LE(1, 20)
  bytes.writeUInt16LE(2, 22)
  bytes.writeUInt32LE(rateHz, 24)
  bytes.writeUInt32LE(rateHz * 6, 28)
  bytes.writeUInt16LE(6, 32)
  bytes.writeUInt16LE(24, 34)
  bytes.write('data', 36)
  bytes.writeUInt32LE(frames * 6, 40)
  let state = seed >>> 0
  const noise = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 0x80000000 - 1
  }
  const chords = [220, 174.6, 261.6, 196].map((root) => [root, root * 1.26, root * 1.5].map((hz) => hz * 1.03 ** seed))
  for (let i = 0; i < frames; i++) {
    const t = i / rateHz
    const beat = (t * 2) % 1
    const chord = chords[Math.floor(t / 2) % chords.length] ?? []
    const tones = chord.reduce(
      (sum, hz, k) => sum + Math.sin(2 * Math.PI * hz * t + k) + 0.3 * Math.sin(4 * Math.PI * hz * t),
      0,
    )
    const drum = Math.exp(-beat * 18) * (0.25 * noise() + 0.3 * Math.sin(2 * Math.PI * 60 * t))
    const middle = 0.07 * tones + drum + 0.012 * noise()
    const side = 0.02 * noise()
    for (const [channel, value] of [middle + side, middle - side].entries()) {
      bytes.writeIntLE(Math.round(Math.max(-1, Math.min(1, value)) * 0x7fffff), 44 + i * 6 + channel * 3, 3)
    }
  }
  return bytes
}

/** Encodes a WAV as MP3; encoder and decoder delay the music. */
export async function asMp3(wav: Buffer, folder: string): Promise<Buffer> {
  const { path: ffmpeg } = await locateFfmpeg()
  const [source, target] = [path.join(folder, 'in.wav'), path.join(folder, 'out.mp3')]
  await writeFile(source, wav)
  await run(ffmpeg, ['-nostdin', '-v', 'error', '-y', '-i', source, '-c:a', 'libmp3lame', '-b:a', '256k', target])
  return readFile(target)
}

/** Decodes the left channel of any file at a rate with ffmpeg: a decoder and resampler independent of the page. */
export async function leftChannel(file: Buffer, rateHz: number, folder: string): Promise<Float32Array> {
  const { path: ffmpeg } = await locateFfmpeg()
  const source = path.join(folder, 'version')
  await writeFile(source, file)
  const words = [
    '-nostdin',
    '-v',
    'error',
    '-i',
    source,
    '-af',
    `pan=mono|c0=c0,aresample=${rateHz}`,
    '-f',
    'f32le',
    '-',
  ]
  const { stdout } = await run(ffmpeg, words, { encoding: 'buffer', maxBuffer: 1e9 })
  return new Float32Array(stdout.buffer.slice(stdout.byteOffset, stdout.byteOffset + stdout.byteLength))
}

const TAP = `registerProcessor('spec-tap', class extends AudioWorkletProcessor {
  process([[left]]) { this.port.postMessage((left ?? new Float32Array(128)).slice()); return true }
})`

/** Makes the page record its output, frame by frame on the audio thread. Needs `bypassCSP`. */
export async function tapSound(page: Page): Promise<void> {
  await page.addInitScript((code) => {
    const tapped: { frames: Float32Array[]; rateHz: number } = { frames: [], rateHz: 0 }
    Object.assign(globalThis, { tapped })
    const connect = AudioNode.prototype.connect as (this: AudioNode, ...to: unknown[]) => AudioNode
    const contexts = new Set<BaseAudioContext>()
    AudioNode.prototype.connect = function (this: AudioNode, ...to: unknown[]) {
      const [destination] = to
      if (
        destination instanceof AudioDestinationNode &&
        this.context instanceof AudioContext &&
        !contexts.has(this.context)
      ) {
        contexts.add(this.context)
        tapped.rateHz = this.context.sampleRate
        const address = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }))
        const added = this.context.audioWorklet.addModule(address).then(() => {
          const tap = new AudioWorkletNode(this.context, 'spec-tap', { outputChannelCount: [1] })
          tap.port.onmessage = ({ data: frames }) => tapped.frames.push(frames)
          connect.call(this, tap)
          connect.call(tap, destination)
        })
        // A graph that is closed meanwhile has nothing to record.
        added.catch(() => undefined)
      }
      return connect.apply(this, to)
    } as typeof AudioNode.prototype.connect
  }, TAP)
}

/** Returns the recording so far and its rate. */
export async function tappedSound(page: Page): Promise<{ samples: Float32Array; rateHz: number }> {
  const { text, rateHz } = await page.evaluate(() => {
    const { frames, rateHz } = (globalThis as unknown as { tapped: { frames: Float32Array[]; rateHz: number } }).tapped
    const all = new Float32Array(frames.length * 128)
    frames.forEach((quantum, i) => {
      all.set(quantum, i * 128)
    })
    const bytes = new Uint8Array(all.buffer)
    let text = ''
    for (let at = 0; at < bytes.length; at += 32_768) text += String.fromCharCode(...bytes.subarray(at, at + 32_768))
    return { text: btoa(text), rateHz }
  })
  const bytes = Buffer.from(text, 'base64')
  return { samples: new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)), rateHz }
}

export interface Placed {
  /** First frame of the window in the recording. */
  readonly at: number
  readonly version: string
  /** Frames by which the sound is ahead of the previous window's clock. */
  readonly lag: number
  readonly likeness: number
}

const WINDOW = 2048

function likeness(heard: Float32Array, at: number, file: Float32Array, from: number, step = 1): number {
  let product = 0
  let heardEnergy = 0
  let fileEnergy = 0
  for (let i = 0; i < WINDOW; i += step) {
    const x = heard[at + i] ?? 0
    const y = file[from + i] ?? 0
    product += x * y
    heardEnergy += x * x
    fileEnergy += y * y
  }
  const energy = Math.sqrt(heardEnergy * fileEnergy)
  return energy > 0 ? product / energy : 0
}

/** Finds the position of the recording in a version: the frame of the file that plays at frame `at`. */
export function findStart(heard: Float32Array, at: number, file: Float32Array): number {
  let best = { from: 0, likeness: -1 }
  for (let from = 0; from < file.length - WINDOW; from++) {
    // Every sixteenth value distinguishes most positions; only the likely ones are compared in full.
    if (likeness(heard, at, file, from, 16) < 0.5) continue
    const found = likeness(heard, at, file, from)
    if (found > best.likeness) best = { from, likeness: found }
  }
  return best.from
}

/**
 * Compares the recording, window by window, with every version at the clock given by `start`, and returns the version
 * that plays and its offset in frames, searched within ± `mostLag`.
 */
export function placeWindows(
  heard: Float32Array,
  files: Readonly<Record<string, Float32Array>>,
  start: { readonly at: number; readonly from: number },
  end: number,
  mostLag: number,
): Placed[] {
  const placed: Placed[] = []
  for (let at = start.at; at + WINDOW <= end; at += WINDOW) {
    let best: Placed = { at, version: '', lag: 0, likeness: -1 }
    const look = (version: string, file: Float32Array, lag: number) => {
      const found = likeness(heard, at, file, start.from + (at - start.at) + lag)
      if (found > best.likeness) best = { at, version, lag, likeness: found }
    }
    for (const [version, file] of Object.entries(files)) {
      for (let lag = -mostLag; lag <= mostLag; lag += 6) look(version, file, lag)
      look(version, file, 0)
    }
    const file = files[best.version]
    const middle = best.lag
    if (file) for (let lag = middle - 5; lag <= middle + 5; lag++) look(best.version, file, lag)
    placed.push(best)
  }
  return placed
}

/** Returns the longest run of frames that are silent to the last bit. */
export function longestSilence(heard: Float32Array, from: number, to: number): number {
  let longest = 0
  let run = 0
  for (let i = from; i < to; i++) {
    run = Math.abs(heard[i] ?? 0) < 1e-7 ? run + 1 : 0
    longest = Math.max(longest, run)
  }
  return longest
}

/**
 * Presses keys in turn: the first after `firstSeconds` of sound from now on, each other `everySeconds` of sound later.
 */
export const pressWhileHeard = (
  page: Page,
  keys: readonly string[],
  firstSeconds: number,
  everySeconds: number,
): Promise<void> =>
  page.evaluate(
    async ([pressed, first, every]) => {
      const { tapped } = globalThis as unknown as { tapped: { frames: Float32Array[]; rateHz: number } }
      const heard = () => (tapped.frames.length * 128) / Math.max(1, tapped.rateHz)
      let due = heard() + first
      for (const key of pressed) {
        while (heard() < due) await new Promise((resolve) => setTimeout(resolve, 10))
        for (const type of ['keydown', 'keyup'])
          document.activeElement?.dispatchEvent(new KeyboardEvent(type, { key, bubbles: true, cancelable: true }))
        due = heard() + every
      }
    },
    [keys, firstSeconds, everySeconds] as const,
  )

/** Returns the seconds of sound played so far. */
export const heardSeconds = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const { frames, rateHz } = (globalThis as unknown as { tapped: { frames: Float32Array[]; rateHz: number } }).tapped
    return (frames.length * 128) / Math.max(1, rateHz)
  })

export interface Mix {
  /** Gains of the two; a negative one is subtracted. */
  readonly first: number
  readonly second: number
  /** Level of the residual below the first, dB. */
  readonly restDb: number
}

/** Fits the gains of two files to a window of a recording that is at `from` in both (least squares). */
export function mixOf(
  heard: Float32Array,
  at: number,
  [first, second]: readonly [Float32Array, Float32Array],
  from: number,
): Mix {
  let [xa, xb, aa, ab, bb, xx] = [0, 0, 0, 0, 0, 0]
  for (let i = 0; i < WINDOW; i++) {
    const [x, a, b] = [heard[at + i] ?? 0, first[from + i] ?? 0, second[from + i] ?? 0]
    xa += x * a
    xb += x * b
    aa += a * a
    ab += a * b
    bb += b * b
    xx += x * x
  }
  const determinant = aa * bb - ab * ab
  const [gainA, gainB] = [(xa * bb - xb * ab) / determinant, (xb * aa - xa * ab) / determinant]
  const rest = Math.max(0, xx - gainA * xa - gainB * xb)
  return { first: gainA, second: gainB, restDb: 10 * Math.log10(rest / aa + 1e-15) }
}
