import { describe, expect, it } from 'vitest'
import { chosen, emptyQueue, ended, lookedAt, taken, withdrawn } from '../../../src-server/auditions/render-queue.ts'

describe('the queue of whole masters', () => {
  it('renders the newest choice first, and what is still looked at afterwards', () => {
    const running = taken(chosen(emptyQueue, 'first'))
    expect(running).toEqual({ running: 'first', waiting: [] })
    const newer = chosen(running, 'second')
    expect(newer).toEqual({ running: 'first', waiting: ['second'] })
    const next = taken(ended(lookedAt(newer, 'first')))
    expect(next).toEqual({ running: 'second', waiting: [] })
    expect(taken(ended(lookedAt(next, 'first')))).toEqual({ running: 'first', waiting: [] })
  })
  it('holds each audition once, and takes nothing while one runs', () => {
    const queue = { running: 'a', waiting: ['b', 'c'] }
    expect(chosen(queue, 'a')).toEqual(queue)
    expect(chosen(queue, 'c')).toEqual({ running: 'a', waiting: ['c', 'b'] })
    expect(lookedAt(queue, 'b')).toEqual(queue)
    expect(lookedAt(queue, 'a')).toEqual(queue)
    expect(taken(queue)).toEqual(queue)
    expect(taken(emptyQueue)).toEqual(emptyQueue)
    expect(withdrawn(queue, 'b')).toEqual({ running: 'a', waiting: ['c'] })
  })
})
