/** docs/access.md: who may call which endpoint, made from the endpoint table. */
import { type Endpoint, permits } from '../../src-contract/endpoint.ts'
import { ENDPOINTS } from '../../src-contract/endpoints.ts'
import { MAX_LINKS_PER_JOB, MAX_LINKS_PER_KEY, MAX_STREAMS_PER_KEY } from '../../src-contract/limits.ts'
import { table } from './errors-page.ts'

const INTRODUCTION = `# Who may call what

Made by \`npm run openapi\` from \`src-contract\`; edit there. A test asks a running service for every cell.

A request carries one credential as a bearer: an API key with its scope, the credential of the page, or the control credential of the owner
(the window of the application and the command line). *yes* means that the request is looked at; 401 is INVALID_API_KEY, 403 FORBIDDEN.
*in part* means that the page may not do what only the owner confirms: 403 OWNER_REQUIRED. A key that is expired, revoked, or suspended by
the plan counts as no key. The address of a link is no credential for anything but itself.

A key with the scope \`master\` ends only what it made itself: its jobs and links. A key has at most ${MAX_LINKS_PER_JOB} working links to one
result and ${MAX_LINKS_PER_KEY} to all, and ${MAX_STREAMS_PER_KEY} open event streams; one more is 429 CONCURRENT_LIMIT, which says what to end.
`

/** Credentials of the columns. */
const CREDENTIALS = ['none', 'read', 'master', 'all', 'expired', 'revoked', 'page', 'owner', 'link'] as const
export type Credential = (typeof CREDENTIALS)[number]

/** Returns the page as Markdown. The same contract gives the same text. */
export function buildAccessPage(): string {
  const rows = (Object.values(ENDPOINTS) as Endpoint[]).map((endpoint) => [
    `\`${endpoint.method} ${endpoint.path}\``,
    ...CREDENTIALS.map((credential) => cellOf(endpoint, credential)),
  ])
  return [INTRODUCTION, table(['Request', ...CREDENTIALS], rows), ''].join('\n')
}

function cellOf(endpoint: Endpoint, credential: Credential): string {
  if (endpoint.access === 'open' || credential === 'owner') return 'yes'
  switch (credential) {
    case 'page':
      return endpoint.errors.includes('OWNER_REQUIRED') ? 'in part' : 'yes'
    case 'read':
    case 'master':
    case 'all':
      return endpoint.access === 'caller' && permits(credential, endpoint.scope) ? 'yes' : '403'
    default:
      return '401'
  }
}
