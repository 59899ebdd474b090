import { afterEach, describe, expect, it, vi } from 'vitest'
import { ApiError, type Client, createClient } from '../../../src-contract/client.ts'
import type { MasterResult } from '../../../src-contract/report.ts'
import { clock, clockTenths } from '../../../src-contract/text/numbers.ts'
import type { AudioGraph, AudioGraphDeps } from '../../../src-renderer/playback/audio-graph.ts'
import { Playback } from '../../../src-renderer/playback/playback.ts'
import { songItem } from '../../../src-renderer/playback/song-item.ts'
import { fileOpener } from '../../../src-renderer/playback/source.ts'
import {
  aimedAt,
  gainsOf,
  heardVersion,
  type PlaybackItem,
  type PlaybackVersion,
  shownService,
} from '../../../src-renderer/playback/state.ts'

const AIMS_LUFS: Readonly<Record<string, number>> = { spotify: -14, melon: -11 }

const version = (id: string, kind: PlaybackVersion['kind'], key: string, integratedLufs: number): PlaybackVersion => ({
  id,
  kind,
  key,
  jobId: 'job',
  source: { kind: 'master', jobId: 'job', file: kind === 'platform' ? (id as 'spotify') : 'source' },
  ...(kind === 'platform' ? { platform: id as 'spotify' } : {}),
  level: { integratedLufs, truePeakDbtp: -1 },
  ...(id in AIMS_LUFS ? { result: { target_lufs: AIMS_LUFS[id] } as MasterResult } : {}),
})
const VERSIONS: PlaybackVersion[] = [
  version('source', 'source', '0', -16.7),
  version('spotify', 'platform', '1', -14),
  { ...version('apple_music', 'platform', '2', -16), missing: 'not_ordered' },
  version('melon', 'platform', '4', -9.9),
  version('reference', 'reference', 'R', -8),
]

/** An audio graph that notes what it is told and stands where it was sent. */
function fakeGraph() {
  const told: [string, unknown?][] = []
  let seconds = 0
  let frame = 0
  let options: AudioGraphDeps | undefined
  const dropped = new Set<string>()
  const gate: { wait?: Promise<void>; isBroken?: boolean } = {}
  const note =
    (name: string) =>
    (...values: unknown[]) => {
      told.push([name, ...values] as [string, unknown?])
    }
  const graph = {
    load: async (files: readonly { name: string }[]) => {
      told.push(['load', files.map(({ name }) => name)])
      for (const { name } of files) dropped.delete(name)
      await gate.wait
      for (const file of files) {
        if (dropped.has(file.name)) continue
        if (gate.isBroken) options?.onFailure(file.name, new Error('gone'))
        else options?.onReady(file.name)
      }
    },
    drop: (version: string) => {
      dropped.add(version)
      told.push(['drop', version])
    },
    play: note('play'),
    pause: note('pause'),
    choose: note('choose'),
    seek: (to: number) => {
      seconds = to
      told.push(['seek', to])
    },
    setLoop: note('loop'),
    setLevels: note('levels'),
    setDifference: note('difference'),
    setVolume: note('volume'),
    position: () => seconds,
    spectrum: () => ({ bins: new Float32Array(1), binHz: 1 }),
    close: note('close'),
  } as unknown as AudioGraph
  return {
    told,
    gate,
    fail: (version: string, error: unknown = new Error('gone')) => options?.onFailure(version, error),
    all: (name: string) => told.filter(([what]) => what === name).map(([, value]) => value),
    last: (name: string) => told.findLast(([what]) => what === name)?.[1],
    at: (to: number) => {
      seconds = to
    },
    create: async (given: AudioGraphDeps) => {
      options = given
      return graph
    },
    /** A version sounds for so long, as quarters of a second are reported. */
    sound: (version: string, lastsSeconds: number) => {
      const shared = { serial: 0, isPlaying: true, isWaiting: false, truePeaks: [0, 0], loudness: {} } as const
      for (let quarter = 0; quarter < 4 * lastsSeconds; quarter++) {
        frame += 12_000
        options?.onReport({ ...shared, frame, version })
      }
    },
  }
}

