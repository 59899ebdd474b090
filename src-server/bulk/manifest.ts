/** Parser of manifests: lines of JSON to a head and songs, each validated. Pure except for the check of callback addresses. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  ManifestHead as HeadSchema,
  ManifestLine as LineSchema,
  type ManifestHead,
  type ManifestLine,
} from '../../src-contract/batches.ts'
import { MAX_MANIFEST_BYTES, MAX_MANIFEST_SONGS } from '../../src-contract/limits.ts'
import { PLATFORMS } from '../../src-contract/platforms/index.ts'
import { DEFAULT_SETTINGS, jobSettings } from '../../src-contract/settings.ts'
import type { Detail } from '../../src-contract/text/details.ts'
import { AppError, invalidRequest, unusable } from '../http/app-error.ts'
import { checked, inOneCase } from '../http/route.ts'
import { changedRequest, type MasterRequest, requireReferences } from '../uploads/form.ts'

/** A whole manifest. */
export interface ReadManifest {
  readonly head: ManifestHead
  readonly lines: readonly ManifestLine[]
}

export interface ManifestContext {
  /** Throws INVALID_WEBHOOK_URL. */
  readonly checkWebhookUrl: (url: string) => void
  /** True for calls of the application, the only ones that may name stored songs. */
  readonly isSession: boolean
  /** Returns whether a stored song is a set of stems: programs may use only those. */
  readonly isStemSet: (sourceId: string) => boolean
}

/** Lines read before other requests get their turn: some 10 ms. */
const LINES_AT_ONCE = 32

const SONG_MEMBERS = ['path', 'job_id', 'source_id'] as const

/**
 * Reads a manifest as it arrives, with other requests answered in between. Throws INVALID_REQUEST, INVALID_PLATFORM or INVALID_WEBHOOK_URL
 * with the number of the line; the same without songs, for more than 10,000 of them, or for more than 32 MB.
 */
export async function readManifest(chunks: AsyncIterable<Uint8Array>, context: ManifestContext): Promise<ReadManifest> {
  let head: ManifestHead = {}
  const lines: ManifestLine[] = []
  for await (const { text, number } of textLines(chunks)) {
    inLine(number, () => {
      const value = parsed(text)
      const isHead = number === 1 && !SONG_MEMBERS.some((name) => name in value)
      if (isHead) head = checkedHead(value, context)
      else lines.push(checkedLine(value, head, context))
    })
    if (lines.length > MAX_MANIFEST_SONGS) throw invalidRequest('manifest_too_long', { param: 'manifest' })
  }
  if (lines.length === 0) throw invalidRequest('manifest_empty', { param: 'manifest' })
  return { head, lines }
}

/** Returns a song's mastering request: the defaults, changed by the head and then by its own line. Throws the errors of refused changes. */
export function requestOf(
  head: ManifestHead,
  line: ManifestLine,
  checkWebhookUrl: ManifestContext['checkWebhookUrl'],
): MasterRequest {
  const first = { settings: jobSettings({ ...DEFAULT_SETTINGS, platforms: [] }) }
  const { batch_id: _batch, delivery: _delivery, folder: _folder, ...ofAll } = head
  const { path: _path, job_id: _job, source_id: _source, subfolder: _subfolder, ...own } = line
  const webhookUrl = own.webhook_url ?? ofAll.webhook_url
  const webhook = webhookUrl === undefined ? {} : { webhook_url: webhookUrl }
  return changedRequest(changedRequest(first, ofAll, checkWebhookUrl), { ...own, ...webhook }, checkWebhookUrl)
}

function checkedHead(value: object, { checkWebhookUrl }: ManifestContext): ManifestHead {
  const head = checked(HeadSchema, value) as ManifestHead
  if ((head.delivery === 'folder') !== (head.folder !== undefined))
    throw unusable('folder', { rule: 'folder_of_delivery' })
  requestOf(head, {}, checkWebhookUrl)
  return head
}

function checkedLine(value: object, head: ManifestHead, context: ManifestContext): ManifestLine {
  const line = checked(LineSchema, value) as ManifestLine
  if (SONG_MEMBERS.filter((name) => line[name] !== undefined).length !== 1)
    throw unusable('path', { rule: 'song_of_line' })
  if (line.source_id !== undefined && !context.isSession && !context.isStemSet(line.source_id))
    throw unusable('source_id', { rule: 'unknown_set' })
  if (line.subfolder !== undefined && head.folder === undefined)
    throw unusable('subfolder', { rule: 'folder_of_delivery' })
  const { settings } = requestOf(head, line, context.checkWebhookUrl)
  requireReferences(settings, settings)
  if (settings.platforms.length === 0)
    throw new AppError('INVALID_PLATFORM', { allowed: PLATFORMS.join(', ') }, { param: 'platforms' })
  return line
}

/** Parses one line as a JSON object. Throws INVALID_REQUEST. */
function parsed(text: string): object {
  try {
    const value: unknown = JSON.parse(text, inOneCase)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // Named below.
  }
  throw unusable('json', { rule: 'json' })
}

/** Runs a check and adds the number of the line to its refusal. */
function inLine(line: number, check: () => void): void {
  try {
    check()
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause
    const field = cause.param ?? 'json'
    const broken: Detail[] = cause.details ? [...cause.details] : [{ rule: 'form' }]
    const details = broken.map((one) => ({ rule: 'in_line' as const, line, field, broken: one }))
    throw new AppError(cause.code, cause.values, { param: `line ${line}: ${field}`, details, cause })
  }
}

/** Yields the non-blank lines with their numbers. Throws INVALID_REQUEST for too many bytes. */
async function* textLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<{ text: string; number: number }> {
  const decoder = new TextDecoder('utf-8')
  let sizeBytes = 0
  let number = 0
  let rest = ''
  for await (const chunk of chunks) {
    sizeBytes += chunk.length
    if (sizeBytes > MAX_MANIFEST_BYTES) throw invalidRequest('manifest_too_long', { param: 'manifest' })
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = parts.pop() ?? ''
    for (const text of parts) {
      if (text.trim() === '') continue
      yield { text, number: ++number }
      // Lets other requests be answered.
      if (number % LINES_AT_ONCE === 0) await nextTurn()
    }
  }
  rest += decoder.decode()
  if (rest.trim() !== '') yield { text: rest, number: ++number }
}
