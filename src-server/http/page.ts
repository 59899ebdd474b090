import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { FastifyInstance } from 'fastify'

/** The page may only load and run its own files; `blob:` is sound decoded in the page or a download for the browser. */
const PAGE_POLICY = [
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

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.flac': 'audio/flac',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/**
 * Serves the built page of `folder` at `/`, one route per file; nothing without a build. Its files are public: they contain no secret. They
 * are read once, at the start: a later build renames them, and a mix of both would not work. Throws the system's error.
 */
export function pageRoutes(app: FastifyInstance, folder: string): void {
  if (!existsSync(path.join(folder, 'index.html'))) return
  const assets = readdirSync(path.join(folder, 'assets')).map((name) => `assets/${name}`)
  for (const name of [...readdirSync(folder), ...assets]) {
    // A folder, or a file manager's leftover.
    if (path.extname(name) === '') continue
    const bytes = readFileSync(path.join(folder, name))
    const headers = {
      'content-type': MEDIA_TYPES[path.extname(name)] ?? 'application/octet-stream',
      'cache-control': assets.includes(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
      'content-security-policy': PAGE_POLICY,
      'referrer-policy': 'no-referrer',
    }
    for (const url of name === 'index.html' ? ['/', '/index.html'] : [`/${name}`]) {
      app.get(url, (_request, reply) => reply.headers(headers).send(bytes))
    }
  }
}
