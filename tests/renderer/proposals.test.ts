import { describe, expect, it } from 'vitest'
import { ApiError, type Client } from '../../src-contract/client.ts'
import type { Suggestion } from '../../src-contract/suggestion.ts'
import type { PlaybackItem } from '../../src-renderer/playback/state.ts'
import { openSettings, Proposals, suggestionOf } from '../../src-renderer/state/proposals.ts'
import { batchSong, someSettings } from '../support/batch-songs.ts'

const item = { id: 'a', songId: 'a' } as PlaybackItem
const own = someSettings
const proposed = { air_db: 2, target_lufs: -10.5 }

/** Proposals whose analyses answer in turn; `played` are the calls of the playback. */
function setUp(answers: (object | Error)[] = []) {
  const played: string[] = []
  const asked: object[] = []
  const call = async (_name: string, { fields }: { fields: object }) => {
    asked.push(fields)
    const answer = answers.shift()
    if (answer instanceof Error) throw answer
    return answer
  }
  const proposals = new Proposals({
    client: { call } as unknown as Client,
    playback: {
      load: ({ id }) => void played.push(`load ${id}`),
      choose: (version) => void played.push(version),
      play: () => void played.push('play'),
    },
  })
  return { proposals, played, asked, state: proposals.store.getState }
}

it('is open only in what the song does not have yet', () => {
  expect(openSettings(proposed, own)).toEqual(proposed)
  expect(openSettings(proposed, { ...own, air_db: 2 })).toEqual({ target_lufs: -10.5 })
  expect(openSettings(proposed, { ...own, ...proposed })).toEqual({})
})

describe('a proposal that is heard', () => {
  it('is auditioned in place of the settings of its song alone, and a second press ends it', () => {
    const { proposals, played, state } = setUp()
    proposals.toggle(item, own, proposed)
    expect(played).toEqual(['load a', 'audition', 'play'])
    expect(proposals.auditioned('a', own)).toEqual({ ...own, ...proposed })
    expect(proposals.auditioned('b', own)).toBe(own)
    expect(proposals.isHeard('a', { air_db: 1 }), 'another one').toBe(false)
    proposals.toggle(item, own, { air_db: 1 })
    expect(proposals.auditioned('a', own).target_lufs, 'the other one took its place').toBeNull()
    proposals.toggle(item, own, { air_db: 1 })
    expect(state().heard).toBeNull()
  })

  it('ends with another song, and with a change of the song’s own settings', () => {
    for (const [sourceId, now, isHeard] of [
      ['a', { ...own }, true],
      ['a', { ...own, air_db: 2 }, false],
      ['b', own, false],
      [undefined, undefined, false],
    ] as const) {
      const { proposals } = setUp()
      proposals.toggle(item, own, proposed)
      proposals.follow(sourceId, now)
      expect(proposals.isHeard('a', proposed)).toBe(isHeard)
    }
  })
})

describe('the price of loudness', () => {
  const priced = { settings: { target_lufs: -16 }, reasons: [] } satisfies Suggestion

  it('is asked for with the song’s service, and its suggestion replaces that of the analysis', async () => {
    const { proposals, asked, state } = setUp([{ suggestion: priced }])
    const song = batchSong('a')
    const asking = proposals.price(song, own)
    expect(state().priced.a).toEqual({ state: 'asking' })
    expect(suggestionOf(song, state())).toBeUndefined()
    await asking
    expect(asked).toEqual([{ source_id: 'a', ai_service: 'suno', price: true }])
    expect(suggestionOf(song, state())).toBe(priced)
    expect(suggestionOf(batchSong('b'), state())).toBeUndefined()
  })

  it('keeps the reason of a failure, and can be asked for again', async () => {
    const { proposals, state } = setUp([new ApiError({ code: 'INTERNAL_ERROR' }), { suggestion: priced }])
    await proposals.price(batchSong('a'), own)
    expect(state().priced.a).toMatchObject({ state: 'failed', refusal: { code: 'INTERNAL_ERROR' } })
    await proposals.price(batchSong('a'), own)
    expect(state().priced.a?.state).toBe('found')
  })
})
