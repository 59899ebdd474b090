/** Paths of the parts of the application: beside their sources in development, beside the bundle in the packaged application. */
import { readFileSync } from 'node:fs'
import path from 'node:path'

const isBundled = !import.meta.filename.endsWith('.ts')
const place = (source: string, bundled: string) => path.join(import.meta.dirname, isBundled ? bundled : source)

export const MIGRATIONS_FOLDER = place('../db/migrations', 'migrations')
export const ENGINE_FILE = place('../../src-worker/mastering/worker.ts', 'worker.js')
export const PAGE_FOLDER = place('../../dist/renderer', '../renderer')

/** Version of the application. */
export const VERSION = (
  JSON.parse(readFileSync(place('../../package.json', '../../package.json'), 'utf8')) as { version: string }
).version
