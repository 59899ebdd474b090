/** Tools for single songs: analysis, preview, mastering, and the catalogue of settings. */
import path from 'node:path'
import Type, { type Static } from 'typebox'
import { type FilePart, openEventStream } from '../../src-contract/client.ts'
import { anyObject, exactly, oneOf } from '../../src-contract/common.ts'
import type { LiveEvent } from '../../src-contract/events.ts'
import {
  AcceptField,
  AnalysisFields,
  type CreatedJob,
  type Job,
  MasterFields,
  PreviewFields,
  REFERENCE_FILES,
  RetryChanges,
} from '../../src-contract/jobs.ts'
import { MAX_REFERENCES } from '../../src-contract/limits.ts'
import { METADATA_NAMES } from '../../src-contract/metadata.ts'
import { CHANGED_OWN_METADATA } from '../../src-contract/metadata-schemas.ts'
import { PLATFORMS } from '../../src-contract/platforms/index.ts'
import { PresetChange, presetEndpoints } from '../../src-contract/presets.ts'
import { CHANGED_SETTINGS } from '../../src-contract/setting-schemas.ts'
import { SETTING_NAMES, SETTINGS } from '../../src-contract/settings.ts'
import { waitForJob } from '../../src-contract/wait-for-job.ts'
import { WordsRequest } from '../../src-contract/words.ts'
import { Confirm, IdempotencyKey, idempotent, pathArgument, waitSeconds } from './shared-arguments.ts'
import { jobAnswer, type ToolAnswer, type ToolContext, tool } from './tool.ts'

const songFields = {
  file: pathArgument('Full path of an MP3, WAV or FLAC file inside the folders that the owner allowed.'),
  accept: AcceptField,
  preset: MasterFields.properties.preset,
  reference_file: Type.Optional(pathArgument('Full path of a track whose tone to match.')),
  further_references: Type.Optional(
    Type.Array(pathArgument('Full path of one more track whose tone to match.'), { maxItems: MAX_REFERENCES - 1 }),
  ),
  reference_weights: MasterFields.properties.reference_weights,
  targets: Type.Optional(
    Type.Array(anyObject(), {
      maxItems: MAX_REFERENCES,
      description: 'References without their audio: `target` of the tool `analyse`, each with a `weight` if you like.',
    }),
  ),
  recipe: Type.Optional(
    anyObject(
      '`recipe` of a report (`read_report` with `recipe: true`), edited or not: its stages and targets replace the plan, and no setting of the sound and no reference stands beside it.',
    ),
  ),
  settings: Type.Optional(
    exactly(
      CHANGED_SETTINGS,
      'Settings of the sound and the files; the tool `settings` lists them. Neutral when absent.',
    ),
  ),
}

const { client_reference, metadata } = RetryChanges.properties

const MasterInput = exactly({
  ...songFields,
  stems: Type.Optional(
    Type.Boolean({
      description: 'True if `file` is a ZIP of the stems of one song: their sum is mastered, for 1 credit.',
    }),
  ),
  platforms: Type.Array(oneOf(PLATFORMS), { minItems: 1, uniqueItems: true, description: 'One master for each.' }),
  cover_file: Type.Optional(pathArgument('Full path of a cover, JPEG or PNG.')),
  ...CHANGED_OWN_METADATA,
  client_reference,
  metadata,
  confirm: Confirm,
  wait: waitSeconds('Until it has ended, with progress, when absent; 0 for the new job at once.'),
  idempotency_key: IdempotencyKey,
})

const PreviewInput = exactly({
  ...songFields,
  platform: oneOf(PLATFORMS),
  start_seconds: PreviewFields.properties.start_seconds,
  seconds: PreviewFields.properties.seconds,
  folder: pathArgument('Full path of an allowed folder, into which the WAV of the passage is written.'),
})

/** Longest part of a song's name in its preview's name, characters: four bytes each, and room for the rest in the 255 of a name. */
const MAX_STEM_LENGTH = 50

/** Returns settings as the text fields of a form; null values are left out. */
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
    name === undefined ? [] : [context.openFile(name, part).then((file) => [part, file] as const)],
  )
  return Object.fromEntries(await Promise.all(opened))
}

/** Returns a recipe as the part of a form: it may be longer than a text field. */
function recipePart(recipe: Readonly<Record<string, unknown>> | undefined): { recipe?: FilePart } {
  return recipe ? { recipe: { content: new Blob([JSON.stringify(recipe)]), name: 'recipe.json' } } : {}
}

type References = Pick<
  Static<typeof MasterInput>,
  'reference_file' | 'further_references' | 'reference_weights' | 'targets'
>