const ITEM: PlaybackItem = {
  kind: 'job',
  id: 'job',
  title: 'Song',
  durationSeconds: 200,
  rateHz: 48_000,
  versions: VERSIONS,
  first: { version: 'spotify', lastHeard: 'spotify', levelMode: 'matched', service: null },
  keeps: [],
}

function visited(coins: boolean[] = [], openGraph?: () => Promise<AudioGraph>, client = {} as Client) {
  const fake = fakeGraph()
  const playback = new Playback({
    client,
    openGraph: openGraph ?? fake.create,
    tossCoin: () => coins.shift() ?? false,
  })
  playback.load(ITEM)
  return Object.assign(playback, { fake, state: playback.store.getState })
}

async function started(coins: boolean[] = []) {
  const visit = visited(coins)
  await visit.open()
  return visit
}

/** A song that was not mastered yet, before and with the audition of its newest sound. */
const LEVEL = { integratedLufs: -16.7, truePeakDbtp: -1 }
const SONG = songItem({ title: 'Song', sourceId: 'song', durationSeconds: 200, rateHz: 48_000, level: LEVEL })
const audition = (sound: string): PlaybackVersion => ({
  ...version('audition', 'audition', '1', -14),
  track: `audition ${sound} exact`,
})

describe('an audition', () => {
  it('sounds that was there before the song was played for the first time', async () => {
    const visit = visited()
    visit.load(SONG)
    await visit.late.setAudition(audition('a'))
    visit.choose('audition')
    visit.play()
    await visit.open()
    expect(visit.fake.last('choose')).toBe('audition a exact')
    expect(visit.fake.all('load')).toEqual([['audition a exact', 'source']])
    await visit.late.setAudition(audition('b'))
    expect(visit.fake.last('choose')).toBe('audition b exact')
    visit.fake.sound('audition b exact', 2)
    expect(visit.fake.all('drop'), 'the replaced one').toEqual(['audition a exact'])
  })

  it('that cannot be read is told, unless another one plays', async () => {
    const visit = visited()
    visit.load(SONG)
    await visit.late.setAudition(audition('a'))
    visit.choose('audition')
    visit.play()
    await visit.open()
    visit.fake.fail('audition b exact')
    expect(visit.state()).toMatchObject({ hasFailed: false, isPlaying: true })
    visit.fake.fail('audition a exact')
    expect(visit.state()).toMatchObject({ hasFailed: true, isPlaying: false })
  })
})

describe('a button pressed while the sound is being started', () => {
  it('takes effect when the sound has started', async () => {
    const visit = visited()
    const { fake, state } = visit
    const starting = visit.open()
    visit.toggle()
    visit.loop.set({ startSeconds: 10, endSeconds: 20 })
    await starting
    expect(state().isPlaying).toBe(true)
    expect(fake.told.map(([what]) => what)).toContain('play')
    expect(fake.all('load'), 'it is read once').toHaveLength(1)
    expect(fake.last('loop')).toEqual({ startSeconds: 10, endSeconds: 20 })
  })

  it('plays nothing where the sound cannot be started', async () => {
    const visit = visited([], () => Promise.reject(new Error('no audio')))
    const { state } = visit
    const starting = visit.open()
    visit.toggle()
    await starting
    expect(state()).toMatchObject({ hasFailed: true, isPlaying: false })
    visit.toggle()
    expect(state(), 'the next press tries again').toMatchObject({ hasFailed: false, isPlaying: true })
    await visit.open()
    expect(state()).toMatchObject({ hasFailed: true, isPlaying: false })
  })

  it('opens the masters before the chosen original, which is aligned with them', async () => {
    const visit = visited()
    const { fake } = visit
    const starting = visit.open()
    visit.choose('melon')
    visit.choose('source')
    await starting
    expect(fake.last('load')).toEqual(['spotify', 'melon', 'source', 'reference'])
  })
})

describe('choosing a version', () => {
  it('begins with the first master, matched', async () => {
    const { fake, state } = await started()
    expect(state()).toMatchObject({ version: 'spotify', levelMode: 'matched' })
    expect(fake.last('choose')).toBe('spotify')
  })

  it('ignores a version that does not exist', async () => {
    const visit = await started()
    const { state } = visit
    visit.choose('apple_music')
    visit.choose('nothing')
    expect(state().version).toBe('spotify')
  })

  it('does not swap to a master that cannot be read', async () => {
    const visit = await started()
    const { fake, state } = visit
    visit.choose('source')
    fake.fail('spotify')
    visit.swap()
    expect([state().version, fake.last('choose')]).toEqual(['source', 'source'])
  })

  it('swaps between the original and the version heard last', async () => {
    const visit = await started()
    const { fake } = visit
    for (const id of ['melon', 'reference']) {
      visit.choose(id)
      visit.swap()
      expect(fake.last('choose')).toBe('source')
      visit.swap()
      expect(fake.last('choose')).toBe(id)
    }
  })
})

