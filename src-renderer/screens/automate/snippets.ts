/** Samples of the API that work as they are, for the settings in view. Pure. */
import type { MasterSettings } from '../../../src-server/contract/app.ts'
import type { Text } from '../../text/en.ts'

type Comments = Text['automate']['comments']

export interface SnippetSource {
  readonly baseUrl: string
  readonly filename: string
  readonly settings: Pick<MasterSettings, 'platforms' | 'genre' | 'ai_service' | 'tier' | 'intensity' | 'loudness'>
  readonly comments: Comments
}

/** Quotes a text for a POSIX shell: inside single quotes only the quote itself needs care. */
export function shellQuoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

const formOf = (filename: string, settings: SnippetSource['settings']): string[] => [
  `file=@${filename}`,
  `platforms=${settings.platforms.join(',')}`,
  `genre=${settings.genre}`,
  `ai_service=${settings.ai_service}`,
  `tier=${settings.tier}`,
  ...(settings.intensity === 50 ? [] : [`intensity=${settings.intensity}`]),
  ...(settings.loudness === 'platform' ? [] : [`loudness=${settings.loudness}`]),
]

/** The call that masters one song, as one curl command. */
export function curlOf(baseUrl: string, filename: string, settings: SnippetSource['settings']): string {
  const fields = formOf(filename, settings).map((field) => `  -F ${shellQuoted(field)}`)
  return [
    `curl ${baseUrl}/api/v1/master \\`,
    '  -H "Authorization: Bearer $LOUDSMITH_KEY" \\',
    fields.join(' \\\n'),
  ].join('\n')
}

const curl = ({ baseUrl, filename, settings, comments }: SnippetSource) => `# 1. ${comments.send}
${curlOf(baseUrl, filename, settings)}

# 2. ${comments.wait}
curl ${baseUrl}/api/v1/jobs/$JOB \\
  -H "Authorization: Bearer $LOUDSMITH_KEY"

# 3. ${comments.take}
curl -OJ ${baseUrl}/api/v1/jobs/$JOB/download \\
  -H "Authorization: Bearer $LOUDSMITH_KEY"
`

const python = ({ baseUrl, filename, settings, comments }: SnippetSource) => `import os, time, requests

base = "${baseUrl}/api/v1"
auth = {"Authorization": "Bearer " + os.environ["LOUDSMITH_KEY"]}

# 1. ${comments.send}
with open(${JSON.stringify(filename)}, "rb") as song:
    job = requests.post(base + "/master", headers=auth, files={"file": song},
                        data={"platforms": "${settings.platforms.join(',')}", "genre": "${settings.genre}",
                              "ai_service": "${settings.ai_service}", "tier": "${settings.tier}"}).json()

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

const node = ({ baseUrl, filename, settings, comments }: SnippetSource) => `import { openAsBlob } from "node:fs"
import { writeFile } from "node:fs/promises"

const base = "${baseUrl}/api/v1"
const headers = { Authorization: "Bearer " + process.env.LOUDSMITH_KEY }

// 1. ${comments.send}
const form = new FormData()
form.set("file", await openAsBlob(${JSON.stringify(filename)}), ${JSON.stringify(filename)})
form.set("platforms", "${settings.platforms.join(',')}")
form.set("genre", "${settings.genre}")
form.set("ai_service", "${settings.ai_service}")
form.set("tier", "${settings.tier}")
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

const n8n = ({ baseUrl, settings, comments }: SnippetSource) => `# 1. HTTP Request: ${comments.send}
Method            POST
URL               ${baseUrl}/api/v1/master
Authentication    Header Auth: Authorization = Bearer ams_live_…
Body              Form-Data
  file            n8n Binary File: data
  platforms       ${settings.platforms.join(',')}
  genre           ${settings.genre}
  webhook_url     {{ $execution.resumeUrl }}

# 2. Wait: ${comments.wait}
Resume            On Webhook Call, POST

# 3. HTTP Request: ${comments.take}
URL               {{ $json.body.download_url }}
Response format   File
`

/** The samples by language. */
export const SNIPPETS = { curl, python, node, n8n }
export type SnippetLanguage = keyof typeof SNIPPETS
