/** `npm run openapi`: writes src-contract/openapi.json, docs/errors.md and docs/access.md from the contract. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DEFAULT_PORT } from '../src-contract/limits.ts'
import { buildAccessPage } from '../src-server/docs/access-page.ts'
import { buildErrorsPage } from '../src-server/docs/errors-page.ts'
import { buildOpenApi } from '../src-server/docs/openapi.ts'

const root = path.join(import.meta.dirname, '..')

/** Returns the generated files: path from the project's root, and text. */
export function generateDocuments(): [file: string, text: string][] {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string }
  const openApi = buildOpenApi(`http://127.0.0.1:${DEFAULT_PORT}`, version)
  return [
    ['src-contract/openapi.json', `${JSON.stringify(openApi, null, 2)}\n`],
    ['docs/errors.md', buildErrorsPage()],
    ['docs/access.md', buildAccessPage()],
  ]
}

if (import.meta.main) {
  for (const [file, text] of generateDocuments()) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
    writeFileSync(path.join(root, file), text)
  }
}