describe('a program that goes away while one listens', () => {
  afterEach(() => void vi.useRealTimers())

  /** Opens a file at a server that gives one answer after another. */
  function openAt(...answers: (() => Response)[]) {
    vi.useFakeTimers()
    const client = createClient({
      session: null,
      language: () => 'en',
      fetch: async () => answers.shift()?.() ?? Response.json({}, { status: 500 }),
    })
    const control = new AbortController()
    const open = fileOpener(client, { kind: 'song', sourceId: 'song' }, control.signal)({ from: 0, to: 4 })
    open.catch(() => undefined)
    return { open, close: () => control.abort(), answers }
  }
  const away = () => {
    throw new TypeError('no network')
  }
  const brokenOff = () =>
    new Response(new ReadableStream({ pull: (stream) => stream.error(new TypeError('broken off')) }), { status: 206 })
  const whole = () => new Response('RIFF', { status: 206, headers: { 'Content-Range': 'bytes 0-3/100' } })
  const refused = (code: string, status: number) => () => Response.json({ error: { code, message: 'no' } }, { status })

  it('loses no version: a broken answer is read again once the program is back', async () => {
    const { open } = openAt(away, refused('INVALID_API_KEY', 401), brokenOff, whole)
    await vi.advanceTimersByTimeAsync(5000)
    const answer = await open
    expect([answer.status, answer.headers.get('content-range')]).toEqual([206, 'bytes 0-3/100'])
    expect(await answer.text()).toBe('RIFF')
  })

  it('stops asking for a file that does not exist, or that nobody listens to any more', async () => {
    await expect(openAt(refused('RESULT_EXPIRED', 410)).open).rejects.toMatchObject({ code: 'RESULT_EXPIRED' })
    const { open, close, answers } = openAt(away, away, away)
    await vi.advanceTimersByTimeAsync(500)
    close()
    await vi.advanceTimersByTimeAsync(5000)
    await expect(open).rejects.toThrow('no network')
    expect(answers).toHaveLength(1)
  })
})

describe('a master of another job', () => {
  const other = version('other', 'other', 'C', -12)

  it('is heard once it is there', async () => {
    const visit = await started()
    const { fake, state } = visit
    await visit.late.bring(other)
    expect([state().version, fake.last('choose')]).toEqual(['other', 'other'])
  })

  it('gives way to the original when it is taken out while it is heard', async () => {
    const visit = await started()
    const { fake, state } = visit
    await visit.late.bring(other)
    await visit.late.bring(null)
    expect(state()).toMatchObject({ version: 'source', lastMaster: 'spotify' })
    expect([fake.last('drop'), fake.last('choose')]).toEqual(['other', 'source'])
  })

  it('is not chosen when it was taken out while it was loaded', async () => {
    const visit = await started()
    const { fake, state } = visit
    let load: () => void = () => undefined
    fake.gate.wait = new Promise<void>((resolve) => {
      load = resolve
    })
    const brought = visit.late.bring(other)
    await visit.late.bring(null)
    load()
    await brought
    expect(state()).toMatchObject({ version: 'spotify', lastMaster: 'spotify' })
    expect(fake.last('choose')).toBe('spotify')
  })

  it('is not chosen when it cannot be read', async () => {
    const visit = await started()
    const { fake, state } = visit
    fake.gate.isBroken = true
    await visit.late.bring(other)
    expect(state()).toMatchObject({ version: 'spotify', readiness: { other: 'failed' } })
    expect(fake.last('choose')).toBe('spotify')
  })

  it('leaves a master playing when it replaces another one that was playing and cannot be read itself', async () => {
    const visit = await started()
    const { fake, state } = visit
    await visit.late.bring(other)
    fake.gate.isBroken = true
    await visit.late.bring({ ...other, jobId: 'older' })
    expect(state()).toMatchObject({ version: 'spotify', lastMaster: 'spotify' })
    expect(fake.last('choose')).toBe('spotify')
  })
})

