import type { FastifyInstance } from 'fastify'
import { listeningTestEndpoints } from '../../src-contract/listening-tests.ts'
import { unusable } from '../http/app-error.ts'
import { route } from '../http/route.ts'
import type { ListeningTests } from './listening-tests.ts'

export interface ListeningRoutesDeps {
  readonly listeningTests: ListeningTests
  /** Resolves with the real path of a folder in the owner's list, behind links; rejects with PATH_NOT_ALLOWED. */
  readonly allowedFolder: (folder: string) => Promise<string>
  /** Output folder of the application; null without one. */
  readonly outputFolder: () => string | null
  /** Resolves with the real path of a folder of the owner; rejects with the client's error. */
  readonly ownFolder: (folder: string) => Promise<string>
}

/** Serves listening tests; a program writes them only inside the owner's list of folders. */
export function listeningRoutes(app: FastifyInstance, deps: ListeningRoutesDeps): void {
  const { listeningTests, allowedFolder, ownFolder, outputFolder } = deps
  route(app, listeningTestEndpoints.createListeningTest, async ({ body, caller, language }) => {
    const isKey = caller.via === 'key'
    const folder = body.folder ?? (isKey ? undefined : (outputFolder() ?? undefined))
    if (folder === undefined) throw unusable('folder', { rule: 'members', names: ['folder'] })
    const parent = await (isKey ? allowedFolder(folder) : ownFolder(folder))
    return { status: 201, body: await listeningTests.make(body, parent, language) }
  })
  route(app, listeningTestEndpoints.readListeningTest, ({ params, language }) => ({
    status: 200,
    body: listeningTests.read(params.test_id, language),
  }))
  route(app, listeningTestEndpoints.addListeningResult, ({ params, body, language }) => ({
    status: 200,
    body: listeningTests.addResult(params.test_id, body, language),
  }))
}
