import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { createInspect } from '../../../src-server/uploads/inspect.ts'
import { type Probe, probeAudio } from '../../../src-server/uploads/probe.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { ffmpeg, runPlain, songLike, writeFloatWav } from '../../worker/media/make-audio.ts'

const folder = temporaryFolder()
const at = (name: string) => path.join(folder, name)
const { signal } = new AbortController()

beforeAll(() => {
  writeFloatWav(at('song.wav'), songLike(1), 44_100)
  runPlain('-i', at('song.wav'), '-sample_fmt', 's16', at('song.flac'))
})

/** An ffmpeg for which the shell runs `trouble` before each call. */
function troubled(name: string, trouble: string, version = ffmpeg.version) {
  const file = at(name)
  writeFileSync(file, `#!/bin/sh\n${trouble}\nexec '${ffmpeg.path}' "$@"\n`)
  chmodSync(file, 0o755)
  return { ...ffmpeg, path: file, version }
}

const overSongs = (trouble: string) => `case "$*" in *trial*|*s16le*) ;; *) ${trouble};; esac`

function inspectorOf(probe: (file: string) => Promise<Probe>) {
  const inspect = createInspect({ ffmpeg: async () => ffmpeg, probe })
  const file = { path: at('song.wav'), filename: 'song.wav', sizeBytes: 1, sha256: 'a' }
  return (sha256: string) => inspect({ ...file, sha256 }, 'file', signal)
}

describe.runIf(process.platform !== 'win32')('a song that ffmpeg cannot decode (needs sh)', () => {
  it.each(['song.wav', 'song.flac'])(
    '(%s) is not refused when ffmpeg cannot decode a good file either',
    async (name) => {
      const confined = troubled('confined', 'echo "Permission denied" >&2; exit 1')
      await expect(probeAudio(at(name), { ffmpeg: confined })).rejects.toThrow('ffmpeg does not work')
      const inspect = inspectorOf(() => probeAudio(at(name), { ffmpeg: confined }))
      await expect(inspect('b')).rejects.toMatchObject({ code: 'UNAVAILABLE', values: { reason: 'ffmpeg_broken' } })
    },
  )

  it('is refused as damaged when ffmpeg decodes a good one', async () => {
    const picky = troubled('picky', overSongs('exit 1'))
    expect(await probeAudio(at('song.flac'), { ffmpeg: picky })).toMatchObject({ ok: false, reason: 'damaged' })
  })

  it.each(['SEGV', 'ABRT', 'ILL'])('and over which alone it crashes (SIG%s) is refused as that', async (name) => {
    const fragile = troubled(`fragile-${name}`, overSongs(`kill -${name} $$`))
    expect(await probeAudio(at('song.flac'), { ffmpeg: fragile })).toMatchObject({ ok: false, reason: 'crashes' })
    const broken = troubled(`broken-${name}`, `kill -${name} $$`)
    await expect(probeAudio(at('song.flac'), { ffmpeg: broken })).rejects.toThrow('ffmpeg does not work')
  })

  it('since it holds 32 bit FLAC asks for a newer ffmpeg where this one is older than 6.0', async () => {
    runPlain('-i', at('song.wav'), '-sample_fmt', 's16', at('wide.flac'))
    const bytes = readFileSync(at('wide.flac'))
    // Bits per sample less one: the last bit of byte 20 and the first four of byte 21 (RFC 9639, section 8.2).
    bytes[20]! |= 1
    bytes[21]! |= 0xf0
    writeFileSync(at('wide.flac'), bytes)
    const old = troubled('old', overSongs('exit 1'), '5.1.9-0+deb12u1')
    expect(await probeAudio(at('wide.flac'), { ffmpeg: old })).toMatchObject({ ok: false, reason: 'ffmpeg_too_old' })
    const newer = troubled('newer', overSongs('exit 1'), 'n7.0-7')
    expect(await probeAudio(at('wide.flac'), { ffmpeg: newer })).toMatchObject({ ok: false, reason: 'damaged' })
  })
})

describe('a file that stops ffmpeg', () => {
  it('is refused at once when it comes again, and no other file is', async () => {
    let looks = 0
    const inspect = inspectorOf(async () => {
      looks++
      return { ok: false, code: 'UNSUPPORTED_FORMAT', params: { reason: 'stalls' }, reason: 'stalls' }
    })
    for (const sha256 of ['one', 'one', 'one', 'two']) {
      await expect(inspect(sha256)).rejects.toMatchObject({ code: 'UNSUPPORTED_FORMAT' })
    }
    expect(looks).toBe(2)
  })

  it('by thousands of comments never comes to it', async () => {
    const comments = Array.from({ length: 5000 }, (_, i) => Buffer.from(`KEY${i}=x`))
    const uint32 = (value: number) => {
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32LE(value)
      return bytes
    }
    const parts = comments.flatMap((comment) => [uint32(comment.length), comment])
    const block = Buffer.concat([uint32(0), uint32(comments.length), ...parts])
    const plain = readFileSync(at('song.flac'))
    const header = Buffer.from([4, block.length >> 16, (block.length >> 8) & 255, block.length & 255])
    writeFileSync(at('crowded.flac'), Buffer.concat([plain.subarray(0, 42), header, block, plain.subarray(42)]))
    const gone = { ...ffmpeg, path: at('gone') }
    expect(await probeAudio(at('crowded.flac'), { ffmpeg: gone })).toMatchObject({ ok: false, reason: 'crowded' })
    expect(await probeAudio(at('song.flac'), { ffmpeg })).toMatchObject({ ok: true })
  })
})
