import { describe, expect, it } from 'vitest'
import type { Client } from '../../../src-contract/client.ts'
import type { AudioGraphDeps } from '../../../src-renderer/playback/audio-graph.ts'
import { Playback } from '../../../src-renderer/playback/playback.ts'
import type { PlaybackReport } from '../../../src-renderer/playback/playback-engine.ts'
import { songItem } from '../../../src-renderer/playback/song-item.ts'
import { gainsOf, type PlaybackVersion } from '../../../src-renderer/playback/state.ts'
import { plainLayout } from '../../../src-renderer/playback/wav.ts'

const song = (sourceId: string, lufs = -18) =>
  songItem({
    title: sourceId,
    sourceId,
    durationSeconds: 60,
    rateHz: 48_000,
    level: { integratedLufs: lufs, truePeakDbtp: -3 },
  })
const layout = plainLayout({ sampleRateHz: 48_000, bitsPerSample: 16 }, 60 * 48_000)
const audition = (id: string, lufs = -14): PlaybackVersion => ({
  id: 'audition',
  kind: 'audition',
  source: { kind: 'audition', auditionId: id, isExact: false, layout },
  track: `audition ${id}`,
  isExact: false,
  startSeconds: 0,
  level: { integratedLufs: lufs, truePeakDbtp: -1 },
})

/** A playback over audio graphs that note what they are told; `said` is that of all of them. */
function setUp() {
  const said: string[] = []
  const levels: Readonly<Record<string, number>>[] = []
  const gate: { wait?: Promise<void> } = {}
  const graphs: AudioGraphDeps[] = []
  const openGraph = (deps: AudioGraphDeps) => {
    const nth = graphs.push(deps)
    const say = (text: string) => void said.push(`${nth} ${text}`)
    return Promise.resolve({
      load: async (tracks: readonly { name: string }[]) => {
        for (const { name } of tracks) say(`load ${name}`)
        await gate.wait
        for (const { name } of tracks) deps.onReady(name)
      },
      drop: (name: string) => say(`drop ${name}`),
      play: () => say('play'),
      pause: () => say('pause'),
      choose: (name: string) => say(`choose ${name}`),
      seek: (seconds: number) => say(`seek ${seconds}`),
      close: () => say('close'),
      setDifference: (difference: { of: string } | null) => difference && say(`difference of ${difference.of}`),
      setLevels: (gains: Readonly<Record<string, number>>) => levels.push(gains),
      setLoop: () => undefined,
      setVolume: () => undefined,
      position: () => 10,
    })
  }
  const playback = new Playback({ client: {} as Client, openGraph: openGraph as never, tossCoin: () => true })
  const report = (version: string) =>
    graphs.at(-1)?.onReport({ version, isPlaying: true, isWaiting: false } as PlaybackReport)
  const last = () => said.filter((one) => /choose/.test(one)).at(-1)
  return { playback, said, levels, gate, report, last, state: playback.store.getState }
}

