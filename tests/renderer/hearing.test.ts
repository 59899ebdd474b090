import { describe, expect, it } from 'vitest'
import type { Client } from '../../src-contract/client.ts'
import type { PlaybackReport } from '../../src-renderer/player/playback-engine.ts'
import type { PlayerDeps } from '../../src-renderer/player/player.ts'
import { plainLayout } from '../../src-renderer/player/wav.ts'
import { type HeardSong, Hearing, hearingGainsDb, type SoundVersion } from '../../src-renderer/state/hearing.ts'

const song = (rowId: string, lufs = -18): HeardSong => ({
  rowId,
  durationSeconds: 60,
  rateHz: 48_000,
  level: { integratedLufs: lufs, truePeakDbtp: -3 },
})
const rendering = (id: string, lufs = -14): SoundVersion => ({
  id,
  isExact: false,
  startSeconds: 0,
  level: { integratedLufs: lufs, truePeakDbtp: -1 },
  layout: plainLayout({ sampleRateHz: 48_000, bitsPerSample: 16 }, 60 * 48_000),
  open: () => Promise.reject(new Error('not read here')),
})

/** A hearing over players that note what they are told; `said` is that of all of them. */
function setUp() {
  const said: string[] = []
  const levels: Readonly<Record<string, number>>[] = []
  const gate: { wait?: Promise<void> } = {}
  const players: PlayerDeps[] = []
  const createPlayer = (deps: PlayerDeps) => {
    const nth = players.push(deps)
    const say = (text: string) => void said.push(`${nth} ${text}`)
    return Promise.resolve({
      load: async (files: readonly { version: string }[]) => {
        for (const { version } of files) say(`load ${version}`)
        await gate.wait
        for (const { version } of files) deps.onReady(version)
      },
      drop: (version: string) => say(`drop ${version}`),
      play: () => say('play'),
      pause: () => say('pause'),
      choose: (version: string) => say(`choose ${version}`),
      seek: (seconds: number) => say(`seek ${seconds}`),
      close: () => say('close'),
      setDifference: (difference: { of: string } | null) => difference && say(`difference of ${difference.of}`),
      setLevels: (gains: Readonly<Record<string, number>>) => levels.push(gains),
      position: () => 10,
    })
  }
  const hearing = new Hearing({ client: {} as Client, createPlayer: createPlayer as never })
  const report = (version: string) =>
    players.at(-1)?.onReport({ version, isPlaying: true, isWaiting: false } as PlaybackReport)
  const last = () => said.filter((one) => /choose/.test(one)).at(-1)
  return { hearing, said, levels, gate, report, last, state: hearing.store.getState }
}

describe('what is heard', () => {
  it('is the original at first, and another song once that is played', async () => {
    const { hearing, said, last } = setUp()
    hearing.toggle(song('a'))
    await expect.poll(() => said).toContain('1 play')
    hearing.toggle(song('b'))
    await expect.poll(() => said).toContain('2 play')
    expect([said.includes('1 close'), last()]).toEqual([true, '2 choose original'])
    hearing.toggle(song('b'))
    expect(said.at(-1)).toBe('2 pause')
  })

  it('is the sound once it is chosen and there, and the original again on a press', async () => {
    const { hearing, said, last } = setUp()
    hearing.toggle(song('a'))
    await expect.poll(() => said).toContain('1 load original')
    hearing.choose('sound')
    expect(last(), 'nothing of it is there yet').toBe('1 choose original')
    await hearing.setSound(rendering('x'))
    expect(last()).toBe('1 choose x')
    hearing.swap()
    expect(last()).toBe('1 choose original')
  })

  it('lets go of a rendering once a newer one has been heard for as long as the slide takes, and not before', async () => {
    const { hearing, said, report } = setUp()
    hearing.toggle(song('a'))
    await expect.poll(() => said).toContain('1 load original')
    hearing.choose('sound')
    await hearing.setSound(rendering('x'))
    await hearing.setSound(rendering('y'))
    for (let i = 0; i < 9; i++) report('x')
    expect(
      said.filter((one) => /drop/.test(one)),
      'while the old one is heard',
    ).toEqual([])
    report('y')
    expect(
      said.filter((one) => /drop/.test(one)),
      'while the old one fades',
    ).toEqual([])
    for (let i = 0; i < 3; i++) report('y')
    expect(said.filter((one) => /drop/.test(one))).toEqual(['1 drop x'])
  })

  it('keeps a rendering that takes its time to open while the one before it is heard', async () => {
    const { hearing, said, report, last, gate } = setUp()
    hearing.toggle(song('a'))
    await expect.poll(() => said).toContain('1 load original')
    hearing.choose('sound')
    await hearing.setSound(rendering('x'))
    let open = () => {}
    gate.wait = new Promise<void>((resolve) => {
      open = resolve
    })
    const late = hearing.setSound(rendering('y'))
    for (let i = 0; i < 9; i++) report('x')
    open()
    await late
    expect(last()).toBe('1 choose y')
    expect(said.filter((one) => /drop/.test(one))).toEqual([])
  })

  it('has no rendering of a song that is heard no longer', async () => {
    const { hearing, said, state } = setUp()
    hearing.toggle(song('a'))
    await expect.poll(() => said).toContain('1 load original')
    const late = hearing.setSound(rendering('x'))
    hearing.toggle(song('b'))
    await late
    expect(state().sound).toBeNull()
  })

  it('is as loud on either side where levels are matched, and as loud as it is alone', () => {
    const gains = { song: song('a', -18), sound: rendering('x', -14), platform: 'spotify' as const }
    expect(hearingGainsDb(gains, 'matched')).toEqual({ original: 0, sound: -4 })
    expect(hearingGainsDb({ ...gains, sound: null }, 'matched').original).toBe(0)
    expect(hearingGainsDb(gains, 'file')).toEqual({ original: 0, sound: 0 })
  })

  it('is the difference only for as long as that is held', async () => {
    const { hearing, said, levels, state } = setUp()
    hearing.toggle(song('a'))
    await expect.poll(() => said).toContain('1 load original')
    await hearing.setSound(rendering('x'))
    hearing.setLevelMode('file')
    expect(levels.at(-1)).toEqual({ original: 1, x: 1 })
    hearing.holdDifference(true)
    expect(said).toContain('1 difference of x')
    expect(20 * Math.log10(levels.at(-1)?.x ?? 0), 'at equal level').toBeCloseTo(-4, 6)
    hearing.pause()
    expect(state().isDifference).toBe(false)
  })
})