describe('a coded copy', () => {
  /** A visit in which copies are made only when `make` is called. */
  async function slowly() {
    const visit = await started()
    let make = () => {}
    visit.fake.gate.wait = new Promise<void>((resolve) => {
      make = resolve
    })
    const made = async () => {
      make()
      await visit.fake.gate.wait
      await Promise.resolve()
    }
    return { ...visit, ...parts(visit), made }
  }
  const parts = (visit: Awaited<ReturnType<typeof started>>) => ({
    hearCopy: visit.late.hearCopy.bind(visit.late),
    formOf: (id: string) => visit.state().copies[id],
  })

  it('is heard when it is there, as loud as its master, and until then the master is', async () => {
    const { fake, hearCopy, formOf, made, state } = await slowly()
    hearCopy('melon', 'mp3_320')
    expect([state().version, fake.last('choose')]).toEqual(['melon', 'melon'])
    expect(formOf('melon')).toEqual({ codec: null, making: 'mp3_320', failed: null })
    await made()
    expect(fake.last('choose')).toBe('melon mp3_320')
    expect(formOf('melon')).toEqual({ codec: 'mp3_320', making: null, failed: null })
    const gains = fake.last('levels') as Record<string, number>
    expect([gains['melon mp3_320'], 20 * Math.log10(gains.melon ?? 0)]).toEqual([gains.melon, expect.closeTo(-6.8, 6)])
  })

  it('stays that of its version, and is let go of only when another was heard for as long as a fade', async () => {
    const visit = await started()
    const { fake } = visit
    visit.late.hearCopy('spotify', 'vorbis_160')
    await Promise.resolve()
    visit.choose('source')
    fake.sound('source', 3)
    visit.choose('spotify')
    expect([fake.last('choose'), fake.all('drop')]).toEqual(['spotify vorbis_160', []])
    visit.late.hearCopy('spotify', 'aac_256')
    await Promise.resolve()
    fake.sound('spotify vorbis_160', 3)
    fake.sound('spotify aac_256', 0.75)
    expect(fake.all('drop')).toEqual([])
    fake.sound('spotify aac_256', 0.25)
    expect(fake.all('drop')).toEqual(['spotify vorbis_160'])
    visit.late.hearCopy('spotify', null)
    expect(fake.last('choose')).toBe('spotify')
  })

  it('that is not wanted any more is given up: the last choice counts', async () => {
    const { fake, hearCopy, formOf, made } = await slowly()
    hearCopy('spotify', 'vorbis_160')
    hearCopy('spotify', 'aac_256')
    expect(fake.all('drop')).toEqual(['spotify vorbis_160'])
    hearCopy('melon', 'mp3_320')
    hearCopy('melon', null)
    await made()
    expect([formOf('spotify')?.codec, formOf('melon')?.codec]).toEqual(['aac_256', null])
    expect(fake.last('choose')).toBe('melon')
  })

  it('that cannot be made leaves what is heard, and tells why until the next choice', async () => {
    const visit = await started()
    const { fake } = visit
    visit.late.hearCopy('spotify', 'aac_256')
    await Promise.resolve()
    fake.gate.wait = new Promise(() => {})
    visit.late.hearCopy('spotify', 'vorbis_160')
    fake.fail('spotify vorbis_160', new ApiError({ code: 'INSUFFICIENT_STORAGE' }))
    const failed = { codec: 'vorbis_160', refusal: { code: 'INSUFFICIENT_STORAGE' } }
    expect(visit.state().copies.spotify).toEqual({ codec: 'aac_256', making: null, failed })
    expect(fake.last('choose')).toBe('spotify aac_256')
    visit.late.hearCopy('spotify', 'aac_256')
    expect(visit.state().copies.spotify?.failed).toBeNull()
  })

  it('that cannot be read any more gives way to its master', async () => {
    const visit = await started()
    const { fake } = visit
    visit.late.hearCopy('spotify', 'aac_256')
    await Promise.resolve()
    fake.fail('spotify aac_256')
    expect(visit.state().copies.spotify).toMatchObject({ codec: null, failed: { codec: 'aac_256' } })
    expect(fake.last('choose')).toBe('spotify')
  })

  it('of a master of another job goes with it', async () => {
    const visit = await started()
    const { fake, state } = visit
    const other = { ...version('other', 'other', 'C', -12), platform: 'melon' as const }
    await visit.late.bring(other)
    visit.late.hearCopy('other', 'mp3_320')
    await Promise.resolve()
    expect(fake.last('choose')).toBe('other mp3_320')
    await visit.late.bring({ ...other, jobId: 'older' })
    expect([state().copies.other, fake.all('drop')]).toEqual([undefined, ['other mp3_320', 'other']])
    visit.late.hearCopy('other', 'mp3_320')
    expect(state().copies.other?.making, 'that of the other job is made').toBe('mp3_320')
  })

  it('is never of the original, of a reference or of what a blind test compares', async () => {
    const visit = await started()
    const { state } = visit
    for (const id of ['source', 'reference', 'apple_music']) visit.late.hearCopy(id, 'aac_128')
    visit.blindTest.start('source', 'melon')
    visit.late.hearCopy('melon', 'mp3_320')
    expect(state()).toMatchObject({ version: 'spotify', copies: {} })
  })
})

