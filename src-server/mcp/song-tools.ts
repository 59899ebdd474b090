/** Tools for single songs: analysis, preview, mastering, and what the catalogue of settings holds. */
import Type, { type Static } from 'typebox'
import { type Client, openEventStream } from '../../src-contract/client.ts'
import { exactly, oneOf } from '../../src-contract/common.ts'
import type { LiveEvent } from '../../src-contract/events.ts'
import { type CreatedJob, type Job, PreviewFields } from '../../src-contract/jobs.ts'
import { MAX_TITLE_LENGTH, MAX_WAIT_SECONDS } from '../../src-contract/limits.ts'
import { METADATA_NAMES } from '../../src-contract/metadata.ts'
import { METADATA_FIELDS } from '../../src-contract/metadata-schemas.ts'
import { PLATFORMS } from '../../src-contract/platforms/index.ts'
import { CHANGED_SETTINGS } from '../../src-contract/setting-schemas.ts'
import { SETTING_NAMES, SETTINGS } from '../../src-contract/settings.ts'
import { jobAnswer, type ToolContext, tool } from './tool.ts'

const songPath = (description: string) => Type.String({ minLength: 1, description })
const FILE = songPath('Full path of an MP3, WAV or FLAC file inside the folders that the owner allowed.')
const Settings = Type.Optional(
  exactly(
    CHANGED_SETTINGS,
    'Settings of the sound and the files; the tool `settings` lists them. Neutral when absent.',
  ),
)

/** Confirmation of what costs credits or cannot be taken back. */
export const Confirm = Type.Optional(
  Type.Boolean({ description: 'True to do it. Without it the answer says what it would cost, and nothing is done.' }),
)
export const IdempotencyKey = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 255,
    // It travels as a header.
    pattern: '^[\\x21-\\x7e]([\\x20-\\x7e]*[\\x21-\\x7e])?$',
    description: 'A word of your own, of ASCII: the same call with it is made and charged once.',
  }),
)

const songFields = {
  file: FILE,
  reference_file: Type.Optional(songPath('Full path of a track whose tone to match.')),
  settings: Settings,
}

const MasterInput = exactly({
  ...songFields,
  platforms: Type.Array(oneOf(PLATFORMS), { minItems: 1, uniqueItems: true, description: 'One master for each.' }),
  cover_file: Type.Optional(songPath('Full path of a cover, JPEG or PNG.')),
  title: Type.Optional(Type.String({ maxLength: MAX_TITLE_LENGTH })),
  artist: Type.Optional(Type.String({ maxLength: MAX_TITLE_LENGTH })),
  metadata: Type.Optional(exactly(METADATA_FIELDS)),
  confirm: Confirm,
  wait: Type.Optional(
    Type.Boolean({
      default: true,
      description: 'False to get the new job at once; true to wait for its end with progress.',
    }),
  ),
  idempotency_key: IdempotencyKey,
})

const PreviewInput = exactly({
  ...songFields,
  platform: oneOf(PLATFORMS),
  start_seconds: PreviewFields.properties.start_seconds,
  seconds: PreviewFields.properties.seconds,
  folder: songPath('Full path of an allowed folder, into which the WAV of the passage is written.'),
})

/** Returns settings as the text fields of a form: what is null is left out. */
function textFields(settings: Readonly<Record<string, unknown>> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(settings)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : String(value)]),
  )
}

/** Opens the named files as the parts of a form. */
async function parts(context: ToolContext, names: Readonly<Record<string, string | undefined>>) {
  const opened = Object.entries(names).flatMap(([part, name]) =>
    name === undefined ? [] : [context.openFile(name).then((file) => [part, file] as const)],
  )
  return Object.fromEntries(await Promise.all(opened))
}

/** Returns the header that makes a repeated call the same. */
export const idempotent = (key: string | undefined): Record<string, string> =>
  key === undefined ? {} : { 'Idempotency-Key': key }

async function master(args: Static<typeof MasterInput>, context: ToolContext) {
  const { client } = context
  const { file, reference_file, cover_file, settings, platforms, title, artist, metadata = {} } = args
  const request = {
    fields: {
      ...(textFields(settings) as object),
      platforms: platforms.join(','),
      ...metadata,
      ...(title === undefined ? {} : { title }),
      ...(artist === undefined ? {} : { artist }),
    },
    files: await parts(context, { file, reference_file, cover_file }),
    headers: idempotent(args.idempotency_key),
  }
  if (!args.confirm) {
    const { signal } = context
    return {
      value: await client.call('createJob', { ...request, fields: { ...request.fields, dry_run: true }, signal }),
    }
  }
  // A request that is broken off might have made the job already: it is cancelled by its identifier.
  const create = async () => (await client.call('createJob', request)) as CreatedJob
  if (args.wait === false) return { value: await create() }
  return jobAnswer(await withProgress(create, context))
}

