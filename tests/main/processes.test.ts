/** The main process beside Electron: a gate for messages, and engine processes that end when they like. */
import { EventEmitter } from 'node:events'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { forkWithElectron } from '../../src-main/engine-process.ts'
import { createGate } from '../../src-main/ipc.ts'
import { text } from '../../src-main/messages.ts'
import { createLog } from '../../src-system/log.ts'
import { systemClock } from '../../src-system/system.ts'

const electron = vi.hoisted(() => ({
  listeners: new Map<string, (...args: unknown[]) => unknown>(),
  child: undefined as unknown,
}))
vi.mock('electron', () => ({
  ipcMain: {
    on: (channel: string, listener: (...args: unknown[]) => unknown) => electron.listeners.set(channel, listener),
    handle: (channel: string, listener: (...args: unknown[]) => unknown) => electron.listeners.set(channel, listener),
  },
  utilityProcess: { fork: () => electron.child },
}))

const origin = 'http://127.0.0.1:47310'
const from = (url: string) => ({ senderFrame: { parent: null, url } })

describe('the gate', () => {
  beforeEach(() => electron.listeners.clear())

  it('drops commands that the bridge cannot have sent, without a fault of the program', () => {
    const act = vi.fn((_event: unknown, given: unknown) => text(given, 3))
    createGate(origin).take('a', act)
    const send = (...args: unknown[]) => electron.listeners.get('a')?.(...args)
    send(from(`${origin}/`), 'abc')
    expect(act).toHaveReturnedWith('abc')
    for (const wrong of [5, 'far too long', undefined]) expect(() => send(from(`${origin}/`), wrong)).not.toThrow()
    act.mockClear()
    for (const other of ['', 'about:blank', 'https://example.org/']) send(from(other), 'abc')
    expect(act).not.toHaveBeenCalled()
  })

  it('refuses requests of a frame that has loaded nothing', () => {
    createGate(origin).answer('b', () => 'answered')
    const ask = (url: string) => electron.listeners.get('b')?.(from(url))
    expect(ask(`${origin}/`)).toBe('answered')
    expect(() => ask('')).toThrow('refused')
  })
})

describe('an engine process', () => {
  it('may be gone by the time it is to be killed', () => {
    const output = { resume: () => {}, on: () => {} }
    // No process has this number: Linux ends at 4 194 304, the others far below.
    electron.child = Object.assign(new EventEmitter(), { pid: 2 ** 30, stdout: output, stderr: output, kill: vi.fn() })
    const log = createLog('silent', systemClock, () => {})
    const engine = forkWithElectron('worker.js', log)({ onMessage: () => {}, onExit: () => {} })
    expect(() => engine.kill()).not.toThrow()
  })
})
