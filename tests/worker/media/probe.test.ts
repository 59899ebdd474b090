import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { judge, placeDamage, probeAudio } from '../../../src-server/uploads/probe.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { ffmpeg, runPlain, songLike, writeFloatWav } from './make-audio.ts'

const folder = temporaryFolder()
const at = (name: string) => path.join(folder, name)
const probe = (name: string) => probeAudio(at(name), { ffmpeg })

beforeAll(() => {
  writeFloatWav(at('song.wav'), songLike(3), 44_100)
})

describe('an accepted song', () => {
  it('comes with its true length, its tags and its cover', async () => {
    runPlain('-f', 'lavfi', '-i', 'color=red:size=64x64', '-frames:v', '1', at('cover.jpg'))
    const cover = ['-i', at('cover.jpg'), '-map', '0:a', '-map', '1:v', '-disposition:v:0', 'attached_pic']
    runPlain(
      '-i',
      at('song.wav'),
      ...cover,
      '-b:a',
      '192k',
      '-metadata',
      'title=등불',
      '-metadata',
      'comment=made with suno',
      at('song.mp3'),
    )
    const result = await probe('song.mp3')
    expect(result).toMatchObject({
      ok: true,
      facts: {
        format: 'mp3',
        isLossy: true,
        frames: 3 * 44_100,
        durationSeconds: 3,
        tags: { title: '등불', comment: 'made with suno' },
        hasCover: true,
      },
    })
    expect(result.ok && result.facts.bitRate).toBe(192_000)
  })

  it('has the bit rate of its audio, without tags and cover', async () => {
    runPlain('-i', at('song.wav'), '-b:a', '128k', '-metadata', 'title=x', at('plain.mp3'))
    const plain = readFileSync(at('plain.mp3'))
    const half = Math.floor(plain.length / 2)
    const rubbish = Buffer.alloc(150_000, 'TAG of another world ')
    writeFileSync(at('dirty.mp3'), Buffer.concat([plain.subarray(0, half), rubbish, plain.subarray(half), rubbish]))
    for (const name of ['plain.mp3', 'dirty.mp3']) {
      const result = await probe(name)
      expect(result, name).toMatchObject({ ok: true, facts: { bitRate: 128_000 } })
      expect(result.ok && result.facts.damagedSeconds, name).toBeUndefined()
    }
    runPlain('-i', at('song.wav'), '-q:a', '4', at('variable.mp3'))
    const variable = await probe('variable.mp3')
    const wholeFile = (readFileSync(at('variable.mp3')).length * 8) / 3
    expect(Math.abs((variable.ok ? variable.facts.bitRate! : 0) / wholeFile - 1)).toBeLessThan(0.05)
  })

  it('is measured, not believed: a header that says an hour does not make it one', async () => {
    runPlain('-i', at('song.wav'), '-c:a', 'pcm_s16le', at('honest.wav'))
    const bytes = readFileSync(at('honest.wav'))
    const data = bytes.indexOf('data')
    bytes.writeUInt32LE(44_100 * 4 * 3600, data + 4)
    writeFileSync(at('liar.wav'), bytes)
    expect(await probe('liar.wav')).toMatchObject({ ok: true, facts: { frames: 3 * 44_100 } })
  })

  it.each([
    ['cut.wav', ['-c:a', 'pcm_s24le']],
    ['cut.flac', []],
    ['cut.mp3', ['-b:a', '192k']],
    ['cut-low.mp3', ['-ac', '1', '-ar', '22050', '-q:a', '5']],
  ])('that is cut short remembers how long %s says it is', async (name, args) => {
    runPlain('-i', at('song.wav'), ...args, at(name))
    const whole = await probe(name)
    expect(whole.ok && whole.facts.claimedSeconds).toBeUndefined()
    const bytes = readFileSync(at(name))
    writeFileSync(at(name), bytes.subarray(0, Math.floor(bytes.length / 2)))
    const cut = await probe(name)
    expect(cut.ok && cut.facts.claimedSeconds).toBeCloseTo(3, 0)
    expect(cut.ok && cut.facts.durationSeconds).toBeLessThan(2)
  })

  it('that was written to a pipe claims no length', async () => {
    runPlain('-i', at('song.wav'), '-c:a', 'pcm_s16le', at('pipe.wav'))
    const bytes = readFileSync(at('pipe.wav'))
    for (const size of [0, 0x7fff_ffff, 0x7fff_ffff - 36, 0xffff_ffff]) {
      bytes.writeUInt32LE(size, bytes.indexOf('data') + 4)
      writeFileSync(at('pipe.wav'), bytes)
      const result = await probe('pipe.wav')
      expect(result.ok && result.facts.claimedSeconds, String(size)).toBeUndefined()
      expect(result).toMatchObject({ ok: true, facts: { frames: 3 * 44_100 } })
    }
  })
})