/** Makes a job, tells how far it is, and resolves with it once it has ended. Cancels it where the call is cancelled. */
async function withProgress(create: () => Promise<CreatedJob>, context: ToolContext): Promise<Job> {
  const { client, signal, isCancelled } = context
  // Followed before it is made, so that its end is not missed.
  const stream = await openEventStream(client, undefined, signal)
  try {
    const { job_id } = await create()
    try {
      await followed(job_id, stream.messages, context)
      return await ended(client, job_id, signal)
    } catch (error) {
      if (isCancelled()) await client.call('deleteJob', { params: { job_id }, query: { status: 'queued' } })
      throw error
    }
  } finally {
    await stream.close()
  }
}

const ENDS: readonly LiveEvent['event'][] = ['job.completed', 'job.failed', 'job.deleted']

/** Tells the progress of a job until it ends or the stream does. */
async function followed(
  jobId: string,
  stream: Awaited<ReturnType<typeof openEventStream>>['messages'],
  { report, signal }: ToolContext,
): Promise<void> {
  signal.throwIfAborted()
  for await (const messages of stream) {
    for (const { data } of messages) {
      const event = JSON.parse(data) as LiveEvent
      if (event.job_id !== jobId) continue
      if (ENDS.includes(event.event)) return
      if (event.progress !== undefined) report(event.progress, event.stage ?? '')
    }
  }
}

async function ended(client: Client, job_id: string, signal: AbortSignal): Promise<Job> {
  for (;;) {
    const job = await client.call('readJob', { params: { job_id }, query: { wait: MAX_WAIT_SECONDS }, signal })
    if (job.status !== 'queued') return job
  }
}

async function preview(args: Static<typeof PreviewInput>, context: ToolContext) {
  const { file, reference_file, settings, platform, start_seconds, seconds } = args
  // Asked for before the song is rendered in vain.
  const write = await context.openFolder(args.folder)
  const response = await context.client.open('preview', {
    fields: {
      ...(textFields(settings) as object),
      platforms: platform,
      ...(start_seconds === undefined ? {} : { start_seconds }),
      ...(seconds === undefined ? {} : { seconds }),
    },
    files: await parts(context, { file, reference_file }),
    signal: context.signal,
  })
  const figure = (name: string) => Number(response.headers.get(name))
  const written = await write(`preview ${platform}.wav`, new Uint8Array(await response.arrayBuffer()))
  return {
    value: {
      file: written,
      start_seconds: figure('preview-start-seconds'),
      loudness_lufs: figure('preview-loudness-lufs'),
      gain_db: figure('preview-gain-db'),
    },
  }
}

/** Rows of the settings as data. */
function settingRows() {
  return SETTING_NAMES.map((name) => {
    const { description, kind, ...row } = SETTINGS[name] as (typeof SETTINGS)[typeof name] & Record<string, unknown>
    const { values, minimum, maximum, standard } = row as Record<string, unknown>
    return { name, kind, description, values, minimum, maximum, default: standard }
  })
}

export const SONG_TOOLS = [
  tool({
    name: 'settings',
    title: 'List platforms and settings',
    description: 'Lists the platforms and every setting of a master with its bounds and default.',
    input: exactly({}),
    effect: 'reads',
    endpoint: 'readOpenApi',
    run: async () => ({ value: { platforms: PLATFORMS, metadata: METADATA_NAMES, settings: settingRows() } }),
  }),
  tool({
    name: 'analyse',
    title: 'Analyse a song',
    description: 'Measures a song and says what mastering would find and repair. Free; nothing is stored.',
    input: exactly({ file: FILE }),
    effect: 'reads',
    endpoint: 'analyze',
    run: async ({ file }, context) => {
      const found = await context.client.call('analyze', {
        files: await parts(context, { file }),
        signal: context.signal,
      })
      const { spectrum: _, curves: _curves, waveform: _waveform, ...figures } = found
      return { value: figures }
    },
  }),
  tool({
    name: 'preview',
    title: 'Render a passage of a master',
    description: 'Writes the passage that the master of one platform would have as a WAV into an allowed folder. Free.',
    input: PreviewInput,
    effect: 'changes',
    endpoint: 'preview',
    run: preview,
  }),
  tool({
    name: 'master',
    title: 'Master a song',
    description:
      'Makes one measured master of a song for each platform; 1 credit whatever their number. Without `confirm` it makes every check and the analysis and says what it would cost. A failed or cancelled job is refunded.',
    input: MasterInput,
    effect: 'spends',
    endpoint: 'createJob',
    run: master,
  }),
]
