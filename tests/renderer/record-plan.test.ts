import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Client } from '../../src-contract/client.ts'
import type { Release } from '../../src-contract/releases.ts'
import { RecordPlan } from '../../src-renderer/state/record-plan.ts'

const release = (...states: string[]) =>
  ({ release_id: 'r', mastering: { state: 'idle' }, tracks: states.map((state) => ({ state })) }) as unknown as Release

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a plan is asked for once every track has its song, and not before', async () => {
  const asked: string[] = []
  const call = async (name: string) => {
    asked.push(name)
    return { is_complete: true }
  }
  const plan = new RecordPlan({ call } as unknown as Client)
  for (const early of [release(), release('stored', 'no_song'), release('gone')]) {
    plan.follow(early)
    await vi.runAllTimersAsync()
    expect(plan.store.getState()).toEqual({ plan: null, failure: { code: 'RELEASE_NOT_READY' }, isAsking: false })
  }
  expect(asked).toEqual([])
  plan.follow(release('stored', 'done'))
  await vi.runAllTimersAsync()
  expect(asked).toEqual(['planRelease'])
  expect(plan.store.getState()).toMatchObject({ plan: { is_complete: true }, failure: null })
})