/** Returns the paths of the references by their parts of a form. */
const referenceParts = ({ reference_file, further_references = [] }: References) => ({
  reference_file,
  ...Object.fromEntries(further_references.map((file, index) => [REFERENCE_FILES[index + 1]!, file])),
})

/** Returns the text fields about references. */
const referenceTexts = ({ reference_weights, targets }: References) => ({
  ...(reference_weights === undefined ? {} : { reference_weights }),
  ...(targets === undefined ? {} : { targets: JSON.stringify(targets) }),
})

async function master(args: Static<typeof MasterInput>, context: ToolContext) {
  const { client, signal } = context
  const { file, stems, cover_file, recipe, settings, platforms, ...rest } = args
  const { reference_file, further_references, reference_weights, targets, ...others } = rest
  const { confirm, wait, idempotency_key, ...written } = others
  const setId = stems ? await storeStems(file, written, context) : undefined
  const request = {
    fields: {
      ...(setId === undefined ? {} : { source_id: setId }),
      ...(textFields(settings) as object),
      platforms: platforms.join(','),
      ...referenceTexts(args),
      ...written,
      ...(written.metadata === undefined ? {} : { metadata: JSON.stringify(written.metadata) }),
    } as object,
    files: {
      ...(await parts(context, { ...(stems ? {} : { file }), ...referenceParts(args), cover_file })),
      ...recipePart(recipe),
    },
    headers: idempotent(idempotency_key),
  }
  if (!confirm) {
    const dryRun = { ...request, fields: { ...request.fields, dry_run: true }, signal }
    const checked = context.inTurn(() => client.call('createJob', dryRun))
    return { value: await checked.finally(() => setId !== undefined && removeStems(setId, context)) }
  }
  const create = () =>
    client.call('createJob', request).catch(async (cause) => {
      if (setId !== undefined) await removeStems(setId, context)
      throw cause
    }) as Promise<CreatedJob>
  // An aborted request may already have made the job: it is cancelled by its identifier.
  return newJob(create, context, wait)
}

/** Stores the stems in a ZIP and resolves with the identifier of their set. */
async function storeStems(
  file: string,
  { accept, title }: Pick<Static<typeof MasterInput>, 'accept' | 'title'>,
  context: ToolContext,
): Promise<string> {
  const fields = { kind: 'stems' as const, ...(accept ? { accept } : {}), ...(title ? { title } : {}) }
  const files = await parts(context, { file })
  const { source_id } = await context.client.call('createStemSet', { fields, files, signal: context.signal })
  return source_id
}

/** Removes a set that led to no job. */
const removeStems = (setId: string, { client }: ToolContext) =>
  client.call('deleteStemSet', { params: { source_id: setId } })

/**
 * Makes a job and answers with it when it has ended, or with its state after `waitFor` seconds. Reports its progress meanwhile. Cancels
 * the job if the call is cancelled. A caller that follows tasks gets the job as one instead of waiting for its end.
 */
export async function newJob(
  create: () => Promise<CreatedJob>,
  context: ToolContext,
  waitFor: number | undefined,
): Promise<ToolAnswer> {
  if (!context.followsTasks || waitFor !== undefined) return jobAnswer(await endedJob(create, context, waitFor))
  const { job_id } = await create()
  const job = await context.client.call('readJob', { params: { job_id } })
  return { ...jobAnswer(job), ...(job.status === 'queued' ? { task: job } : {}) }
}

async function endedJob(
  create: () => Promise<CreatedJob>,
  { client, signal, isCancelled, report }: ToolContext,
  waitFor: number | undefined,
): Promise<Job> {
  const told = new AbortController()
  // The stream is opened before the job is made, only for its progress: the end is polled. A refused stream costs only the progress.
  const stream =
    report && waitFor !== 0
      ? await openEventStream(client, undefined, AbortSignal.any([signal, told.signal])).catch(() => undefined)
      : undefined
  try {
    signal.throwIfAborted()
    const { job_id } = await create()
    if (stream && report) void tellProgress(job_id, stream.messages, report, told.signal)
    try {
      return await (waitFor === undefined
        ? waitForJob(client, job_id, signal)
        : client.call('readJob', { params: { job_id }, query: { wait: waitFor }, signal }))
    } catch (error) {
      if (isCancelled()) await client.call('deleteJob', { params: { job_id }, query: { status: 'queued' } })
      throw error
    }
  } finally {
    told.abort()
  }
}

/** Reports the progress of a job until the stream ends. Never rejects. */
async function tellProgress(
  jobId: string,
  stream: Awaited<ReturnType<typeof openEventStream>>['messages'],
  report: NonNullable<ToolContext['report']>,
  told: AbortSignal,
): Promise<void> {
  try {
    for await (const messages of stream) {
      for (const { data } of messages) {
        const { job_id, progress, stage = '' } = JSON.parse(data) as LiveEvent
        if (job_id === jobId && progress !== undefined && !told.aborted) report(progress, stage)
      }
    }
  } catch {
    // The line was lost, or is not needed any more.
  }
}

