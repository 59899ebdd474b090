/**
 * Supplies the playback engine with the chunks around the playhead: nearest first, the current version before the
 * others.
 */
import { CHUNK_FRAMES, type FrameRange, type PlaybackCommand } from './playback-engine.ts'
import type { Track } from './track.ts'

export interface Place {
  readonly frame: number
  readonly version: string
  readonly loop: FrameRange | null
}

const SECONDS_AHEAD = 12
const SECONDS_BEHIND = 4
/** Length kept ready at the start of a loop and of the song, where playback may jump, s. */
const SECONDS_AT_JUMP = 3
/** Number of chunks read of the current version before the first of another. */
const HEAD_START = 2

/**
 * Returns the chunk indexes that the playback engine should hold, the most urgent first: ahead of the playhead, then
 * behind it, then at the start of the loop or song. Pure.
 */
export function wantedChunks({ frame, loop }: Omit<Place, 'version'>, lengthFrames: number, rateHz: number): number[] {
  const last = Math.max(0, Math.ceil(lengthFrames / CHUNK_FRAMES) - 1)
  const indexes: number[] = []
  const add = (from: number, seconds: number) => {
    const first = Math.floor(from / CHUNK_FRAMES)
    const end = Math.floor((from + seconds * rateHz) / CHUNK_FRAMES)
    for (let index = Math.max(0, first); index <= Math.min(last, end); index++) {
      if (!indexes.includes(index)) indexes.push(index)
    }
  }
  add(frame, SECONDS_AHEAD)
  if (loop) add(loop.startFrame, SECONDS_AT_JUMP)
  add(Math.max(0, frame - SECONDS_BEHIND * rateHz), SECONDS_BEHIND)
  add(0, SECONDS_AT_JUMP)
  return indexes
}

/** Picks the next missing chunk over all versions; null when all wanted ones are loaded. Pure. */
export function nextMissing(
  wanted: readonly number[],
  versions: readonly string[],
  heard: string,
  isHere: (version: string, index: number) => boolean,
): { readonly version: string; readonly index: number } | null {
  for (let step = 0; step < wanted.length + HEAD_START; step++) {
    for (const version of [heard, ...versions.filter((other) => other !== heard)]) {
      const index = wanted[version === heard ? step : step - HEAD_START]
      if (index !== undefined && versions.includes(version) && !isHere(version, index)) return { version, index }
    }
  }
  return null
}

export interface FeederDeps {
  readonly rateHz: number
  /** Length of the song; a longer version is cut there. */
  readonly lengthFrames: number
  readonly post: (command: PlaybackCommand, transfer: Transferable[]) => void
  /** Called when a version cannot be read; it is not requested again. */
  readonly onFailure: (version: string, error: unknown) => void
}

/** Chunks read in parallel. The heard version does not wait for reads of the others. */
const PARALLEL = 3

const keyOf = (version: string, index: number | '') => `${version} ${index}`

/** Fetches the chunks around the playhead until all are loaded, and evicts the others. */
export class Feeder {
  readonly #deps: FeederDeps
  readonly #tracks = new Map<string, Track>()
  /** Indexes of the chunks on the playback engine, by version. */
  readonly #here = new Map<string, Set<number>>()
  /** Keys of the chunks being read. */
  readonly #busy = new Set<string>()
  #place: Place = { frame: 0, version: '', loop: null }

  constructor(deps: FeederDeps) {
    this.#deps = deps
  }

  /** Adds a version. */
  put(version: string, track: Track): void {
    this.#tracks.set(version, track)
    this.#here.set(version, new Set())
    this.#deps.post({ kind: 'add', version, frames: track.frames }, [])
    this.#pump()
  }

  /** Removes a version. */
  drop(version: string): void {
    this.#tracks.delete(version)
    this.#here.delete(version)
    this.#deps.post({ kind: 'remove', version }, [])
  }

  /** Moves to the current playhead position. */
  move(next: Place): void {
    const place = this.#place
    const isSamePlace =
      Math.floor(next.frame / CHUNK_FRAMES) === Math.floor(place.frame / CHUNK_FRAMES) &&
      next.version === place.version &&
      next.loop === place.loop
    this.#place = next
    if (!isSamePlace) this.#pump()
  }

  /** Returns a readable version; undefined before it is open and after it failed. */
  trackOf(version: string): Track | undefined {
    return this.#tracks.get(version)
  }

  close(): void {
    this.#tracks.clear()
  }

  #pump(): void {
    const { lengthFrames, rateHz } = this.#deps
    const wanted = wantedChunks(this.#place, lengthFrames, rateHz)
    this.#evict(wanted)
    for (;;) {
      const next = nextMissing(
        wanted,
        [...this.#tracks.keys()],
        this.#place.version,
        (version, index) => (this.#here.get(version)?.has(index) ?? false) || this.#busy.has(keyOf(version, index)),
      )
      const track = next && this.#tracks.get(next.version)
      if (!next || !track) return
      const isHeard = next.version === this.#place.version
      const busy = [...this.#busy].filter((key) => !isHeard || key.startsWith(keyOf(next.version, '')))
      if (busy.length >= PARALLEL) return
      void this.#fetchChunk(next.version, next.index, track)
    }
  }

  #evict(wanted: readonly number[]): void {
    for (const [version, indexes] of this.#here) {
      const old = [...indexes].filter((index) => !wanted.includes(index))
      if (old.length === 0) continue
      for (const index of old) indexes.delete(index)
      this.#deps.post({ kind: 'evict', version, indexes: old }, [])
    }
  }

  async #fetchChunk(version: string, index: number, track: Track): Promise<void> {
    this.#busy.add(keyOf(version, index))
    try {
      const { left, right } = await track.read(index * CHUNK_FRAMES, CHUNK_FRAMES)
      // The playback takes ownership of both arrays, so mono needs two.
      const second = right === left ? right.slice() : right
      if (this.#tracks.get(version) !== track) return
      this.#here.get(version)?.add(index)
      this.#deps.post({ kind: 'chunk', version, index, left, right: second }, [left.buffer, second.buffer])
    } catch (error) {
      if (this.#tracks.get(version) === track) {
        this.#tracks.delete(version)
        this.#deps.onFailure(version, error)
      }
    } finally {
      this.#busy.delete(keyOf(version, index))
      this.#pump()
    }
  }
}
