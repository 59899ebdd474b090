/** The definition of a tool, and the input and output of its calls. */
import type { Static, TObject } from 'typebox'
import type { Client, FilePart } from '../../src-contract/client.ts'
import { type Endpoint, SCOPES, type Scope } from '../../src-contract/endpoint.ts'
import { ENDPOINTS, type EndpointName } from '../../src-contract/endpoints.ts'
import type { Job } from '../../src-contract/jobs.ts'

/** A file or resource beside the answer of a tool. */
export interface Link {
  readonly uri: string
  readonly name: string
  readonly mimeType: string
  readonly description: string
}

/** Answer of a tool: plain data, and links to anything too large for it. */
export interface ToolAnswer {
  readonly value: object
  readonly links?: readonly Link[]
  /** Job that the caller follows as a task instead of the answer. */
  readonly task?: Job
}

/** Context of one call of a tool. */
export interface ToolContext {
  /** Calls the API with the caller's own key. */
  readonly client: Client
  /** Opens the file of the owner's allowed folders that the argument `param` names. Rejects with PATH_NOT_ALLOWED, or INVALID_REQUEST. */
  readonly openFile: (given: string, param: string) => Promise<FilePart>
  /**
   * Resolves with the writer of new files in the allowed folder that the argument `param` names: each gets a name that is free there, and
   * its path is returned. Rejects with PATH_NOT_ALLOWED, or INVALID_REQUEST.
   */
  readonly openFolder: (given: string, param: string) => Promise<(name: string, bytes: Uint8Array) => Promise<string>>
  /** Runs free work on a song after the key's earlier calls: the API accepts one at a time from each key. */
  readonly inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>
  /** Fires when the caller cancels the call, or is gone. */
  readonly signal: AbortSignal
  /** Returns whether the caller has cancelled the call; false if the caller is gone. */
  readonly isCancelled: () => boolean
  /** True if the caller follows a new job as a task: no call waits for its end. */
  readonly followsTasks: boolean
  /** Reports the progress to the caller, 0 to 100; undefined for a caller that did not ask. */
  readonly report: ((progress: number, message: string) => void) | undefined
}

/** Files of one call of a tool, and the folders that all calls write to. */
export interface ToolFiles extends Pick<ToolContext, 'openFolder'> {
  /** Returns the files of one call; `discard` removes them. */
  readonly filesOfCall: (
    signal: AbortSignal,
  ) => Pick<ToolContext, 'openFile'> & { readonly discard: () => Promise<void> }
}

/** Effect of a tool on the account, for the host that asks its user. */
export type Effect =
  /** Changes nothing. */
  | 'reads'
  /** Makes reversible additions or changes. */
  | 'changes'
  /** Costs credits. */
  | 'spends'
  /** Removes something irrecoverable. */
  | 'ends'

export interface Tool<Input extends TObject = TObject> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: Input
  readonly effect: Effect
  /** True if its answer is a job, which a host may show by the view of results. */
  readonly showsJob?: true
  /** Endpoint that does its work: the tool is for keys that may call it. */
  readonly endpoint: EndpointName
  readonly run: (args: Static<Input>, context: ToolContext) => Promise<ToolAnswer>
}

/** Returns a tool whose call is typed by its own schema. The arguments are validated before the call. */
export function tool<const Input extends TObject>(definition: Tool<Input>): Tool {
  return definition as unknown as Tool
}

/** Returns the scope that a key needs for a tool. Throws for a tool that no key may use, which is our own bug. */
export function scopeOf({ name, endpoint }: Pick<Tool, 'name' | 'endpoint'>): Scope {
  const row: Endpoint = ENDPOINTS[endpoint]
  if (row.access === 'session') throw new Error(`no key may use the tool ${name}`)
  return row.access === 'caller' ? row.scope : SCOPES[0]
}

/** Scheme of the resources. */
export const RESOURCES = 'loudsmith://'

/** Returns the address of the report of a job as a resource. */
export const reportUri = (jobId: string) => `${RESOURCES}jobs/${jobId}/report`

/** Returns a job as the answer of a tool: its report and its files are links. */
export function jobAnswer(job: Job): ToolAnswer {
  const { download_url } = job
  if (download_url === undefined || job.expired) return { value: job }
  return {
    value: job,
    links: [
      {
        uri: download_url,
        name: 'masters.zip',
        mimeType: 'application/zip',
        description: 'All masters. GET with the API key as bearer.',
      },
      {
        uri: reportUri(job.job_id),
        name: 'report.json',
        mimeType: 'application/json',
        description: 'All measurements and decisions.',
      },
    ],
  }
}
