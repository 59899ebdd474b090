/** The endpoints of watched folders. */
import type { FastifyInstance } from 'fastify'
import { ENDPOINTS } from '../../src-contract/endpoints.ts'
import { route } from '../http/route.ts'
import type { WatchFolders } from './watch-folders.ts'

/** Serves `/app/watch-folders`. */
export function watchFolderRoutes(app: FastifyInstance, folders: WatchFolders): void {
  route(app, ENDPOINTS.listWatchFolders, ({ language }) => ({ status: 200, body: { folders: folders.list(language) } }))
  route(app, ENDPOINTS.addWatchFolder, async ({ body, language }) => {
    const { path, takes_existing: takesExisting, ...choice } = body
    return {
      status: 201,
      body: await folders.add(path, { ...choice, ...(takesExisting ? { takesExisting } : {}) }, language),
    }
  })
  route(app, ENDPOINTS.changeWatchFolder, async ({ params, body, language }) => ({
    status: 200,
    body: await folders.change(params.folder_id, body, language),
  }))
  route(app, ENDPOINTS.removeWatchFolder, ({ params }) => {
    folders.remove(params.folder_id)
    return { status: 200, body: { deleted: true } }
  })
}