describe('the difference alone', () => {
  it('is what mastering changed, or what a codec changed, and nothing of the original or a reference', async () => {
    const visit = await started()
    const { fake } = visit
    expect(fake.last('difference')).toBeNull()
    visit.holdDifference(true)
    expect(fake.last('difference')).toEqual({ of: 'spotify', without: 'source' })
    visit.late.hearCopy('spotify', 'vorbis_160')
    await Promise.resolve()
    expect(fake.last('difference')).toEqual({ of: 'spotify vorbis_160', without: 'spotify' })
    for (const id of ['source', 'reference']) {
      visit.choose(id)
      expect(fake.last('difference')).toBeNull()
    }
    visit.choose('melon')
    expect(fake.last('difference')).toEqual({ of: 'melon', without: 'source' })
    visit.blindTest.start('spotify', 'melon')
    expect(fake.last('difference')).toBeNull()
    visit.blindTest.leave()
    visit.holdDifference(false)
    expect(fake.last('difference')).toBeNull()
  })

  it('is heard at equal level also where files are played as they are, and ends where the original is lost', async () => {
    const visit = await started()
    const { fake } = visit
    visit.adjust({ levelMode: 'file' })
    visit.holdDifference(true)
    expect(20 * Math.log10((fake.last('levels') as Record<string, number>).spotify ?? 0)).toBeCloseTo(-2.7, 6)
    fake.fail('source')
    expect(fake.last('difference')).toBeNull()
    expect((fake.last('levels') as Record<string, number>).spotify).toBe(1)
  })
})

describe('aim', () => {
  it('stays that of the master heard last while the original or the reference is playing, and so does its service', async () => {
    const visit = await started()
    const { state } = visit
    expect(aimedAt(state())?.target_lufs).toBe(-14)
    visit.choose('melon')
    for (const id of ['source', 'reference', 'source']) {
      visit.choose(id)
      expect([aimedAt(state())?.target_lufs, shownService(state())]).toEqual([-11, 'melon'])
    }
  })
})

describe('level', () => {
  it('plays every version at the loudness of the quietest one', async () => {
    const { fake } = await started()
    const gains = fake.last('levels') as Record<string, number>
    expect(20 * Math.log10(gains.spotify ?? 0)).toBeCloseTo(-2.7, 6)
    expect(gains.source).toBe(1)
    expect(gains.apple_music).toBeUndefined()
  })

  it('follows the version with the service until one is chosen', async () => {
    const visit = await started()
    const { state } = visit
    visit.choose('melon')
    expect(shownService(state())).toBe('melon')
    visit.adjust({ service: 'youtube' })
    visit.choose('spotify')
    expect(shownService(state())).toBe('youtube')
    expect(gainsOf(state(), 'service').melon).toBeCloseTo(-4.1, 6)
    visit.adjust({ service: null })
    expect(shownService(state())).toBe('spotify')
  })
})