async function preview(args: Static<typeof PreviewInput>, context: ToolContext) {
  const { file, recipe, settings, platform, accept, start_seconds, seconds } = args
  // Requested first, so that no song is rendered in vain.
  const write = await context.openFolder(args.folder, 'folder')
  const files = { ...(await parts(context, { file, ...referenceParts(args) })), ...recipePart(recipe) }
  const response = await context.inTurn(() =>
    context.client.open('preview', {
      fields: {
        ...(textFields(settings) as object),
        platforms: platform,
        ...(args.preset === undefined ? {} : { preset: args.preset }),
        ...referenceTexts(args),
        ...(accept ? { accept } : {}),
        ...(start_seconds === undefined ? {} : { start_seconds }),
        ...(seconds === undefined ? {} : { seconds }),
      },
      files,
      signal: context.signal,
    }),
  )
  const figure = (name: string) => Number(response.headers.get(name))
  const stem = [...path.parse(String(file)).name].slice(0, MAX_STEM_LENGTH).join('')
  const written = await write(`${stem} preview ${platform}.wav`, new Uint8Array(await response.arrayBuffer()))
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

const { price, target } = AnalysisFields.properties

const presetParams = presetEndpoints.savePreset.params.properties

const PRESET_TOOLS = [
  tool({
    name: 'presets',
    title: 'List presets',
    description: 'Named settings, some with a recipe or saved targets, for `preset` of master and preview.',
    input: exactly({}),
    effect: 'reads',
    endpoint: 'readPresets',
    run: async (_, { client, signal }) => ({ value: await client.call('readPresets', { signal }) }),
  }),
  tool({
    name: 'save_preset',
    title: 'Save a preset',
    description: 'Makes a preset of settings, a recipe or targets, or replaces that of the same name. Free.',
    input: exactly({ ...presetParams, ...PresetChange.properties, confirm: Confirm }),
    effect: 'changes',
    endpoint: 'savePreset',
    run: async ({ name, settings, confirm }, { client, signal }) => {
      if (confirm) return { value: await client.call('savePreset', { params: { name }, body: { settings } }) }
      const { presets } = await client.call('readPresets', { signal })
      return { value: { dry_run: true, name, replaces: presets.some((preset) => preset.name === name) } }
    },
  }),
  tool({
    name: 'delete_preset',
    title: 'Delete a preset',
    description: 'Removes a preset for good; jobs keep their settings. Without `confirm` it is only named.',
    input: exactly({ ...presetParams, confirm: Confirm }),
    effect: 'ends',
    endpoint: 'deletePreset',
    run: async ({ name, confirm }, { client }) => {
      if (!confirm) return { value: { dry_run: true, name } }
      await client.call('deletePreset', { params: { name } })
      return { value: { deleted: name } }
    },
  }),
]

export const SONG_TOOLS = [
  ...PRESET_TOOLS,
  tool({
    name: 'settings',
    title: 'List platforms and settings',
    description: 'Lists the platforms, the tags, and every setting of a master with its bounds and default.',
    input: exactly({}),
    effect: 'reads',
    endpoint: 'readOpenApi',
    run: async () => ({ value: { platforms: PLATFORMS, tags: METADATA_NAMES, settings: settingRows() } }),
  }),
  tool({
    name: 'words',
    title: 'Turn words into settings',
    description:
      'Reads "warmer and less harsh, a bit louder" in English or Korean as `settings` for master and preview, and names the words that it does not know or follow in full. A fixed grammar; free, and nothing is made.',
    input: WordsRequest,
    effect: 'reads',
    endpoint: 'readWords',
    run: async (body, { client, signal }) => ({ value: await client.call('readWords', { body, signal }) }),
  }),
  tool({
    name: 'analyse',
    title: 'Analyse a song',
    description:
      'Measures a song, says what mastering would find and repair, and suggests settings with their reasons. Free; nothing is stored or applied.',
    input: exactly({ file: songFields.file, accept: AcceptField, price, target }),
    effect: 'reads',
    endpoint: 'analyze',
    run: async ({ file, accept, price, target }, context) => {
      const { client, signal, inTurn } = context
      const files = await parts(context, { file })
      const fields = {
        ...(accept ? { accept } : {}),
        ...(price ? { price: true } : {}),
        ...(target ? { target: true } : {}),
      }
      const found = await inTurn(() => client.call('analyze', { fields, files, signal }))
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
    showsJob: true,
    endpoint: 'createJob',
    run: master,
  }),
]
