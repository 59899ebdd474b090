import { openAsBlob } from 'node:fs'
import { type Command, Option } from 'commander'
import type { FilePart } from '../src-contract/client.ts'
import { RELEASE } from '../src-contract/delivery-target.ts'
import { DISTRIBUTORS, type Distributor } from '../src-contract/distributors/index.ts'
import { FORMAT_NAMES, type Format, formatFacts } from '../src-contract/formats.ts'
import { PLATFORMS } from '../src-contract/platforms/index.ts'
import type {
  Certificate,
  ExportedRelease,
  ExportRequest,
  ReleaseReadiness,
  VerifiedFolder,
} from '../src-contract/release-exports.ts'
import { RELEASE_KINDS, type Release, type ReleaseKind } from '../src-contract/releases.ts'
import { OUTCOME_WORDS, VERDICT_WORDS } from '../src-contract/text/delivery.ts'
import {
  type AddCommand,
  type ClientOptions,
  clientCommands,
  commandGroup,
  runClientCommand,
} from './client-command.ts'
import { absolutePath } from './data-dir.ts'
import { FAILED } from './exit-codes.ts'
import { STANDARD_INPUT, withInputs } from './input-file.ts'
import type { Messages } from './messages.ts'
import { registerEditing } from './release-edit-commands.ts'
import { registerMasteringCommands } from './release-master-commands.ts'
import { describeRelease } from './release-text.ts'
import { writeNew } from './save-file.ts'
import { table } from './text-output.ts'

interface NewOptions extends ClientOptions {
  readonly artist: string
  readonly kind: ReleaseKind
  readonly job?: string[]
}

interface ImportOptions extends ClientOptions {
  readonly title?: string
  readonly artist?: string
}

interface ExportOptions extends ClientOptions {
  readonly out?: string
  readonly format?: Format[]
  readonly platform?: ExportRequest['platform']
  readonly byPlatform?: true
  readonly receiver?: Distributor[]
  readonly tags: boolean
  readonly naming?: string
  readonly asciiNames?: true
  readonly zip?: true
  readonly contentCredentials: boolean
  readonly names?: true
}

/** Adds the group `release`, and `verify`. */
export function registerReleaseCommands(program: Command, dataDir: string, messages: Messages): void {
  const say = messages.release
  const command = commandGroup(program, { name: 'release', about: say.about, dataDir, messages })
  registerKeeping(command, messages)
  registerEditing(command, messages)
  registerTables(command, messages)
  registerMasteringCommands(command, messages)

  registerExport(command, messages)
  clientCommands(program, dataDir, messages)(
    'verify',
    say.verify,
    async (client, folder: string) => {
      const found = await client.call('verifyFolder', { body: { folder } })
      if (!found.is_intact) process.exitCode = FAILED
      return found
    },
    (found) => describeFolder(found, messages),
  ).argument('<folder>', say.folder, absolutePath(messages))
}

/** Adds `release check` and `release export`. */
function registerExport(command: AddCommand, messages: Messages): void {
  const say = messages.release
  command(
    'check <id>',
    say.check,
    (client, id: string) => client.call('readReadiness', { params: { release_id: id } }),
    (found) => describeReadiness(found, messages),
  )
  command('export <id>', say.export)
    .option('--out <folder>', say.out, absolutePath(messages))
    .addOption(new Option('--format <names...>', say.format).choices(FORMAT_NAMES))
    .addOption(new Option('--platform <platform>', say.platform).choices([RELEASE, ...PLATFORMS]))
    .option('--by-platform', say.byPlatform)
    .addOption(new Option('--receiver <names...>', say.receiver).choices(DISTRIBUTORS))
    .option('--no-tags', say.noTags)
    .option('--naming <pattern>', say.naming)
    .option('--ascii-names', say.asciiNames)
    .option('--zip', say.zip)
    .option('--no-content-credentials', say.noContentCredentials)
    .option('--names', say.names)
    .action((id: string, options: ExportOptions) => {
      let isMastered = true
      return options.names
        ? runClientCommand(
            options,
            messages,
            (client) => client.call('nameExport', { params: { release_id: id }, body: exportBody(options) }),
            ({ folder, files }) => [folder, ...files].join('\n'),
          )
        : runClientCommand(
            options,
            messages,
            async (client) => {
              const params = { release_id: id }
              isMastered = (await client.call('readRelease', { params })).mastering.state === 'done'
              return client.call('exportRelease', { params, body: exportBody(options) })
            },
            (outcome) => [describeExport(outcome, messages), ...(isMastered ? [] : [say.ofJobs])].join('\n'),
          )
    })
}

