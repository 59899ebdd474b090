import { describe, expect, it } from 'vitest'
import type { Source } from '../../src-contract/app.ts'
import { ApiError } from '../../src-contract/client.ts'
import type { IntakeReport } from '../../src-main/bridge.ts'
import { createHandOver } from '../../src-renderer/api/upload.ts'

const source = { source_id: 's1', filename: 'a.wav' } as Source
const byPage = { ...source, source_id: 'by page' }
const file = new File(['x'], 'a.wav')

/** A hand-over to a desktop that answers with `report`. */
function handOver(report: Partial<IntakeReport>) {
  const calls: unknown[] = []
  const send = createHandOver(
    { addFiles: async () => ({ sourceIds: [], refused: [], ...report }) },
    {
      call: async (name, ...[args]) => {
        calls.push([name, args])
        return source as never
      },
    },
    async () => byPage,
  )
  return { send, calls }
}

describe('a song that the desktop is handed', () => {
  it('is read from where it lies, and the page only learns what it became', async () => {
    const { send, calls } = handOver({ sourceIds: ['s1'] })
    expect(await send({ file, purpose: 'song' })).toBe(source)
    expect(calls).toEqual([['readSource', { params: { source_id: 's1' } }]])
  })

  it('is refused with the reason of the server', async () => {
    const values = { reason: 'aac' }
    const refused = [{ filename: 'a.wav', code: 'UNSUPPORTED_FORMAT' as const, values }]
    const failure = await handOver({ refused })
      .send({ file, purpose: 'song' })
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ApiError)
    expect(failure).toMatchObject({ code: 'UNSUPPORTED_FORMAT', values })
  })

  it('is sent by the page when it lies nowhere, as every reference is', async () => {
    const refused = [{ filename: 'a.wav', code: 'UNREADABLE' as const }]
    expect(await handOver({ refused }).send({ file, purpose: 'song' })).toBe(byPage)
    expect(await handOver({ sourceIds: ['s1'] }).send({ file, purpose: 'reference' })).toBe(byPage)
  })

  it('is taken out of the batch again when it was removed on its way', async () => {
    const { send, calls } = handOver({ sourceIds: ['s1'] })
    await expect(send({ file, purpose: 'song', signal: AbortSignal.abort() })).rejects.toThrow('stopped')
    expect(calls).toEqual([['removeSongs', { body: { source_ids: ['s1'] } }]])
  })
})
