/** `/openapi.json` and its documentation page for reading and trying, with all assets on this machine. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import { ENDPOINTS } from '../../src-contract/endpoints.ts'
import { AppError } from '../http/app-error.ts'
import { route } from '../http/route.ts'
import { buildOpenApi } from './openapi.ts'

/** Files of the page: Swagger UI's own, as shipped in its Fastify package, and our start script. */
const PACKAGED = new Map([
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
])

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Loudsmith API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<style>
  @media (prefers-color-scheme: dark) { html { color-scheme: dark; background: #101417 } }
  body { margin: 0 }
  html.dark-mode, html.dark-mode body, html.dark-mode .swagger-ui { background: #101417; color: #eaeef1 }
  html.dark-mode .swagger-ui .scheme-container { background: #161b1f; box-shadow: none }
</style>
<div id="page"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</html>
`

// Requests go to the address in the browser's own bar: the guard refuses every other origin, even another name of this machine.
// Optional fields of forms start empty, which the service reads as absent; Swagger UI would send invented values.
const START = `const darkness = matchMedia('(prefers-color-scheme: dark)')
const showTheme = () => document.documentElement.classList.toggle('dark-mode', darkness.matches)
darkness.addEventListener('change', showTheme)
showTheme()
const emptyOptionalFields = ({ properties = {}, required = [] }) => {
  for (const [name, field] of Object.entries(properties)) if (!required.includes(name)) field.example = ''
}
fetch('/openapi.json')
  .then((response) => response.json())
  .then((spec) => {
    for (const operations of Object.values(spec.paths)) {
      for (const { requestBody } of Object.values(operations)) {
        const form = requestBody?.content['multipart/form-data']
        if (form) emptyOptionalFields(form.schema)
      }
    }
    SwaggerUIBundle({
      spec: { ...spec, servers: [{ url: location.origin }] },
      domNode: document.getElementById('page'),
      deepLinking: true,
      tryItOutEnabled: true,
      persistAuthorization: false,
      validatorUrl: null,
    })
  })
`

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "form-action 'none'",
  "base-uri 'none'",
].join('; ')

/** Serves the description and its page to any client on this machine: neither contains a secret. */
export function docsRoutes(app: FastifyInstance, { baseUrl, version }: { baseUrl: string; version: string }): void {
  const require = createRequire(import.meta.url)
  const folder = path.join(path.dirname(require.resolve('@fastify/swagger-ui/package.json')), 'static')
  const page = () => ({
    status: 200 as const,
    bytes: PAGE,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      'referrer-policy': 'no-referrer',
    },
  })
  const script = (bytes: string | Buffer, type: string) => ({
    status: 200 as const,
    bytes,
    headers: { 'content-type': type, 'cache-control': 'no-cache' },
  })

  route(app, ENDPOINTS.readOpenApi, () => ({
    status: 200,
    bytes: JSON.stringify(buildOpenApi(baseUrl, version)),
    headers: { 'content-type': 'application/json; charset=utf-8' },
  }))
  route(app, ENDPOINTS.readDocs, page)
  route(app, ENDPOINTS.readDocsFile, async ({ params: { file } }) => {
    if (file === '') return page()
    if (file === 'start.js') return script(START, 'text/javascript; charset=utf-8')
    const type = PACKAGED.get(file)
    if (type === undefined) throw new AppError('NOT_FOUND')
    return script(await readFile(path.join(folder, file)), type)
  })
}
