import { existsSync } from 'node:fs'
import path from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

/** The page may load and run its own files only; `blob:` is sound decoded in the page or a download on its way to the browser. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "frame-ancestors 'none'",
  "form-action 'none'",
  "base-uri 'none'",
].join('; ')

/** Serves the built page of `folder` at `/`; nothing where it was not built. Its files are public: they hold no secret. */
export function pageRoutes(app: FastifyInstance, folder: string): void {
  if (!existsSync(path.join(folder, 'index.html'))) return
  app.register(fastifyStatic, {
    root: folder,
    // One route per file: an unknown address stays unknown, in our own words.
    wildcard: false,
    cacheControl: false,
    setHeaders(reply, file) {
      const isNamedByContent = path.basename(path.dirname(file)) === 'assets'
      reply.header('cache-control', isNamedByContent ? 'public, max-age=31536000, immutable' : 'no-cache')
      reply.header('content-security-policy', PAGE_POLICY)
      reply.header('referrer-policy', 'no-referrer')
    },
  })
}