describe('damage', () => {
  const flac = { format: 'flac', sampleRateHz: 44_100, claimedFrames: 441_000 } as const
  const mp3 = { ...flac, format: 'mp3' } as const

  it('keeps its place in a FLAC, unless the file claims to be shorter', () => {
    const decodable = { frames: 400_000, lostFrames: 4608 }
    expect(placeDamage(flac, decodable)).toEqual({ frames: 404_608, damagedFrames: 4608 })
    expect(placeDamage({ ...flac, claimedFrames: 404_000 }, decodable)).toEqual({ frames: 400_000, damagedFrames: 0 })
  })

  it('of an MP3 is what the encoder counted and is not there, where there is a gap', () => {
    expect(placeDamage(mp3, { frames: 400_000, lostFrames: 1152 })).toEqual({ frames: 400_000, damagedFrames: 41_000 })
    expect(placeDamage(mp3, { frames: 400_000, lostFrames: 0 })).toEqual({ frames: 400_000, damagedFrames: 0 })
  })

  it('of an MP3 is passed over where a tag between its frames would look alike', () => {
    expect(placeDamage(mp3, { frames: 440_000, lostFrames: 1152 })).toEqual({ frames: 440_000, damagedFrames: 0 })
  })

  it('of a file that cannot be decoded at all is no place', () => {
    expect(placeDamage(flac, { frames: 0, lostFrames: 4608 })).toEqual({ frames: 0, damagedFrames: 0 })
  })
})

describe('a refused file', () => {
  it('of text is reported as not audio', async () => {
    writeFileSync(at('text.mp3'), 'words '.repeat(10_000))
    expect(await probe('text.mp3')).toMatchObject({
      ok: false,
      code: 'UNSUPPORTED_FORMAT',
      params: { reason: 'unknown' },
    })
  })

  it('of eleven minutes is refused with its length', async () => {
    runPlain('-f', 'lavfi', '-i', 'sine=220:r=16000', '-t', '660', '-b:a', '24k', at('long.mp3'))
    expect(await probe('long.mp3')).toMatchObject({ ok: false, code: 'FILE_TOO_LONG', params: { duration: '11:00' } })
  })

  it('that would decode to hours is refused without being decoded completely', async () => {
    runPlain('-f', 'lavfi', '-i', 'anullsrc=r=8000:cl=mono', '-t', '7300', at('bomb.flac'))
    expect(await probe('bomb.flac')).toMatchObject({
      ok: false,
      code: 'FILE_TOO_LONG',
      params: { duration: '> 20:00' },
    })
  })

  it('with a valid header and invalid data is reported as damaged', async () => {
    runPlain('-i', at('song.wav'), at('good.flac'))
    const bytes = readFileSync(at('good.flac'))
    bytes.fill(0, 8000)
    writeFileSync(at('bad.flac'), bytes.subarray(0, 100))
    expect(await probe('bad.flac')).toMatchObject({
      ok: false,
      code: 'UNSUPPORTED_FORMAT',
      params: { reason: 'damaged' },
    })
  })
})

describe('the limit of ten minutes', () => {
  it.each([
    [600, true],
    [600.1, true],
    [600.11, false],
    [1, true],
  ])('for %f seconds says %s', (seconds, ok) => {
    expect(judge({ sampleRateHz: 44_100 }, Math.round(seconds * 44_100)).ok).toBe(ok)
  })
})

it('a probe that is aborted ends with the reason', async () => {
  writeFloatWav(at('slow.wav'), songLike(30), 44_100)
  const stop = new AbortController()
  const probing = probeAudio(at('slow.wav'), { ffmpeg, signal: stop.signal })
  stop.abort(new Error('client went away'))
  await expect(probing).rejects.toThrow('client went away')
})
