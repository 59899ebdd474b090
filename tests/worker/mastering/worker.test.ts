import { fork } from 'node:child_process'
import { globSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Schema from 'typebox/schema'
import { beforeAll, describe, expect, it } from 'vitest'
import { withReferenceLoudness } from '../../../src-contract/delivery-target.ts'
import { Report } from '../../../src-contract/report.ts'
import { DEFAULT_SETTINGS } from '../../../src-contract/settings.ts'
import { masterSong } from '../../../src-worker/mastering/pipeline.ts'
import { createProgressMeter, MASTERING_WEIGHTS } from '../../../src-worker/mastering/progress-meter.ts'
import { bandwidthOf } from '../../../src-worker/mastering/report-facts.ts'
import { describeFailure, WorkFailure } from '../../../src-worker/mastering/work-failure.ts'
import {
  WORK_STAGES,
  type WorkerMessage,
  type WorkOrder,
  type WorkProgress,
  type WorkResult,
} from '../../../src-worker/mastering/work-order.ts'
import { listEncoders } from '../../../src-worker/media/ffmpeg.ts'
import { createWavWriter } from '../../../src-worker/media/wav.ts'
import { filesIn, keptFiles, placeOf } from '../../../src-worker/result/result-zip.ts'
import { ENGINE } from '../../support/built.ts'
import { IS_CAMPAIGN } from '../../support/campaign.ts'
import { largest } from '../../support/sounds.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { readByEbur128, runPlain, songLike, writeFloatWav } from '../media/make-audio.ts'
import { masterOrder, type OrderChange, orderFor, runOrder, startWorker, storedSong } from './run-worker.ts'

const folder = temporaryFolder()
const at = (name: string) => path.join(folder, name)
const song = at('song.wav')
/** The first seconds of the song, for tests of files and messages rather than sound. */
const start = at('start.wav')
let order: WorkOrder
let result: WorkResult
const progress: WorkProgress[] = []

/** Returns the paths of all files of a result: masters by their platform, the others by their name. */
function unpack(made: WorkResult, { attemptFolder }: WorkOrder): Record<string, string> {
  const master = (file: string) => made.masters.find((each) => each.file === file)
  return Object.fromEntries(
    filesIn(made.zip).map((file) => [
      master(file)?.platform ?? file,
      path.join(attemptFolder, placeOf(made.zip, file)!.file),
    ]),
  )
}

beforeAll(async () => {
  runPlain(
    '-i',
    writeFloatWav(at('plain.wav'), songLike(8, 48_000), 48_000),
    ...['-c:a', 'pcm_s24le', '-metadata', 'title=등불 아래'],
    song,
  )
  runPlain('-i', song, '-t', '4', '-c:a', 'copy', start)
  order = await orderFor(song, folder, { artist: '새벽' })
  const { messages, exitCode } = await runOrder(order)
  const last = messages.at(-1)
  if (last?.type !== 'done') throw new Error(JSON.stringify(last))
  expect(exitCode).toBe(0)
  result = last.result
  progress.push(...messages.filter((message) => message.type === 'progress'))
})

describe('an engine process with a song', () => {
  it('leaves only the files of its ZIP in its folder, each sound once and private', () => {
    const distinct = new Set(result.masters.map(({ sha256 }) => sha256))
    const names = readdirSync(order.attemptFolder)
    expect(names.sort()).toEqual(
      keptFiles(result.zip)
        .map(({ file }) => file)
        .sort(),
    )
    expect(names.filter((name) => name.endsWith('.wav'))).toHaveLength(distinct.size)
    for (const name of names) expect(statSync(path.join(order.attemptFolder, name)).mode & 0o777, name).toBe(0o600)
  })

  it('delivers one master per platform, each on its target and below its ceiling by another meter', () => {
    const files = unpack(result, order)
    for (const master of result.masters) {
      const read = readByEbur128(files[master.platform]!)
      const errorLu = read.integratedLufs - master.target_lufs
      const isExcused = master.verdict === 'below_target' && errorLu < 0
      expect(Math.abs(errorLu) <= 0.1 || isExcused, `${master.platform} is off by ${errorLu} LU`).toBe(true)
      expect(read.truePeakDbtp - master.ceiling_dbtp, master.platform).toBeLessThanOrEqual(0.05)
      expect(Math.abs(read.integratedLufs - master.integrated_lufs)).toBeLessThanOrEqual(0.05)
    }
    // At −14 and below nothing excuses a song like this.
    for (const { target_lufs, verdict } of result.masters) if (target_lufs <= -14) expect(verdict).toBe('on_target')
    expect(result.masters.map(({ platform }) => platform)).toEqual(order.settings.platforms)
  })

  it('writes 24 bit at the rate of the song for every platform', () => {
    for (const { platform, sample_rate_hz, bit_depth } of result.masters) {
      expect({ platform, sample_rate_hz, bit_depth }).toEqual({ platform, sample_rate_hz: 48_000, bit_depth: 24 })
    }
  })

  it.each([
    [32_000, 44_100],
    [192_000, 96_000],
  ])('writes 24 bit at a rate that shops take: a song at %d Hz at %d Hz', async (rateHz, writtenHz) => {
    const file = writeFloatWav(at(`rate-${rateHz}.wav`), songLike(2, rateHz), rateHz)
    const { masters } = await masterOrder(await orderFor(file, folder, { platforms: ['melon'] }))
    expect(masters).toMatchObject([{ sample_rate_hz: writtenHz, bit_depth: 24 }])
  })

  it('names folder and files after the tag and keeps the tags', () => {
    expect(result.zip.folderName).toBe('등불 아래_master_12345678')
    expect(result.masters[0]!.file).toBe('등불 아래_spotify.wav')
    const tags = runPlain('-i', unpack(result, order).melon!, '-f', 'ffmetadata', '-').toString('utf8')
    expect(tags).toMatch(/title=등불 아래/)
    expect(tags).toMatch(/artist=새벽/)
  })

  it('writes a report that fits its schema and the delivered files', () => {
    const report: unknown = JSON.parse(readFileSync(path.join(order.attemptFolder, result.reportJsonFile), 'utf8'))
    expect(Schema.Errors(Report, report)[1]).toEqual([])
    expect(report).toMatchObject({ title: '등불 아래', artist: '새벽', job_id: order.jobId })
    expect((report as Report).masters.map((master) => master.result)).toEqual(result.masters)
  })

  it('writes a page without external resources', () => {
    const html = readFileSync(path.join(order.attemptFolder, result.reportHtmlFile), 'utf8')
    expect(html).not.toMatch(/(src|href)=|url\(|@import|https?:/)
    expect(html).toContain('<h1><bdi>등불 아래</bdi></h1>')
  })

  it('reports progress that goes through all stages and never runs backwards', () => {
    expect([...new Set(progress.map(({ stage }) => stage))]).toEqual([...WORK_STAGES])
    const fractions = progress.map(({ fraction }) => fraction)
    expect(fractions).toEqual([...fractions].sort((a, b) => a - b))
    expect(fractions.at(-1)).toBe(1)
  })

  it('makes the same bytes on one thread and on two', async () => {
    // And in another process than theirs.
    const platforms = ['spotify', 'melon'] as const
    const again = await masterOrder(await orderFor(song, folder, { artist: '새벽', threads: 1, platforms }))
    const sums = result.masters.flatMap(({ platform, sha256 }) =>
      platforms.some((one) => one === platform) ? sha256 : [],
    )
    expect(again.masters.map(({ sha256 }) => sha256)).toEqual(sums)
  })
})

describe('masters that make the same promise', () => {
  it('are one render, and the same file twice', async () => {
    const at44 = at('song44.wav')
    runPlain('-i', start, '-ar', '44100', '-c:a', 'pcm_s16le', at44)
    const { masters } = await masterOrder(
      await orderFor(at44, folder, { platforms: ['spotify', 'youtube', 'apple_music'] }),
    )
    expect(masters[0]!.sha256).toBe(masters[1]!.sha256)
    expect(masters[0]!.sha256).not.toBe(masters[2]!.sha256)
    expect(masters.map(({ same_bytes_as }) => same_bytes_as)).toEqual([
      [masters[1]!.platform],
      [masters[0]!.platform],
      undefined,
    ])
  })
})

describe('a song of a high rate', () => {
  it('keeps its rate, and reaches its target there', async () => {
    const high = writeFloatWav(at('high.wav'), songLike(4, 96_000), 96_000)
    const work = await orderFor(high, folder, { platforms: ['youtube'] })
    const made = await masterOrder(work)
    expect(made.masters).toMatchObject([{ sample_rate_hz: 96_000, bit_depth: 24 }])
    const { integratedLufs } = readByEbur128(unpack(made, work).youtube!)
    expect(Math.abs(integratedLufs + 14)).toBeLessThanOrEqual(0.1)
  })
})

describe('a mono song', () => {
  it('comes out on two equal channels', async () => {
    const mono = writeFloatWav(at('mono.wav'), songLike(6).slice(0, 1), 44_100)
    const work = await orderFor(mono, folder, { platforms: ['melon'] })
    const made = await masterOrder(work)
    const samples = new Int16Array(
      new Uint8Array(runPlain('-i', unpack(made, work).melon!, '-f', 's16le', '-c:a', 'pcm_s16le', 'pipe:1')).buffer,
    )
    // The dither of the two channels differs by a few steps.
    expect(largest(0, samples.length / 2, (i) => samples[2 * i]! - samples[2 * i + 1]!)).toBeLessThan(40)
    expect(made.warnings.map(({ code }) => code)).toContain('INPUT_MONO')
  })

  it('has every click and every flat top counted once, in both channels of its masters', async () => {
    const countsOf = async (name: string, channels: Float32Array[]) => {
      const work = await orderFor(writeFloatWav(at(name), channels, 44_100), folder, { platforms: ['melon'] })
      const { repairs, warnings } = await masterOrder(work)
      const { decisions } = JSON.parse(readFileSync(path.join(work.attemptFolder, 'report.json'), 'utf8')) as Report
      const said = decisions.filter(({ code }) => code === 'CLICKS_MENDED' || code === 'CLIPPING_REBUILT')
      const clipped = warnings.find(({ code }) => code === 'INPUT_CLIPPED')?.values?.count
      return { repairs, clipped, said: said.map(({ code, values }) => [code, values.count]) }
    }
    const [plain] = songLike(6)
    const clicked = plain!.slice()
    for (const seconds of [1.1, 2.6, 4.1]) clicked[Math.round(seconds * 44_100)]! += 0.5
    const clicks = await countsOf('clicked.wav', [clicked])
    expect(clicks.repairs).toMatchObject([{ kind: 'clicks', count: 3, channel: 'both' }])
    expect(clicks.said).toEqual([['CLICKS_MENDED', 3]])

    const level = 0.4
    const clipped = plain!.map((sample) => Math.max(-level, Math.min(level, sample)))
    const mono = await countsOf('clipped.wav', [clipped])
    const oneSided = await countsOf('one-sided.wav', [clipped, plain!])
    expect(oneSided.repairs).toMatchObject([{ kind: 'clipping', channel: 'left' }])
    expect(mono.repairs).toEqual([{ ...oneSided.repairs[0], channel: 'both' }])
    expect([mono.clipped, mono.said]).toEqual([oneSided.clipped, oneSided.said])
  })
})

describe('a reference', () => {
  it('is followed in both tiers, and being the song itself is named', async () => {
    const reference = writeFloatWav(at('reference.wav'), songLike(8, 44_100, 0.2), 44_100)
    runPlain('-i', reference, '-af', 'treble=g=-9', '-c:a', 'pcm_s16le', at('dark.wav'))
    for (const tier of IS_CAMPAIGN ? (['standard', 'premium'] as const) : (['standard'] as const)) {
      const change = { platforms: ['apple_music'], tier, reference: await storedSong(at('dark.wav')) } as const
      const work = await orderFor(start, folder, change)
      await masterOrder(work)
      const report = JSON.parse(readFileSync(path.join(work.attemptFolder, 'report.json'), 'utf8')) as Report
      expect(report.decisions.map(({ code }) => code)).toContain('TONE_TOWARD_REFERENCE')
      expect(report.reference_filename).toBe('dark.wav')
    }
    const own = await orderFor(start, folder, { platforms: ['melon'], reference: await storedSong(start) })
    const itself = await masterOrder(own)
    expect(itself.warnings.map(({ code }) => code)).toContain('REFERENCE_IS_TARGET')
    const { source, reference: same } = JSON.parse(
      readFileSync(path.join(own.attemptFolder, 'report.json'), 'utf8'),
    ) as Report
    expect(same).toEqual({ measurement: source.measurement, spectrum: source.spectrum, curves: source.curves })
  })
})

describe('the loudness of a reference', () => {
  const quiet = at('quiet-reference.wav')
  const masters = async (change: OrderChange) => {
    const order = await orderFor(start, folder, { platforms: ['spotify'], release_master: true, ...change })
    const made = await masterOrder(order)
    return [...made.masters, made.release!].map(({ target_lufs, sha256 }) => ({ target_lufs, sha256 }))
  }

  it('is the target of every master where that is asked for, below one of their own', async () => {
    runPlain('-i', song, '-af', 'volume=-3dB', '-c:a', 'pcm_s24le', quiet)
    const reference = await storedSong(quiet)
    const { integratedLufs } = readByEbur128(quiet)
    const followed = await masters({ reference, reference_loudness: true })
    for (const { target_lufs } of followed) expect(Math.abs(target_lufs - integratedLufs)).toBeLessThanOrEqual(0.1)
    const asNumber = await masters({ reference, target_lufs: followed[0]!.target_lufs })
    expect(followed).toEqual(asNumber)
    expect(await masters({ reference, reference_loudness: true, target_lufs: -16 })).toMatchObject(
      Array(2).fill({ target_lufs: -16 }),
    )
  })

  it.each([
    [-9.37, null, true, -9.4],
    [-30, null, true, -24],
    [-4, null, true, -6],
    [null, null, true, null],
    [-9.37, -12, true, -12],
    [-9.37, null, false, null],
  ])('of %j LUFS, with the own target %j, asked for: %j, is the target %j', (lufs, target_lufs, asked, target) => {
    const settings = { ...DEFAULT_SETTINGS, target_lufs, reference_loudness: asked }
    expect(withReferenceLoudness(settings, { integratedLufs: lufs }).target_lufs).toBe(target)
  })
})

describe('premium', () => {
  it('writes 24 bit at the rate of the song and says what lossy copies peak at', async () => {
    const { masters } = await masterOrder(
      await orderFor(start, folder, { tier: 'premium', platforms: ['youtube', 'melon'] }),
    )
    for (const master of masters) {
      expect(master).toMatchObject({ sample_rate_hz: 48_000, bit_depth: 24 })
      expect(master.codec_checks!.length).toBeGreaterThan(0)
      for (const check of master.codec_checks!) {
        expect(check.codec).toMatch(/\(ffmpeg \w+(, [\w ]+)?\)$/)
        expect(check.true_peak_dbtp <= 0 || check.ceiling_lowered_db >= 1.5).toBe(true)
      }
    }
  })
})

describe('warnings about a song', () => {
  const codesOf = async (name: string, channels: Float32Array[], change: Parameters<typeof orderFor>[2] = {}) => {
    const file = writeFloatWav(at(name), channels, 44_100)
    const made = await masterOrder(await orderFor(file, folder, { platforms: ['spotify'], ...change }))
    return made.warnings
  }

  it('include channels that cancel in mono, and not channels that only differ', async () => {
    const [left, right] = songLike(4)
    const inverted = await codesOf('inverted.wav', [left!, left!.map((sample) => -sample)])
    expect(inverted).toContainEqual({ code: 'INPUT_OUT_OF_PHASE', values: { lossDb: 60 } })
    const partly = await codesOf('partly.wav', [left!, left!.map((sample) => -0.5 * sample)])
    // The sum is 0.25 of the left channel, the channels together √0.625: 20 lg of their ratio.
    const values = { lossDb: expect.closeTo(10, 0) }
    expect(partly).toContainEqual({ code: 'INPUT_OUT_OF_PHASE', values })
    const wide = await codesOf('wide.wav', [left!, right!])
    expect(wide.map(({ code }) => code)).not.toContain('INPUT_OUT_OF_PHASE')
  })

  it('include a missing end, if the header claims more', async () => {
    const file = writeFloatWav(at('cut.wav'), songLike(4), 44_100)
    const whole = readFileSync(file)
    writeFileSync(file, whole.subarray(0, Math.floor(whole.length / 2)))
    const { warnings } = await masterOrder(await orderFor(file, folder, { platforms: ['spotify'] }))
    expect(warnings).toContainEqual({ code: 'INPUT_CUT_SHORT', values: { claimed: '0:04', held: '0:02' } })
    // Said once: where its end is missing, that it breaks off is no news.
    expect(warnings.map(({ code }) => code)).not.toContain('INPUT_BREAKS_OFF')
  })

  it('include content that the header does not count', async () => {
    const file = writeFloatWav(at('more.wav'), songLike(6), 44_100)
    const bytes = readFileSync(file)
    bytes.writeUInt32LE(2 * 44_100 * 8, 40)
    writeFileSync(file, bytes)
    const { warnings } = await masterOrder(await orderFor(file, folder, { platforms: ['spotify'] }))
    expect(warnings).toContainEqual({ code: 'INPUT_HOLDS_MORE', values: { counted: '0:02', more: '0:04' } })
    expect(warnings.map(({ code }) => code)).not.toContain('INPUT_BREAKS_OFF')
  })

  it('include damage, with its length', async () => {
    const wav = writeFloatWav(at('sound.wav'), songLike(4), 44_100)
    const file = at('damaged.flac')
    runPlain('-i', wav, '-c:a', 'flac', file)
    const bytes = readFileSync(file)
    bytes[Math.floor(bytes.length / 2)]! ^= 16
    writeFileSync(file, bytes)
    const { warnings } = await masterOrder(await orderFor(file, folder, { platforms: ['spotify'] }))
    const damage = warnings.find(({ code }) => code === 'INPUT_DAMAGED')
    // A frame of 4608 samples, and with ffmpeg 7 its neighbours.
    expect([0.1, 0.2, 0.3]).toContain(damage?.values?.seconds)
  })

  it('include pictures and tags that the masters do not contain', async () => {
    const wav = writeFloatWav(at('tagged.wav'), songLike(4), 44_100)
    const file = at('tagged.mp3')
    runPlain('-i', wav, '-id3v2_version', '0', at('untagged.mp3'))
    const sizeOf = (bytes: number) => Buffer.from([21, 14, 7, 0].map((shift) => (bytes >>> shift) & 0x7f))
    const frame = (id: string, content: string) =>
      Buffer.concat([Buffer.from(id), sizeOf(Buffer.byteLength(content)), Buffer.from(`\0\0${content}`)])
    const frames = Buffer.concat([frame('APIC', '\x03image/webp\0\x03\0no picture')])
    const tag = Buffer.concat([Buffer.from('ID3\x04\0\0'), sizeOf(frames.length), frames])
    writeFileSync(file, Buffer.concat([tag, readFileSync(at('untagged.mp3'))]))
    const work = await orderFor(file, folder, { platforms: ['spotify'] })
    const { warnings } = await masterOrder(work)
    expect(warnings).toContainEqual({ code: 'INPUT_COVER_DROPPED', values: { reason: 'format' } })
    const report = JSON.parse(readFileSync(path.join(work.attemptFolder, 'report.json'), 'utf8')) as Report
    const { message } = report.warnings.find(({ code }) => code === 'INPUT_COVER_DROPPED')!
    expect(message).toMatch(/^The cover was left out because it is not a JPEG/)
  })

  it('do not include mono if only the first frame is mono', async () => {
    const wav = writeFloatWav(at('both.wav'), songLike(4), 44_100)
    const options = ['-id3v2_version', '0', '-write_xing', '0', '-b:a', '128k']
    runPlain('-i', wav, ...options, at('stereo.mp3'))
    runPlain('-i', wav, '-ac', '1', ...options, at('mono.mp3'))
    const file = at('mono-frame.mp3')
    writeFileSync(file, Buffer.concat([readFileSync(at('mono.mp3')).subarray(0, 417), readFileSync(at('stereo.mp3'))]))
    const work = await orderFor(file, folder, { platforms: ['spotify'] })
    const made = await masterOrder(work)
    expect(made.warnings.map(({ code }) => code)).not.toContain('INPUT_MONO')
    const master = unpack(made, work).spotify!
    const sides = runPlain('-i', master, '-af', 'pan=mono|c0=c0-c1', '-f', 's16le', 'pipe:1')
    expect(
      Math.max(...new Int16Array(sides.buffer, sides.byteOffset, sides.length >> 1).subarray(10_000, 60_000)),
    ).toBeGreaterThan(1000)
  })

  it('include a silent reference', async () => {
    const reference = await storedSong(writeFloatWav(at('quiet.wav'), [new Float32Array(300_000)], 44_100))
    const warnings = await codesOf('followed.wav', songLike(4), { reference })
    expect(warnings.map(({ code }) => code)).toContain('REFERENCE_NOT_COMPARABLE')
  })

  it('give no bandwidth above half the sample rate of the file', async () => {
    const file = writeFloatWav(at('low.wav'), songLike(4, 8000), 8000)
    const work = await orderFor(file, folder, { platforms: ['spotify'] })
    const { warnings } = await masterOrder(work)
    const limited = warnings.find(({ code }) => code === 'INPUT_BAND_LIMITED')
    const cutoffHz = limited?.values?.cutoffHz
    expect(cutoffHz).toBeGreaterThan(3750)
    expect(cutoffHz).toBeLessThanOrEqual(4000)
    const report = JSON.parse(readFileSync(path.join(work.attemptFolder, 'report.json'), 'utf8')) as Report
    expect(report.source).toMatchObject({ codec: 'WAV 32 bit float', bit_depth: 32 })
    expect(Math.round(report.source.bandwidth_hz!)).toBe(cutoffHz)
    // A converter may leave more above it than soxr does.
    const { facts } = work.source
    expect(bandwidthOf({ bandwidthHz: 4100 }, facts)).toBe(4000)
  })
})

describe('the report of a song that ends at 4 kHz', () => {
  const low = () => writeFloatWav(at('telephone.wav'), songLike(4, 8000), 8000)
  const resampled = () => {
    runPlain('-i', low(), '-ar', '44100', '-c:a', 'pcm_s24le', at('resampled.wav'))
    return at('resampled.wav')
  }
  it.each([
    ['in a file of 8 kHz', low],
    ['in a file of 44.1 kHz', resampled],
  ])(
    'compares its balance only where it sounds, %s',
    async (_, make) => {
      const work = await orderFor(make(), folder, { platforms: ['spotify'] })
      await masterOrder(work)
      const report = JSON.parse(readFileSync(path.join(work.attemptFolder, 'report.json'), 'utf8')) as Report
      expect(report.decisions.map(({ code }) => code)).toContain('TONE_LEFT_ALONE')
      const html = readFileSync(path.join(work.attemptFolder, 'report.html'), 'utf8')
      expect(html).toContain('The tonal balance is unchanged within 0.3\u00a0dB.')
      const [before, after] = ['in', 'out'].map((name) => {
        const lines = [...html.matchAll(new RegExp(`class="line ${name}" d="M([^"]*)"`, 'g'))].map((match) => match[1]!)
        return lines.at(-1)!.split(/[ L]/).map(Number)
      })
      expect(after!.length).toBe(before!.length)
      // 1 dB: the plot is 268 units high for 42 dB.
      for (const [i, unit] of after!.entries()) expect(Math.abs(unit - before![i]!)).toBeLessThan(268 / 42)
    },
    120_000,
  )
})

describe('a song of nothing but clicks', () => {
  it('is mastered, and its clicks stay', async () => {
    const clicks = Float32Array.from({ length: 300_000 }, (_, i) => (i % 22_050 === 11_025 ? 0.8 : 0))
    const file = writeFloatWav(at('clicks.wav'), [clicks, clicks], 44_100)
    const result = await masterOrder(await orderFor(file, folder, { platforms: ['spotify'] }))
    expect(result).toMatchObject({ repairs: [], masters: [{ verdict: 'below_target' }] })
  })
})

describe('a job that cannot be done', () => {
  const fails = async (change: Partial<WorkOrder>, file = song) => {
    const failing = masterOrder(await orderFor(file, folder, change))
    return failing.then(() => ({ type: 'done' }), describeFailure)
  }

  it('fails for digital silence', async () => {
    const silence = writeFloatWav(at('silence.wav'), [new Float32Array(100_000), new Float32Array(100_000)], 44_100)
    const { messages, exitCode } = await runOrder(await orderFor(silence, folder))
    expect(exitCode).toBe(0)
    expect(messages.at(-1)).toMatchObject({ type: 'failed', failureCode: 'DIGITAL_SILENCE' })
  })

  it('fails for a song that is silent after its repair, and delivers no empty master', async () => {
    const offset = writeFloatWav(at('offset.wav'), [new Float32Array(100_000).fill(0.5)], 44_100)
    expect(await fails({}, offset)).toMatchObject({ type: 'failed', failureCode: 'DIGITAL_SILENCE' })
  })

  it('fails for less than a second', async () => {
    expect(await fails({}, writeFloatWav(at('short.wav'), songLike(0.9), 44_100))).toMatchObject({
      failureCode: 'TOO_SHORT',
    })
  })

  it('fails if the stored song is missing', async () => {
    const gone = { ...order.source, path: at('gone.wav') }
    expect(await fails({ source: gone })).toMatchObject({ failureCode: 'SOURCE_LOST' })
  })

  it('reports the decoding of a reference before it fails for the song', async () => {
    const silence = writeFloatWav(at('silence.wav'), [new Float32Array(100_000)], 44_100)
    const work = await orderFor(silence, folder, { reference: await storedSong(song) })
    const fractions: number[] = []
    const told = ({ fraction }: WorkProgress) => fractions.push(fraction)
    await expect(masterSong(work, told, new AbortController().signal)).rejects.toThrow()
    expect(fractions.length).toBeGreaterThan(5)
    expect(fractions).toEqual([...fractions].sort((a, b) => a - b))
  })

  it('fails for an unreadable reference, with the code of references', async () => {
    const noSound = () => writeFloatWav(at('nan.wav'), [new Float32Array(300_000).fill(Number.NaN)], 44_100)
    const reference = await storedSong(noSound())
    const failed = await fails({ reference })
    expect(failed).toMatchObject({ failureCode: 'REFERENCE_UNREADABLE', message: '100 % of the samples are no sound' })
    const ofSong = { failureCode: 'INVALID_SAMPLES', params: { percent: 100 } }
    expect(await fails({}, noSound())).toMatchObject(ofSong)
    expect(await fails({ reference }, noSound())).toMatchObject(ofSong)
  })

  it('fails if ffmpeg is missing', async () => {
    // Its encoders are asked for; a WAV is read without it.
    const settings = { ...order.settings, tier: 'premium' as const }
    expect(await fails({ settings, ffmpeg: { ...order.ffmpeg, path: at('no-ffmpeg') } })).toMatchObject({
      failureCode: 'FFMPEG_MISSING',
    })
  })

  it('ends the ffmpeg of one copy when another copy failed', async (context) => {
    const encoders = await listEncoders(order.ffmpeg)
    const canFail = process.platform !== 'win32' && encoders.has('aac') && encoders.has('libmp3lame')
    context.skip(!canFail, 'needs sh and an ffmpeg with aac and libmp3lame')
    const [program, pid] = [at('half-ffmpeg'), at('pid')]
    const lines = [
      '#!/bin/sh',
      `case "$*" in *"-c:a aac"*|*"-c:a libfdk_aac"*) echo $$ > '${pid}'; exec sleep 600;; esac`,
      `case "$*" in *"-c:a libmp3lame"*) while [ ! -s '${pid}' ]; do sleep 0.1; done; exit 1;; esac`,
      `exec '${order.ffmpeg.path}' "$@"`,
    ]
    writeFileSync(program, `${lines.join('\n')}\n`, { mode: 0o755 })
    const ffmpeg = { ...order.ffmpeg, path: program }
    const work = await orderFor(start, folder, { tier: 'premium', platforms: ['apple_music', 'melon'], ffmpeg })
    await expect(masterOrder(work)).rejects.toThrow('libmp3lame')
    const isAlive = () => {
      try {
        return process.kill(Number(readFileSync(pid, 'utf8')), 0)
      } catch {
        return false
      }
    }
    await expect.poll(isAlive).toBe(false)
  })

  it('answers CANCELLED when it is aborted', async () => {
    const work = await orderFor(song, folder)
    const { messages } = await runOrder(work, (message, worker) => {
      if (message.type === 'progress' && message.stage === 'rendering') worker.send({ type: 'abort' })
    })
    expect(messages.at(-1)).toMatchObject({ type: 'failed', failureCode: 'CANCELLED' })
  })

  it('answers DISK_FULL for a full disk', (context) => {
    context.skip(process.platform !== 'linux', '/dev/full is there on Linux only')
    const write = () => {
      const format = { sampleRateHz: 44_100, bitDepth: 16, frames: 1 } as const
      createWavWriter('/dev/full', format, { tags: {} }).write(new Uint8Array(4))
    }
    let full: unknown
    try {
      write()
    } catch (error) {
      full = error
    }
    expect(describeFailure(full)).toMatchObject({ failureCode: 'DISK_FULL' })
  })

  it('answers DISK_FULL for an exhausted quota', () => {
    const overQuota = Object.assign(new Error('write'), { code: 'EDQUOT' })
    expect(describeFailure(overQuota)).toMatchObject({ failureCode: 'DISK_FULL' })
  })

  it('answers with the code for the user and the cause for the log', () => {
    expect(
      describeFailure(new WorkFailure('CEILING_BROKEN', { platform: 'melon' }, new Error('0.2 dB over'))),
    ).toMatchObject({
      failureCode: 'CEILING_BROKEN',
      params: { platform: 'melon' },
      message: '0.2 dB over',
    })
    expect(describeFailure(new Error('?'))).toMatchObject({ failureCode: 'ENGINE_FAILED' })
  })
})

/** Lets an engine process look at the song of `order`: what it told on the way, and what it found. */
async function lookAt({ source, ffmpeg }: WorkOrder) {
  const worker = startWorker()
  const progress: WorkProgress[] = []
  const answer = new Promise<WorkerMessage>((resolve) => {
    worker.on('message', (message: WorkerMessage) => {
      if (message.type === 'progress') progress.push(message)
      else resolve(message)
    })
  })
  worker.send({
    type: 'analyse',
    order: { song: source, settings: { ...DEFAULT_SETTINGS, ai_service: 'suno' }, ffmpeg },
  })
  const message = await answer
  return { progress, analysis: message.type === 'analysed' ? message.analysis : undefined }
}

describe('an engine process', () => {
  it('ends by itself when its parent’s channel closes', async () => {
    const work = await orderFor(song, folder)
    const worker = startWorker()
    worker.send({ type: 'work', order: work })
    await new Promise((resolve) => worker.once('message', resolve))
    const ended = new Promise((resolve) => worker.once('exit', resolve))
    worker.disconnect()
    expect(await ended).toBe(0)
    expect(readdirSync(work.attemptFolder).filter((name) => name.endsWith('.zip'))).toEqual([])
  })

  it('does not use the compiler of V8 that computes wrong numbers on busy machines', async () => {
    const worker = fork(ENGINE, [], { serialization: 'advanced', execArgv: ['--trace-opt'], silent: true })
    let traced = ''
    worker.stdout!.on('data', (text: Buffer) => {
      traced += text.toString('utf8')
    })
    const ended = new Promise((resolve) => worker.once('close', resolve))
    worker.send({ type: 'work', order: await orderFor(song, folder, { platforms: ['melon'] }) })
    await ended
    const engine = path.join(import.meta.dirname, '../../../src-engine')
    // Sources of the WebAssembly are never compiled as JavaScript, and Node has functions of the same names.
    const scripts = globSync('**/*.ts', { cwd: engine }).filter((file) => !file.split(path.sep).includes('assembly'))
    const sources = scripts.map((file) => readFileSync(path.join(engine, file), 'utf8'))
    const own = new Set(
      sources.flatMap((text) => [...text.matchAll(/^(?:export )?function (\w+)/gm)].map((m) => m[1]!)),
    )
    const compiledBy = (compiler: string): string[] =>
      [...traced.matchAll(new RegExp(`compiling method \\S+ <JSFunction (\\w+).*target ${compiler}`, 'g'))]
        .map((m) => m[1]!)
        .filter((name) => own.has(name))
    expect(compiledBy('TURBOFAN').length).toBeGreaterThan(0)
    expect(compiledBy('MAGLEV')).toEqual([])
  })

  it('analyses a song and writes nothing', async () => {
    const { analysis } = await lookAt(order)
    expect(analysis).toMatchObject({ codec: 'WAV 24 bit', sample_rate_hz: 48_000, channels: 2, duration_seconds: 8 })
    expect(analysis?.waveform).toHaveLength(1000)
  })

  it('reports rising progress of decoding and then of measuring', async () => {
    const { progress } = await lookAt(order)
    const fractions = progress.map(({ fraction }) => fraction)
    expect(fractions).toEqual([...fractions].sort((a, b) => a - b))
    const stages = progress.map(({ stage }) => stage)
    expect(stages.lastIndexOf('decoding')).toBeLessThan(stages.indexOf('analysing'))
    expect(stages.filter((stage) => stage === 'decoding').length).toBeGreaterThan(5)
    expect(stages.filter((stage) => stage === 'analysing').length).toBeGreaterThan(4)
    expect(fractions.at(-1)).toBeGreaterThan(0.95)
    expect(fractions.at(-1)).toBeLessThanOrEqual(1)
  })
})

describe('the progress meter', () => {
  it('ignores earlier stages and smaller parts', () => {
    const sent: WorkProgress[] = []
    const meter = createProgressMeter(MASTERING_WEIGHTS.standard, (message) => sent.push(message))
    meter.report('decoding', 1)
    meter.report('rendering', 0.5)
    meter.report('analysing', 1)
    meter.report('rendering', 0.2)
    meter.report('packaging', 7)
    expect(sent.map(({ stage }) => stage)).toEqual(['decoding', 'rendering', 'packaging'])
    expect(sent.at(-1)!.fraction).toBe(1)
  })

  it('does not jump over a stage that has nothing to do', () => {
    const sent: number[] = []
    const meter = createProgressMeter(MASTERING_WEIGHTS.standard, ({ fraction }) => sent.push(fraction))
    meter.report('decoding', 1)
    meter.report('analysing', 0)
    meter.report('rendering', 0)
    expect(new Set(sent)).toEqual(new Set([MASTERING_WEIGHTS.standard.decoding]))
    meter.report('rendering', 1)
    meter.report('verifying', 1)
    meter.report('packaging', 1)
    expect(sent.at(-1)).toBeCloseTo(1, 12)
  })
})