describe('the loop', () => {
  it('is set by its start and its end, and jumps in when the playhead is outside', async () => {
    const visit = await started()
    const { fake, state } = visit
    fake.at(68)
    visit.loop.markStart()
    fake.at(92)
    visit.loop.markEnd()
    expect(state()).toMatchObject({ loop: { startSeconds: 68, endSeconds: 92 }, isLooping: false })
    visit.loop.toggle()
    expect(state().isLooping).toBe(true)
    expect(fake.last('seek')).toBe(68)
    visit.loop.toggle()
    expect(fake.last('loop')).toBeNull()
  })

  it('is never empty and never leaves the song', async () => {
    const visit = await started()
    const { state } = visit
    visit.loop.set({ startSeconds: 199.9, endSeconds: 250 })
    expect(state().loop).toEqual({ startSeconds: 199.5, endSeconds: 200 })
  })
})

describe('the blind test', () => {
  it('plays X as the coin fell, matches both levels, and counts only answers to sides that were heard', async () => {
    const visit = await started([true, false, true])
    const { fake, state } = visit
    visit.adjust({ levelMode: 'file' })
    visit.blindTest.start('source', 'melon')
    expect(fake.last('choose')).toBe('source')
    const gains = fake.last('levels') as Record<string, number>
    expect(20 * Math.log10(gains.melon ?? 0)).toBeCloseTo(-6.8, 6)
    visit.blindTest.answer('a')
    expect(state().blindTest?.trials).toEqual([])
    visit.blindTest.hear('a')
    fake.sound('source', 1.5)
    visit.blindTest.hear('b')
    fake.sound('melon', 1.5)
    visit.blindTest.hear('x')
    fake.sound('source', 1.5)
    visit.blindTest.answer('a')
    expect(fake.last('choose')).toBe('melon')
    visit.blindTest.hear('a')
    expect(fake.last('choose')).toBe('source')
    visit.blindTest.answer('a')
    expect(state().blindTest?.trials).toHaveLength(1)
    visit.blindTest.hear('x')
    fake.sound('melon', 1.5)
    visit.blindTest.answer('a')
    expect(state().blindTest?.trials).toEqual([
      { truth: 'a', answer: 'a' },
      { truth: 'b', answer: 'a' },
    ])
    visit.blindTest.finish()
    expect(state().blindTest?.isOver).toBe(true)
    visit.blindTest.leave()
    expect(state().blindTest).toBeNull()
    expect((fake.last('levels') as Record<string, number>).melon).toBe(1)
  })

  it('compares a master with its copy at one level, and counts what is heard of each', async () => {
    const visit = await started([false])
    const { fake, state } = visit
    visit.late.hearCopy('melon', 'mp3_320')
    await expect.poll(() => fake.last('choose')).toBe('melon mp3_320')
    visit.blindTest.start('melon', 'melon mp3_320')
    expect([fake.last('choose'), heardVersion(state())]).toEqual(['melon mp3_320', 'melon'])
    const gains = fake.last('levels') as Record<string, number>
    expect([gains.melon, gains['melon mp3_320']]).toEqual([expect.any(Number), gains.melon])
    visit.blindTest.hear('a')
    expect(fake.last('choose')).toBe('melon')
    fake.sound('melon', 1.5)
    visit.blindTest.hear('b')
    expect(fake.last('choose')).toBe('melon mp3_320')
    fake.sound('melon', 1.5)
    expect(state().blindTest?.known, 'it was not the copy that sounded').toEqual(['a'])
    fake.sound('melon mp3_320', 1.5)
    expect(state().blindTest?.known).toEqual(['a', 'b'])
    visit.blindTest.start('source', 'melon mp3_320')
    const ofCopy = (fake.last('levels') as Record<string, number>)['melon mp3_320']
    expect(20 * Math.log10(ofCopy ?? 0), 'as loud as the original').toBeCloseTo(-6.8, 6)
  })

  it('cannot be revealed by the keys of the versions', async () => {
    const visit = await started([false])
    const { fake } = visit
    visit.blindTest.start('source', 'melon')
    const before = fake.told.length
    visit.choose('source')
    visit.swap()
    expect(fake.told).toHaveLength(before)
  })
})

describe('the clock', () => {
  it('rounds down, so that it never shows a moment that is still to come', () => {
    expect(clockTenths(74.69)).toBe('1:14.6')
    expect(clock(59.99)).toBe('0:59')
    expect(clockTenths(0.3)).toBe('0:00.3')
  })
})
