/** Routes of the links to results, and of the results by them. */
import type { FastifyInstance } from 'fastify'
import { DEFAULT_LINK_SECONDS } from '../../src-contract/limits.ts'
import { linkEndpoints } from '../../src-contract/links.ts'
import { AppError } from '../http/app-error.ts'
import { requireScope, route } from '../http/route.ts'
import type { Links } from './links.ts'
import type { ArtifactDeps } from './routes.ts'

/** Serves the creation, listing and removal of links, and the linked results. */
export function linkRoutes(
  app: FastifyInstance,
  { filesOf, links, stored }: Pick<ArtifactDeps, 'filesOf' | 'stored'> & { readonly links: Links },
): void {
  const find = (jobId: string) => {
    const files = filesOf(jobId)
    if (!files) throw new AppError('JOB_NOT_FOUND')
    return files
  }

  route(app, linkEndpoints.createLink, async ({ params: { job_id }, body, caller }) => {
    await stored.sendZip(find(job_id), { method: 'HEAD', headers: {} })
    return { status: 201, body: links.create(job_id, body.expires_in ?? DEFAULT_LINK_SECONDS, caller) }
  })

  route(app, linkEndpoints.listLinks, ({ params: { job_id } }) => {
    const { isExpired } = find(job_id)
    return { status: 200, body: { links: isExpired ? [] : links.list(job_id) } }
  })

  route(app, linkEndpoints.deleteLink, ({ params: { job_id, link_id }, caller }) => {
    find(job_id)
    const maker = links.makerOf(job_id, link_id)
    if (caller.via === 'key' && maker !== caller.keyId) requireScope(caller.scope, 'all')
    links.remove(job_id, link_id)
    return { status: 204 }
  })

  route(app, linkEndpoints.openLink, async ({ params, request }) => {
    const gone = new AppError('LINK_NOT_FOUND')
    const files = filesOf(links.jobOf(params.token))
    if (!files?.result || files.isExpired) throw gone
    const { headers, ...answer } = await stored.sendZip(files, request).catch((cause: unknown) => {
      throw cause instanceof AppError && cause.status === 410 ? gone : cause
    })
    return { ...answer, headers: { ...headers, 'cache-control': 'no-store' } }
  })
}
