/** `jobs file`: one master of a job, or one of its inputs. */
import { Argument, Option } from 'commander'
import { ENDPOINTS } from '../src-contract/endpoints.ts'
import { FORMAT_NAMES, type Format } from '../src-contract/formats.ts'
import type { AddCommand, ClientOptions } from './client-command.ts'
import { absolutePath } from './data-dir.ts'
import type { Messages } from './messages.ts'
import { nameOf, saveNew } from './save-file.ts'

interface FileOptions extends ClientOptions {
  readonly format?: Format
  readonly out?: string
}

/** Names of the files of a job. */
const FILES = ENDPOINTS.readJobFile.params.properties.file as unknown as { readonly enum: readonly JobFile[] }
type JobFile = (typeof ENDPOINTS.readJobFile.params.properties.file)['~unsafe']

/** Adds `jobs file`. */
export function registerJobFile(command: AddCommand, messages: Messages): void {
  const say = messages.file
  command(
    'file',
    say.about,
    async (client, id: string, file: JobFile, options: FileOptions) => {
      const { format } = options
      const query = format === undefined ? {} : { format }
      const answer = await client.open('readJobFile', { params: { job_id: id, file }, query })
      const target = options.out ?? absolutePath(messages)(nameOf(answer, file))
      await saveNew(answer, target, messages)
      return { file: target }
    },
    (saved) => say.saved(saved.file),
  )
    .argument('<id>')
    .addArgument(new Argument('<file>', say.which(FILES.enum.join(', '))).choices(FILES.enum))
    .addOption(new Option('--format <format>', say.format).choices(FORMAT_NAMES))
    .option('--out <file>', say.out, absolutePath(messages))
}
