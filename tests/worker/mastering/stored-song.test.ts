import { chmodSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { checkStoredSong, SOURCE_CODES } from '../../../src-worker/mastering/stored-song.ts'
import type { StoredSong } from '../../../src-worker/mastering/work-order.ts'
import { decodeSong } from '../../../src-worker/media/decode.ts'
import { changeRate } from '../../../src-worker/media/resample.ts'
import { tryFfmpegIn } from '../../../src-worker/media/trial.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { ffmpeg, runPlain, songLike, writeFloatWav } from '../media/make-audio.ts'
import { masterOrder, orderFor, storedSong } from './run-worker.ts'

const folder = temporaryFolder()
const at = (name: string) => path.join(folder, name)
const { signal } = new AbortController()
const songs: Record<string, StoredSong> = {}

beforeAll(async () => {
  writeFloatWav(at('whole.wav'), songLike(3), 44_100)
  runPlain('-i', at('whole.wav'), '-c:a', 'pcm_s16le', at('song.wav'))
  runPlain('-i', at('whole.wav'), '-sample_fmt', 's16', at('song.flac'))
  runPlain('-i', at('whole.wav'), '-b:a', '128k', '-write_xing', '0', at('song.mp3'))
  writeFloatWav(at('fast.wav'), songLike(1, 352_800), 352_800)
  for (const format of ['wav', 'flac', 'mp3']) songs[format] = await storedSong(at(`song.${format}`))
  songs.fast = await storedSong(at('fast.wav'))
})

/** An ffmpeg for which the shell runs `trouble` before each call. */
function troubled(name: string, trouble: string) {
  const file = at(name)
  writeFileSync(file, `#!/bin/sh\n${trouble}\nexec '${ffmpeg.path}' "$@"\n`)
  chmodSync(file, 0o755)
  return { ...ffmpeg, path: file }
}

/** An ffmpeg that gives the first 100 000 bytes of what it decodes and says that all went well, for songs and not for trials. */
const short = () =>
  troubled('short', `case "$*" in *trial*) ;; *f32le*) '${ffmpeg.path}' "$@" | head -c 100000; exit 0;; esac`)

const damage = fc.oneof(
  fc.record({ kind: fc.constant('cut' as const), place: fc.double({ min: 0, max: 0.999, noNaN: true }) }),
  fc.record({ kind: fc.constant('flip' as const), place: fc.double({ min: 0, max: 0.999, noNaN: true }) }),
)

function damaged(file: string, { kind, place }: { kind: 'cut' | 'flip'; place: number }): string {
  const bytes = readFileSync(file)
  const position = Math.floor(place * bytes.length)
  const target = at(`damaged${path.extname(file)}`)
  if (kind === 'flip') bytes[position]! ^= 1 << (position % 8)
  writeFileSync(target, kind === 'cut' ? bytes.subarray(0, position) : bytes)
  return target
}

describe('a stored song that has changed', () => {
  it('is refused before it is decoded, wherever it is cut or a bit is flipped', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('wav', 'flac', 'mp3'), damage, async (format, change) => {
        const song = songs[format]!
        const bad = { ...song, path: damaged(song.path, change) }
        await expect(checkStoredSong(bad, SOURCE_CODES, signal)).rejects.toMatchObject({
          failureCode: 'UNREADABLE_AUDIO',
        })
      }),
      { numRuns: 60 },
    )
    for (const song of Object.values(songs)) await checkStoredSong(song, SOURCE_CODES, signal)
  })

  it('never decodes to another length than it was taken with, also when it changes after that check', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('wav', 'flac', 'mp3'), damage, async (format, change) => {
        const { path: file, facts } = songs[format]!
        const decoded = await decodeSong(ffmpeg, damaged(file, change), facts).catch(() => undefined)
        if (decoded) expect(decoded.audio.frames).toBe(facts.frames)
      }),
      { numRuns: 40 },
    )
  })

  it.each(['wav', 'flac', 'mp3', 'fast'])(
    '(%s) decodes to the length it was taken with when nothing is wrong',
    async (name) => {
      const { path: file, facts } = songs[name]!
      const { audio } = await decodeSong(ffmpeg, file, facts)
      expect(Math.abs(audio.frames / audio.sampleRateHz - facts.frames / facts.sampleRateHz)).toBeLessThan(0.0002)
    },
  )

  it('is distinguished from one that was counted by another version of ffmpeg', async () => {
    const { path: file, facts } = songs.mp3!
    const { audio } = await decodeSong(ffmpeg, file, { ...facts, frames: facts.frames - 5, countedBy: '1 ffmpeg 4' })
    expect(audio.frames).toBe(facts.frames)
  })

  it('is read without the check if its number of frames is unknown', async () => {
    const { countedBy: _, ...facts } = songs.wav!.facts
    const cut = damaged(songs.wav!.path, { kind: 'cut', place: 0.5 })
    expect((await decodeSong(ffmpeg, cut, facts)).audio.frames).toBeLessThan(facts.frames)
  })
})

describe('a job', () => {
  it('whose song was cut while it waited fails as UNREADABLE_AUDIO and delivers nothing', async () => {
    const order = await orderFor(at('song.wav'), folder)
    const source = { ...order.source, path: damaged(order.source.path, { kind: 'cut', place: 0.4 }) }
    await expect(masterOrder({ ...order, source })).rejects.toMatchObject({ failureCode: 'UNREADABLE_AUDIO' })
    expect(readdirSync(order.attemptFolder)).toEqual([])
  })

  it('whose reference was cut while it waited fails as REFERENCE_UNREADABLE', async () => {
    const order = await orderFor(at('song.wav'), folder)
    const reference = { ...songs.flac!, path: damaged(songs.flac!.path, { kind: 'cut', place: 0.4 }) }
    await expect(masterOrder({ ...order, reference })).rejects.toMatchObject({ failureCode: 'REFERENCE_UNREADABLE' })
  })

  describe.runIf(process.platform !== 'win32')('with an ffmpeg of another kind (needs sh)', () => {
    it('that returns half of the song with success fails as UNREADABLE_AUDIO', async () => {
      const order = await orderFor(at('song.flac'), folder, { ffmpeg: short() })
      await expect(masterOrder(order)).rejects.toMatchObject({ failureCode: 'UNREADABLE_AUDIO' })
    })

    it('that cannot read in the data folder fails as FFMPEG_BROKEN', async () => {
      const order = await orderFor(at('song.flac'), folder, { ffmpeg: troubled('confined', 'exit 1') })
      await expect(masterOrder(order)).rejects.toThrow('ffmpeg does not work')
      expect(readdirSync(order.attemptFolder)).toEqual([])
    })

    it('never gets a shorter song by converting its rate', async () => {
      const channels = songLike(1, 96_000)
      const audio = { channels, frames: channels[0]!.length, sampleRateHz: 96_000 }
      await expect(changeRate(short(), audio, 44_100)).rejects.toMatchObject({ fault: 'short' })
    })
  })
})

describe('the trial of an ffmpeg', () => {
  it('passes one that works, with every format, and leaves nothing behind', async () => {
    const place = mkdtempSync(at('trial-'))
    await tryFfmpegIn(ffmpeg, place, ['wav', 'flac', 'mp3'])
    expect(readdirSync(place)).toEqual([])
  })
})