describe('the playing version', () => {
  it('is the original at first, and another song once that is played', async () => {
    const { playback, said, last } = setUp()
    playback.toggle(song('a'))
    await expect.poll(() => said).toContain('1 play')
    playback.toggle(song('b'))
    await expect.poll(() => said).toContain('2 play')
    expect([said.includes('1 close'), last()]).toEqual([true, '2 choose source'])
    playback.toggle(song('b'))
    expect(said.at(-1)).toBe('2 pause')
  })

  it('is the sound once it is chosen and there, and the original again on a press', async () => {
    const { playback, said, last } = setUp()
    playback.toggle(song('a'))
    await expect.poll(() => said).toContain('1 load source')
    playback.choose('audition')
    expect(last(), 'nothing of it is there yet').toBe('1 choose source')
    await playback.late.setAudition(audition('x'))
    expect(last()).toBe('1 choose audition x')
    playback.swap()
    expect(last()).toBe('1 choose source')
  })

  it('lets go of a rendering once a newer one has been heard for as long as the slide takes, and not before', async () => {
    const { playback, said, report } = setUp()
    playback.toggle(song('a'))
    await expect.poll(() => said).toContain('1 load source')
    playback.choose('audition')
    await playback.late.setAudition(audition('x'))
    await playback.late.setAudition(audition('y'))
    for (let i = 0; i < 9; i++) report('audition x')
    expect(
      said.filter((one) => /drop/.test(one)),
      'while the old one is heard',
    ).toEqual([])
    report('audition y')
    expect(
      said.filter((one) => /drop/.test(one)),
      'while the old one fades',
    ).toEqual([])
    for (let i = 0; i < 3; i++) report('audition y')
    expect(said.filter((one) => /drop/.test(one))).toEqual(['1 drop audition x'])
  })

  it('keeps a rendering that takes its time to open while the one before it is heard', async () => {
    const { playback, said, report, last, gate } = setUp()
    playback.toggle(song('a'))
    await expect.poll(() => said).toContain('1 load source')
    playback.choose('audition')
    await playback.late.setAudition(audition('x'))
    let open = () => {}
    gate.wait = new Promise<void>((resolve) => {
      open = resolve
    })
    const late = playback.late.setAudition(audition('y'))
    for (let i = 0; i < 9; i++) report('audition x')
    open()
    await late
    expect(last()).toBe('1 choose audition y')
    expect(said.filter((one) => /drop/.test(one))).toEqual([])
  })

  it('has no rendering of a song that is heard no longer', async () => {
    const { playback, said, state } = setUp()
    playback.toggle(song('a'))
    await expect.poll(() => said).toContain('1 load source')
    const late = playback.late.setAudition(audition('x'))
    playback.toggle(song('b'))
    await late
    expect(state().versions.find(({ kind }) => kind === 'audition')?.source).toBeNull()
  })

  it('is as loud on either side where levels are matched, and as loud as it is alone', async () => {
    const { playback, said, state } = setUp()
    playback.toggle(song('a', -18))
    await expect.poll(() => said).toContain('1 load source')
    expect(gainsOf(state(), 'matched').source).toBe(0)
    await playback.late.setAudition(audition('x', -14))
    expect(gainsOf(state(), 'matched')).toEqual({ source: 0, audition: -4 })
    expect(gainsOf(state(), 'file')).toEqual({ source: 0, audition: 0 })
  })

  it('is the difference only for as long as that is held', async () => {
    const { playback, said, levels, state } = setUp()
    playback.toggle(song('a'))
    await expect.poll(() => said).toContain('1 load source')
    await playback.late.setAudition(audition('x'))
    playback.choose('audition')
    playback.adjust({ levelMode: 'file' })
    expect(levels.at(-1)).toMatchObject({ source: 1, 'audition x': 1 })
    playback.holdDifference(true)
    expect(said).toContain('1 difference of audition x')
    expect(20 * Math.log10(levels.at(-1)?.['audition x'] ?? 0), 'at equal level').toBeCloseTo(-4, 6)
    playback.pause()
    expect(state().isDifference).toBe(false)
  })

  it('is one item: a song makes room for a release, and is there again at its place when that is left', async () => {
    const { playback, said, state } = setUp()
    playback.toggle(song('a'))
    await expect.poll(() => said).toContain('1 load source')
    playback.choose('audition')
    playback.adjust({ levelMode: 'service' })
    const { versions } = song('record')
    const first = { version: 'source', lastHeard: 'source', levelMode: 'matched', service: null } as const
    playback.load({ ...song('record'), kind: 'release', versions: versions.slice(0, 1), first, keeps: [] })
    expect(said.at(-1)).toBe('1 close')
    expect(state()).toMatchObject({ isPlaying: false, levelMode: 'matched', service: null })
    playback.leave()
    expect(state()).toMatchObject({ item: { id: 'a' }, version: 'audition', levelMode: 'service', service: 'spotify' })
    expect(playback.position()).toBe(10)
    playback.toggle(song('a'))
    await expect.poll(() => said).toContain('2 load source')
    expect(said).toContain('2 seek 10')
    playback.leave()
    expect(state().item).toBeNull()
  })

  it('goes on where each song was left, also as its masters', async () => {
    const { playback, said, state } = setUp()
    playback.toggle(song('a'))
    await expect.poll(() => said).toContain('1 load source')
    playback.toggle(song('b'))
    await expect.poll(() => said).toContain('2 load source')
    expect(said, 'another song begins at its start').not.toContain('2 seek 10')
    playback.choose('audition')
    playback.replace({ ...song('b'), id: 'job', kind: 'job' }, { version: 'source' })
    expect(state()).toMatchObject({ item: { id: 'job' }, version: 'source', isPlaying: true })
    await expect.poll(() => said).toContain('3 seek 10')
  })
})
