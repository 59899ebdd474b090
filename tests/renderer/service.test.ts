import { describe, expect, it } from 'vitest'
import { createClient } from '../../src-contract/client.ts'
import { createService } from '../../src-renderer/state/service.ts'
import { settle } from '../support/fake-clock.ts'

/** A service whose server answers late, the last request first, with what it knew when it was asked. */
function lateBench() {
  const server: Record<string, object> = { settings: { theme: 'dark' }, account: { plan: 'free' }, system: {} }
  const open: (() => void)[] = []
  const client = createClient({
    session: null,
    language: () => 'en',
    fetch: async (path, init) => {
      const [name = ''] = /settings|account|system/.exec(String(path)) ?? []
      if (typeof init?.body === 'string') server[name] = { ...server[name], ...JSON.parse(init.body) }
      const answer = Response.json(server[name])
      await new Promise<void>((resolve) => open.push(resolve))
      return answer
    },
  })
  const answerAll = async () => {
    for (; open.length > 0; await settle(20)) for (const answer of open.splice(0).reverse()) answer()
  }
  return { service: createService(client), answerAll }
}

describe('what the service says of itself', () => {
  it('keeps a changed setting when an older reading is answered after the change', async () => {
    const { service, answerAll } = lateBench()
    const all = [
      service.readMachine(),
      service.changeSettings({ theme: 'light' }),
      service.changeSettings({ theme: 'dark' }),
    ]
    await settle()
    await answerAll()
    await Promise.all(all)
    expect(service.store.getState().settings).toEqual({ theme: 'dark' })
    const last = [service.readMachine(), service.changeSettings({ theme: 'light' })]
    await settle()
    await answerAll()
    await Promise.all(last)
    expect(service.store.getState().settings).toEqual({ theme: 'light' })
  })

  it('sends a change at once, whatever is being read, in a request that outlives the page', async () => {
    const sent: RequestInit[] = []
    const service = createService(
      createClient({
        session: null,
        language: () => 'en',
        fetch: (_path, init) => {
          sent.push(init ?? {})
          return new Promise(() => undefined)
        },
      }),
    )
    void service.readSettings()
    await settle()
    void service.changeSettings({ language: 'ko' })
    await settle()
    expect(sent.at(-1)).toMatchObject({ method: 'PATCH', body: '{"language":"ko"}', keepalive: true })
  })

  it('keeps a changed plan when an older reading is answered after the change', async () => {
    const { service, answerAll } = lateBench()
    const all = [service.readAccount(), service.setPlan('studio')]
    await settle()
    await answerAll()
    await Promise.all(all)
    expect(service.store.getState().account).toEqual({ plan: 'studio' })
  })
})
