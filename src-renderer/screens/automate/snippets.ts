/** Working samples of the API for the settings in view. Pure. */

import { ENDPOINTS } from '../../../src-contract/endpoints.ts'
import type { Platform } from '../../../src-contract/platforms/index.ts'
import type { MasterSettings } from '../../../src-contract/settings.ts'
import { tellingNames } from '../../../src-contract/styles.ts'
import type { Text } from '../../text/en.ts'

/** A song and the settings to master it with: the batch's or a job's. */
export interface Sample {
  readonly filename: string
  /** Name of the reference track, if any. */
  readonly reference?: string | undefined
  readonly settings: Omit<MasterSettings, 'platforms' | 'reference_source_id' | 'stem_mix'> & {
    readonly platforms: readonly Platform[]
  }
}

export interface SnippetSource extends Sample {
  readonly baseUrl: string
  /** Key just created; without one the samples read it from the environment. */
  readonly key?: string | undefined
  readonly comments: Text['automate']['comments']
}

/** Name of the ZIP that a sample saves beside the song. */
const zipName = (filename: string) => `${filename.replace(/\.[^.]*$/, '')}_masters.zip`

interface Form {
  /** Names of the files by their field. */
  readonly files: readonly (readonly [string, string])[]
  readonly fields: readonly (readonly [string, string])[]
}

/** Returns song and settings as the fields of the form that every sample sends. */
function formOf({ filename, reference, settings }: Sample): Form {
  return {
    files: [['file', filename], ...(reference ? [['reference_file', reference] as const] : [])],
    fields: [
      ['platforms', settings.platforms.join(',')],
      ...tellingNames(settings)
        .filter((name) => reference || name !== 'reference_amount')
        .map((name) => [name, String(settings[name])] as const),
    ],
  }
}