/** Adds `release list`, `show`, `new`, `add` and `delete`. */
function registerKeeping(command: AddCommand, messages: Messages): void {
  const say = messages.release
  const shown = (release: Release) => describeRelease(release, messages)
  command(
    'list',
    say.list,
    (client) => client.call('listReleases', { query: { limit: 100 } }),
    ({ releases }) =>
      releases.length === 0
        ? say.none
        : table(
            releases.map((one) => [
              one.release_id,
              one.kind,
              say.tracks(one.track_count),
              `${one.artist} - ${one.title}`,
            ]),
          ),
  )
  command(
    'show <id>',
    say.show,
    (client, id: string) => client.call('readRelease', { params: { release_id: id } }),
    shown,
  )
  command(
    'new <title>',
    say.create,
    (client, title: string, options: NewOptions) => client.call('createRelease', { body: newRelease(title, options) }),
    shown,
  )
    .requiredOption('--artist <name>', say.artist)
    .addOption(new Option('--kind <kind>', say.kind).choices(RELEASE_KINDS).default('single'))
    .option('--job <ids...>', say.job)
  command(
    'add <id> <jobs...>',
    say.add,
    (client, id: string, jobs: string[]) =>
      client.call('addTracks', { params: { release_id: id }, body: { tracks: jobs.map((job_id) => ({ job_id })) } }),
    shown,
  )
  command(
    'delete <id>',
    say.delete,
    async (client, id: string) => {
      await client.call('deleteRelease', { params: { release_id: id } })
      return { deleted: true }
    },
    () => say.deleted,
  )
}

/** Adds `release import`, `csv` and `update`. */
function registerTables(command: AddCommand, messages: Messages): void {
  const say = messages.release
  const shownAll = ({ releases, ignored_columns }: { releases: Release[]; ignored_columns: string[] }) =>
    [
      ...releases.map((release) => describeRelease(release, messages)),
      ...(ignored_columns.length > 0 ? [say.ignored(ignored_columns.join(', '))] : []),
    ].join('\n\n')
  command(
    'import <file>',
    say.import,
    (client, file: string, options: ImportOptions) =>
      withTable(file, messages, (part) => client.call('importReleases', { ...part, fields: namesBeside(options) })),
    shownAll,
  )
    .option('--title <title>', say.importTitle)
    .option('--artist <artist>', say.importArtist)
  command(
    'csv <id>',
    say.csv,
    async (client, id: string, options: ClientOptions & { readonly out?: string }) => {
      const csv = await (await client.open('readReleaseCsv', { params: { release_id: id } })).text()
      if (options.out === undefined) return { csv }
      // An existing file may hold the owner's own changes.
      await writeNew(options.out, `\ufeff${csv}`, messages)
      return { file: options.out }
    },
    (outcome) => ('csv' in outcome ? outcome.csv : say.written(outcome.file)),
  ).option('--out <file>', say.csvOut, absolutePath(messages))
  command(
    'update <id> <file>',
    say.update,
    (client, id: string, file: string) =>
      withTable(file, messages, (part) => client.call('changeReleaseByCsv', { params: { release_id: id }, ...part })),
    shownAll,
  )
}

const namesBeside = ({ title, artist }: ImportOptions) => ({
  ...(title === undefined ? {} : { release_title: title }),
  ...(artist === undefined ? {} : { release_artist: artist }),
})

function newRelease(title: string, { artist, kind, job = [] }: NewOptions) {
  return { title, artist, kind, tracks: job.map((job_id) => ({ job_id })) }
}

function exportBody(options: ExportOptions): ExportRequest {
  const { out, format, platform, byPlatform, receiver, tags, naming, asciiNames, zip, contentCredentials } = options
  return {
    ...(out === undefined ? {} : { folder: out }),
    ...(format === undefined ? {} : { formats: format }),
    ...(platform === undefined ? {} : { platform }),
    ...(byPlatform ? { by_platform: true } : {}),
    ...(receiver === undefined ? {} : { receivers: receiver }),
    ...(tags ? {} : { file_tags: 'none' }),
    ...(naming === undefined ? {} : { naming }),
    ...(asciiNames ? { ascii_names: true } : {}),
    ...(zip ? { zip: true } : {}),
    ...(contentCredentials ? {} : { content_credentials: false }),
  }
}

