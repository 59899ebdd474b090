/** Calls of the exports of releases, as the tests of them make them. */
import { expect } from 'vitest'
import type { ExportedRelease, VerifiedFolder } from '../../src-contract/release-exports.ts'
import type { Answer, Service } from './service.ts'

/** Members of the check of a folder in which nothing differs. */
export const INTACT = { is_intact: true, signature: 'own', changed: [], missing: [], added: [] }

/** Returns the calls on a service, with the members that every request has. */
export function exportCalls(service: () => Service, common: () => object) {
  const exportOf = (releaseId: string, more: object = {}): Promise<Answer> =>
    service().post(`/api/v1/releases/${releaseId}/export`, { ...common(), ...more })
  return {
    exportOf,
    /** Exports and returns what was made; fails where it was refused. */
    async exported(releaseId: string, more: object = {}): Promise<ExportedRelease> {
      const { status, body } = await exportOf(releaseId, more)
      expect([status, body.error]).toEqual([200, undefined])
      return body
    },
    verified: async (folder: string): Promise<VerifiedFolder> =>
      (await service().post('/api/v1/releases/verify', { folder })).body,
  }
}