/** Quotes a text for a POSIX shell: inside single quotes only the quote itself needs care. */
export function shellQuoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** Quotes the name of a file for a form of curl, where `;` and `,` have a meaning of their own. */
const curlFile = (name: string) => (/[;,"\\]/.test(name) ? `@"${name.replace(/["\\]/g, '\\$&')}"` : `@${name}`)

/** Returns the call that masters one song as one curl command. The key stays a variable of the shell. */
export function curlOf(baseUrl: string, sample: Sample): string {
  const { files, fields } = formOf(sample)
  const parts = [...files.map(([field, name]) => [field, curlFile(name)]), ...fields].map((part) => part.join('='))
  return [
    `curl -sS ${baseUrl}${ENDPOINTS.createJob.path}`,
    '-H "Authorization: Bearer $LOUDSMITH_KEY"',
    ...parts.map((part) => `-F ${shellQuoted(part)}`),
  ].join(' \\\n  ')
}

const curl = ({
  baseUrl,
  key,
  comments,
  ...sample
}: SnippetSource) => `${key ? `LOUDSMITH_KEY=${key}` : `# ${comments.key('export LOUDSMITH_KEY=ams_live_…')}`}

# 1. ${comments.send}
JOB=$(${curlOf(baseUrl, sample)} |
  tee -a /dev/stderr | sed -n 's/.*"job_id":"\\([^"]*\\)".*/\\1/p')

# 2. ${comments.wait}
while curl -sS "${baseUrl}/api/v1/jobs/$JOB?wait=30" \\
  -H "Authorization: Bearer $LOUDSMITH_KEY" | grep -qE '"status":"queued"|RATE_LIMIT'
do sleep 1; done

# 3. ${comments.take}
curl -sSf ${baseUrl}/api/v1/jobs/$JOB/download \\
  -H "Authorization: Bearer $LOUDSMITH_KEY" -o ${shellQuoted(zipName(sample.filename))}
`

/** Returns the members of an object in Python or JavaScript, one per line. */
const members = (pairs: readonly (readonly [string, string])[]) =>
  pairs.map(([name, value]) => `    ${JSON.stringify(name)}: ${value},`).join('\n')

function python({ baseUrl, key, comments, ...sample }: SnippetSource): string {
  const { files, fields } = formOf(sample)
  return `import os, time, requests

base = "${baseUrl}/api/v1"
auth = {"Authorization": "Bearer " + ${key ? JSON.stringify(key) : 'os.environ["LOUDSMITH_KEY"]'}}

# 1. ${comments.send}
job = requests.post(base + "/master", headers=auth, files={
${members(files.map(([field, name]) => [field, `open(${JSON.stringify(name)}, "rb")`]))}
}, data={
${members(fields.map(([field, value]) => [field, JSON.stringify(value)]))}
}).json()

# 2. ${comments.wait}
while job["status"] == "queued":
    answer = requests.get(base + "/jobs/" + job["job_id"] + "?wait=30", headers=auth)
    job = answer.json() if answer.ok else time.sleep(1) or job

# 3. ${comments.take}
if job["status"] == "done":
    masters = requests.get(job["download_url"], headers=auth)
    open(${JSON.stringify(zipName(sample.filename))}, "wb").write(masters.content)
else:
    print(job["error_message"])
`
}

function node({ baseUrl, key, comments, ...sample }: SnippetSource): string {
  const { files, fields } = formOf(sample)
  const sets = [
    ...files.map(([field, name]) => [field, `await openAsBlob(${JSON.stringify(name)}), ${JSON.stringify(name)}`]),
    ...fields.map(([field, value]) => [field, JSON.stringify(value)]),
  ].map(([field, value]) => `form.set("${field}", ${value})`)
  return `import { openAsBlob } from "node:fs"
import { writeFile } from "node:fs/promises"

const base = "${baseUrl}/api/v1"
const headers = { Authorization: "Bearer " + ${key ? JSON.stringify(key) : 'process.env.LOUDSMITH_KEY'} }

// 1. ${comments.send}
const form = new FormData()
${sets.join('\n')}
let job = await (await fetch(base + "/master", { method: "POST", headers, body: form })).json()

// 2. ${comments.wait}
while (job.status === "queued") {
  const answer = await fetch(base + "/jobs/" + job.job_id + "?wait=30", { headers })
  if (answer.ok) job = await answer.json()
  else await new Promise((resolve) => setTimeout(resolve, 1000))
}

// 3. ${comments.take}
if (job.status !== "done") throw new Error(job.error_message)
const masters = await fetch(job.download_url, { headers })
await writeFile(${JSON.stringify(zipName(sample.filename))}, Buffer.from(await masters.arrayBuffer()))
`
}

/** Addresses are built here from identifiers only: a key is never sent to an address from elsewhere. */
function n8n({ baseUrl, key, comments, ...sample }: SnippetSource): string {
  const { files, fields } = formOf(sample)
  const lines = [
    ...files.map(([field]) => [field, `n8n Binary File: ${field === 'file' ? 'data' : 'reference'}`] as const),
    ...fields,
  ].map(([field, value]) => `  ${field.padEnd(18)}${value}`)
  return `# 1. HTTP Request "Create job": ${comments.send}
Method              POST
URL                 ${baseUrl}/api/v1/master
Authentication      Header Auth: Authorization = Bearer ${key ?? 'ams_live_…'}
Body                Form-Data
${lines.join('\n')}

# 2. HTTP Request "Wait": ${comments.wait}
URL                 ${baseUrl}/api/v1/jobs/{{ $json.job_id }}?wait=30

# 3. If: {{ $json.status }} = queued -> "Wait"

# 4. HTTP Request: ${comments.take}
URL                 ${baseUrl}/api/v1/jobs/{{ $json.job_id }}/download
Response format     File
`
}

/** Configuration for agent hosts, which reach the service by the Model Context Protocol. */
function mcp({ baseUrl, key }: SnippetSource): string {
  const headers = { Authorization: `Bearer ${key ?? 'ams_live_…'}` }
  return `${JSON.stringify({ mcpServers: { loudsmith: { type: 'http', url: `${baseUrl}/mcp`, headers } } }, null, 2)}\n`
}

/** The samples by language. */
export const SNIPPETS = { curl, python, node, n8n, mcp }
export type SnippetLanguage = keyof typeof SNIPPETS
