/** The official clients of both eras of the Model Context Protocol, behind one set of calls. */
import * as modern from '@modelcontextprotocol/client'
import * as modernStdio from '@modelcontextprotocol/client/stdio'
import {
  createTaskSessionFromClient,
  type JsonRpcResponse,
  type TaskEnabledSession,
} from '@modelcontextprotocol/ext-tasks/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport as LegacyTransport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { EmptyResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { CLI } from './built.ts'

export const ERAS = ['2025-11-25', '2026-07-28'] as const
export type Era = (typeof ERAS)[number]
export const TRANSPORTS = ['Streamable HTTP', 'stdio'] as const
export type Transport = (typeof TRANSPORTS)[number]

/** No call is given up on: the machine may be busy. */
export const PATIENT = { timeout: 900_000 }

export type RequestOptions = Pick<modern.RequestOptions, 'onprogress' | 'signal'>
type Call = modern.CallToolRequest['params']

/** The calls of a connected client. */
export interface McpClient {
  readonly listTools: () => Promise<modern.ListToolsResult>
  readonly listPrompts: () => Promise<modern.ListPromptsResult>
  readonly listResources: () => Promise<modern.ListResourcesResult>
  readonly readResource: (params: { uri: string }) => Promise<modern.ReadResourceResult>
  readonly getPrompt: (params: modern.GetPromptRequest['params']) => Promise<modern.GetPromptResult>
  readonly callTool: (params: Call, options?: RequestOptions) => Promise<modern.CallToolResult>
  readonly request: (method: string, params: Record<string, unknown>) => Promise<unknown>
  readonly close: () => Promise<void>
}

/** Address and key of the service, for a client. */
export interface McpHost {
  readonly baseUrl: string
  readonly key: string
  /** Data directory of the service, for the command that speaks on standard input and output. */
  readonly dataDir: string
}

/** Resolves with a connected client; one of 2026 accepts no other revision. */
export function connect(era: Era, transport: Transport, host: McpHost): Promise<McpClient> {
  return era === '2025-11-25' ? connectLegacy(transport, host) : connectModern(transport, host)
}

async function connectLegacy(transport: Transport, host: McpHost): Promise<McpClient> {
  const client = new Client({ name: 'test', version: '1' })
  const line =
    transport === 'stdio'
      ? new StdioClientTransport(command(host))
      : (new StreamableHTTPClientTransport(new URL(`${host.baseUrl}/mcp`), bearer(host)) as LegacyTransport)
  await client.connect(line, PATIENT)
  return {
    ...reads(client),
    callTool: (params, options) =>
      client.callTool(params, undefined, { ...PATIENT, ...options }) as Promise<modern.CallToolResult>,
    request: (method, params) => client.request({ method, params }, EmptyResultSchema, PATIENT),
  }
}

async function connectModern(transport: Transport, host: McpHost): Promise<McpClient> {
  const client = new modern.Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  )
  const line =
    transport === 'stdio'
      ? new modernStdio.StdioClientTransport(command(host))
      : new modern.StreamableHTTPClientTransport(new URL(`${host.baseUrl}/mcp`), bearer(host))
  await client.connect(line, PATIENT)
  return {
    ...reads(client),
    callTool: (params, options) => client.callTool(params, { ...PATIENT, ...options }),
    request: (method, params) => client.request({ method, params }, AnyResult, PATIENT),
  }
}

const AnyResult = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } } as const

type Reads = Omit<McpClient, 'callTool' | 'request'>

function reads(given: Client | modern.Client): Reads {
  // The answers that are looked at are alike in both eras.
  const client = given as modern.Client
  return {
    listTools: () => client.listTools(undefined, PATIENT),
    listPrompts: () => client.listPrompts(undefined, PATIENT),
    listResources: () => client.listResources(undefined, PATIENT),
    readResource: (params) => client.readResource(params, PATIENT),
    getPrompt: (params) => client.getPrompt(params, PATIENT),
    close: () => client.close(),
  }
}

/** Resolves with a session of the official client of the Tasks extension, and a function that closes its connection. */
export async function connectTasks(
  host: McpHost,
): Promise<{ session: TaskEnabledSession; close: () => Promise<void> }> {
  const protocolVersion = '2026-07-28'
  const clientInfo = { name: 'test', version: '1' }
  const client = new modern.Client(clientInfo, { versionNegotiation: { mode: { pin: protocolVersion } } })
  await client.connect(new modern.StreamableHTTPClientTransport(new URL(`${host.baseUrl}/mcp`), bearer(host)), PATIENT)
  const session = createTaskSessionFromClient(client, {
    endpointId: 'test',
    rawDispatch: (request) => dispatch(host, request as unknown as Dispatched),
    v2RequestFraming: { protocolVersion, clientInfo, clientCapabilities: {} },
  })
  return { session, close: () => session.close().then(() => client.close()) }
}

interface Dispatched {
  readonly method: string
  readonly params: { readonly name?: string; readonly taskId?: string }
}

/** Sends a framed request as plain JSON-RPC, and resolves with the last message of its stream. */
async function dispatch({ baseUrl, key }: McpHost, request: Dispatched): Promise<JsonRpcResponse> {
  const { method, params } = request
  const answer = await fetch(`${baseUrl}/mcp`, {
    method: 'POST',
    headers: {
      ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json', 'mcp-protocol-version': '2026-07-28' },
      ...{ accept: 'application/json, text/event-stream', 'mcp-method': method },
      'mcp-name': params.name ?? params.taskId ?? '',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = JSON.parse((await answer.text()).split('data: ').at(-1) ?? '')
  return error ? { kind: 'error', error } : { kind: 'result', result }
}

const bearer = ({ key }: McpHost) => ({ requestInit: { headers: { Authorization: `Bearer ${key}` } } })

function command({ key, dataDir }: McpHost) {
  const env = { ...(process.env as Record<string, string>), LOUDSMITH_API_KEY: key }
  return { command: process.execPath, args: [...process.execArgv, CLI, 'mcp', '--data-dir', dataDir], env }
}
