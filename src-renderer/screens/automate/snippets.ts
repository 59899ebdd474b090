/** Working samples of the API for the settings in view. Pure. */

import { ENDPOINTS } from '../../../src-contract/endpoints.ts'
import type { Platform } from '../../../src-contract/platforms/index.ts'
import type { MasterSettings } from '../../../src-contract/settings.ts'
import { tellingNames } from '../../../src-contract/styles.ts'
import type { Text } from '../../text/en.ts'

/** A song and the settings to master it with: those of the batch, or those of a job. */
export interface Sample {
  readonly filename: string
  /** Name of the reference track, where there is one. */
  readonly reference?: string | undefined
  readonly settings: Omit<MasterSettings, 'platforms' | 'reference_source_id'> & {
    readonly platforms: readonly Platform[]
  }
}

export interface SnippetSource extends Sample {
  readonly baseUrl: string
  readonly comments: Text['automate']['comments']
}

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

const curl = ({ baseUrl, comments, ...sample }: SnippetSource) => `# 1. ${comments.send}
JOB=$(${curlOf(baseUrl, sample)} |
  tee /dev/stderr | sed -n 's/.*"job_id":"\\([^"]*\\)".*/\\1/p')

# 2. ${comments.wait}
while curl -sS ${baseUrl}/api/v1/jobs/$JOB \\
  -H "Authorization: Bearer $LOUDSMITH_KEY" | grep -q '"status":"queued"'
do sleep 2; done

# 3. ${comments.take}
curl -fOJ ${baseUrl}/api/v1/jobs/$JOB/download \\
  -H "Authorization: Bearer $LOUDSMITH_KEY"
`

/** Returns the members of an object in Python or JavaScript, one per line. */
const members = (pairs: readonly (readonly [string, string])[]) =>
  pairs.map(([name, value]) => `    ${JSON.stringify(name)}: ${value},`).join('\n')

function python({ baseUrl, comments, ...sample }: SnippetSource): string {
  const { files, fields } = formOf(sample)
  return `import os, time, requests

base = "${baseUrl}/api/v1"
auth = {"Authorization": "Bearer " + os.environ["LOUDSMITH_KEY"]}

# 1. ${comments.send}
job = requests.post(base + "/master", headers=auth, files={
${members(files.map(([field, name]) => [field, `open(${JSON.stringify(name)}, "rb")`]))}
}, data={
${members(fields.map(([field, value]) => [field, JSON.stringify(value)]))}
}).json()

# 2. ${comments.wait}
while job["status"] == "queued":
    time.sleep(2)
    job = requests.get(base + "/jobs/" + job["job_id"], headers=auth).json()

# 3. ${comments.take}
if job["status"] == "done":
    masters = requests.get(job["download_url"], headers=auth)
    open("masters.zip", "wb").write(masters.content)
else:
    print(job["error_message"])
`
}

function node({ baseUrl, comments, ...sample }: SnippetSource): string {
  const { files, fields } = formOf(sample)
  const sets = [
    ...files.map(([field, name]) => [field, `await openAsBlob(${JSON.stringify(name)}), ${JSON.stringify(name)}`]),
    ...fields.map(([field, value]) => [field, JSON.stringify(value)]),
  ].map(([field, value]) => `form.set("${field}", ${value})`)
  return `import { openAsBlob } from "node:fs"
import { writeFile } from "node:fs/promises"

const base = "${baseUrl}/api/v1"
const headers = { Authorization: "Bearer " + process.env.LOUDSMITH_KEY }

// 1. ${comments.send}
const form = new FormData()
${sets.join('\n')}
let job = await (await fetch(base + "/master", { method: "POST", headers, body: form })).json()

// 2. ${comments.wait}
while (job.status === "queued") {
  await new Promise((resolve) => setTimeout(resolve, 2000))
  job = await (await fetch(base + "/jobs/" + job.job_id, { headers })).json()
}

// 3. ${comments.take}
if (job.status !== "done") throw new Error(job.error_message)
const masters = await fetch(job.download_url, { headers })
await writeFile("masters.zip", Buffer.from(await masters.arrayBuffer()))
`
}

function n8n({ baseUrl, comments, ...sample }: SnippetSource): string {
  const { files, fields } = formOf(sample)
  const lines = [
    ...files.map(([field]) => [field, `n8n Binary File: ${field === 'file' ? 'data' : 'reference'}`] as const),
    ...fields,
    ['webhook_url', '{{ $execution.resumeUrl }}'] as const,
  ].map(([field, value]) => `  ${field.padEnd(18)}${value}`)
  return `# 1. HTTP Request: ${comments.send}
Method              POST
URL                 ${baseUrl}/api/v1/master
Authentication      Header Auth: Authorization = Bearer ams_live_…
Body                Form-Data
${lines.join('\n')}

# 2. Wait: ${comments.wait}
Resume              On Webhook Call, POST

# 3. HTTP Request: ${comments.take}
URL                 {{ $json.body.download_url }}
Response format     File
`
}

/** The samples by language. */
export const SNIPPETS = { curl, python, node, n8n }
export type SnippetLanguage = keyof typeof SNIPPETS
