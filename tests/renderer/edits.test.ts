import { describe, expect, it } from 'vitest'
import { createEdits } from '../../src-renderer/state/edits.ts'
import { createNotices } from '../../src-renderer/state/notices.ts'

/** A value that is changed through a history, at moments that the test sets. */
function setUp() {
  const clock = { ms: 0 }
  const edits = createEdits(() => clock.ms)
  const value = { now: 0 }
  const set = (next: number, mergeKey?: string) => {
    const before = value.now
    const put = (to: number) => {
      value.now = to
    }
    put(next)
    return edits.push({ undo: () => put(before), redo: () => put(next), ...(mergeKey ? { mergeKey } : {}) })
  }
  return { clock, edits, value, set }
}

describe('changes', () => {
  it('are taken back in turn and made again in turn', () => {
    const { edits, value, set } = setUp()
    set(1)
    set(2)
    expect([edits.undo(), value.now, edits.undo(), value.now, edits.undo()]).toEqual([true, 1, true, 0, false])
    expect([edits.redo(), value.now, edits.redo(), value.now, edits.redo()]).toEqual([true, 1, true, 2, false])
  })

  it('are given up once another one is made after they were taken back', () => {
    const { edits, value, set } = setUp()
    set(1)
    edits.undo()
    set(5)
    expect([edits.redo(), value.now]).toEqual([false, 5])
  })

  it('of one fader on its way are one, and two after a rest', () => {
    const { clock, edits, value, set } = setUp()
    for (const ms of [0, 300, 600, 900]) {
      clock.ms = ms
      set(ms, 'tilt')
    }
    clock.ms = 5000
    set(5000, 'tilt')
    edits.undo()
    expect(value.now).toBe(900)
    edits.undo()
    expect(value.now).toBe(0)
    edits.redo()
    expect(value.now, 'made again as far as it went').toBe(900)
    clock.ms = 1000
    set(7, 'tilt')
    edits.undo()
    expect(value.now, 'a change after one that was made again is its own').toBe(900)
  })

  it('of one fader are two where the hand has taken hold anew, however close', () => {
    const { edits, value, set } = setUp()
    set(1, 'tilt')
    edits.seal()
    set(2, 'tilt')
    edits.undo()
    expect(value.now).toBe(1)
  })

  it('of two faders are two, however close', () => {
    const { edits, value, set } = setUp()
    set(1, 'tilt')
    set(2, 'air')
    edits.undo()
    expect(value.now).toBe(1)
  })

  it('that a change makes while it is taken back are not noted', () => {
    const { edits, set } = setUp()
    edits.push({ undo: () => void set(9), redo: () => undefined })
    edits.undo()
    expect(edits.store.getState()).toMatchObject({ past: [], future: [{}] })
  })
})

describe('a toast that can be undone', () => {
  it('is gone once its change was undone by key, and its change once the toast was', () => {
    const { edits, value, set } = setUp()
    const notices = createNotices(edits)
    const done: string[] = []
    const removal = { text: 'removed', undo: () => done.push('back'), settle: () => done.push('final') }
    notices.show(removal)
    edits.undo()
    expect([notices.store.getState().toast, done]).toEqual([null, ['back']])
    set(1)
    notices.show(removal)
    notices.undo()
    expect([done, value.now]).toEqual([['back', 'back'], 1])
    edits.undo()
    expect(value.now, 'the change before it is next').toBe(0)
  })

  it('leaves a change that can be made again, and none where it is final', () => {
    const { edits } = setUp()
    const notices = createNotices(edits)
    let count = 1
    notices.show({
      text: 'removed',
      undo: () => {
        count = 1
      },
      redo: () => {
        count = 0
      },
    })
    notices.show({ text: 'deleted', undo: () => undefined, settle: () => undefined })
    notices.settle()
    expect(edits.store.getState().past).toHaveLength(1)
    edits.undo()
    edits.redo()
    expect(count).toBe(0)
  })
})
