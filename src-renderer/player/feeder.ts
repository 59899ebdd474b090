/** Keeps what lies around the playhead on the playback engine: nearest first, the heard version before the others, and nothing else. */
import { CHUNK_FRAMES, type FrameRange, type PlaybackCommand } from './playback-engine.ts'
import type { Track } from './track.ts'

export interface Place {
  readonly frame: number
  readonly version: string
  readonly loop: FrameRange | null
}

const SECONDS_AHEAD = 12
const SECONDS_BEHIND = 4
/** Length that is kept ready at a loop's start and at the song's start, where playback may jump, s. */
const SECONDS_AT_JUMP = 3
/** Number of chunks of the heard version that are read before the first chunk of another. */
const HEAD_START = 2

/**
 * Returns the chunk indexes that should be on the playback engine, the most urgent first: from the playhead on, then behind it, then
 * where a loop or the song begins. Pure.
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

/** Picks the next missing chunk over all versions; null when everything wanted is there. Pure. */
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

export interface FeederOptions {
  readonly rateHz: number
  /** Length of the song; what a version has beyond it is not played. */
  readonly lengthFrames: number
  readonly post: (command: PlaybackCommand, transfer: Transferable[]) => void
  /** Told when a version cannot be read; it is not asked for again. */
  readonly onFailure: (version: string, error: unknown) => void
}

/** Chunks read at the same time. */
const PARALLEL = 3

/** Returns a feeder without versions. `move` says where the playhead is; it fetches until that place is full, and evicts. */
export function createFeeder({ rateHz, lengthFrames, post, onFailure }: FeederOptions) {
  const tracks = new Map<string, Track>()
  const here = new Map<string, Set<number>>()
  const busy = new Set<string>()
  let place: Place = { frame: 0, version: '', loop: null }

  const key = (version: string, index: number) => `${version} ${index}`

  function evict(wanted: readonly number[]) {
    for (const [version, indexes] of here) {
      const old = [...indexes].filter((index) => !wanted.includes(index))
      if (old.length === 0) continue
      for (const index of old) indexes.delete(index)
      post({ kind: 'evict', version, indexes: old }, [])
    }
  }

  async function fetchChunk(version: string, index: number, track: Track) {
    busy.add(key(version, index))
    try {
      const { left, right } = await track.read(index * CHUNK_FRAMES, CHUNK_FRAMES)
      // The playback takes ownership of both arrays, so mono needs two.
      const second = right === left ? right.slice() : right
      if (tracks.get(version) !== track) return
      here.get(version)?.add(index)
      post({ kind: 'chunk', version, index, left, right: second }, [left.buffer, second.buffer])
    } catch (error) {
      if (tracks.get(version) === track) {
        tracks.delete(version)
        onFailure(version, error)
      }
    } finally {
      busy.delete(key(version, index))
      pump()
    }
  }

  function pump() {
    const wanted = wantedChunks(place, lengthFrames, rateHz)
    evict(wanted)
    while (busy.size < PARALLEL) {
      const next = nextMissing(
        wanted,
        [...tracks.keys()],
        place.version,
        (version, index) => (here.get(version)?.has(index) ?? false) || busy.has(key(version, index)),
      )
      const track = next && tracks.get(next.version)
      if (!next || !track) return
      void fetchChunk(next.version, next.index, track)
    }
  }

  return {
    put(version: string, track: Track) {
      tracks.set(version, track)
      here.set(version, new Set())
      post({ kind: 'add', version, frames: track.frames }, [])
      pump()
    },
    drop(version: string) {
      tracks.delete(version)
      here.delete(version)
      post({ kind: 'remove', version }, [])
    },
    move(next: Place) {
      const isSamePlace =
        Math.floor(next.frame / CHUNK_FRAMES) === Math.floor(place.frame / CHUNK_FRAMES) &&
        next.version === place.version &&
        next.loop === place.loop
      place = next
      if (!isSamePlace) pump()
    },
    close() {
      tracks.clear()
    },
  }
}