/** Calls `use` with a table as the file of a form. Throws a sentence for anything but a file. */
function withTable<Outcome>(
  file: string,
  messages: Messages,
  use: (part: { readonly files: { readonly file: FilePart } }) => Promise<Outcome>,
): Promise<Outcome> {
  const named = file === STANDARD_INPUT ? file : absolutePath(messages)(file)
  const { signal } = new AbortController()
  return withInputs([{ path: named, name: 'table.csv' }], { messages, signal }, async ([input]) =>
    use({ files: { file: { content: await openAsBlob(input!.path), name: input!.name } } }),
  )
}

function describeExport({ folder, zip, certificate }: ExportedRelease, { release: say, language }: Messages): string {
  const { receivers, unapplied_tracks, files } = certificate
  const rows = receivers.map(({ name, upload, outcome }) => [
    ...[name, OUTCOME_WORDS[outcome][language], formatFacts(upload.format).name],
    upload.folder,
  ])
  const remedies = remediesOf(receivers)
  return [
    say.exported(files.length, folder),
    ...(zip === undefined ? [] : [say.zipped(zip)]),
    table(rows),
    ...(remedies.length > 0 ? [say.toMend, ...remedies] : []),
    ...(unapplied_tracks.length > 0 ? [say.unapplied(unapplied_tracks.join(', '))] : []),
  ].join('\n')
}

/** Describes the readiness for the chosen receivers, or for all where none was chosen. */
function describeReadiness(
  { chosen, receivers, remarks }: ReleaseReadiness,
  { release: say, language }: Messages,
): string {
  const shown = chosen.length > 0 ? receivers.slice(0, chosen.length) : receivers
  const rows = shown.map(({ name, verdicts }) => [
    ...[name, say.filesAre(VERDICT_WORDS[verdicts!.files][language])],
    say.releaseIs(VERDICT_WORDS[verdicts!.release][language]),
  ])
  const lacking = shown.flatMap(({ fields = [] }) =>
    fields.flatMap(({ need, state, title, message }) =>
      need === 'required' && state === 'missing' ? `  ${title}: ${message}` : [],
    ),
  )
  const remedies = chosen.length > 0 ? remediesOf(shown) : []
  const told = remarks.map(({ track, message, mend }) => {
    const place = track === undefined ? '' : `${track}: `
    return `  ${place}${message}${mend ? ` → ${mend.shows}` : ''}`
  })
  return [
    table(rows),
    ...(lacking.length + remedies.length + told.length > 0
      ? [say.toMend, ...new Set(lacking), ...remedies, ...told]
      : []),
    ...(chosen.length > 0 ? [] : [say.chooseOne]),
  ].join('\n')
}

/** Returns a line for each fault: the remedy, the affected files, and the receivers that require it. */
function remediesOf(receivers: Certificate['receivers']): string[] {
  const faults = new Map<string, { readonly files: Set<string>; readonly names: Set<string> }>()
  for (const { name, checks } of receivers)
    for (const { file, message } of checks.flatMap(({ remedies }) => remedies)) {
      const fault = faults.get(message) ?? { files: new Set(), names: new Set() }
      faults.set(message, fault)
      fault.names.add(name)
      if (file !== undefined) fault.files.add(file)
    }
  return [...faults].map(([message, { files, names }]) => {
    const having = files.size > 0 ? `${[...files].join(', ')}: ` : ''
    return `  ${having}${message} (${[...names].join(', ')})`
  })
}

function describeFolder(
  { folder, is_intact, signature, ...found }: VerifiedFolder,
  { release: say }: Messages,
): string {
  const lists = (['changed', 'missing', 'added'] as const).flatMap((kind) =>
    found[kind].map((name) => `  ${say.differences[kind]}: ${name}`),
  )
  return [is_intact ? say.intact(folder) : say.differs(folder), `  ${say.signatures[signature]}`, ...lists].join('\n')
}
