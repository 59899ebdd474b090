/** docs/errors.md, made from the catalogue, its texts and the endpoint table. */
import { type Access, codesOf, type Endpoint, ERRORS_OF_ACCESS } from '../../src-contract/endpoint.ts'
import { ENDPOINTS } from '../../src-contract/endpoints.ts'
import { ERROR_CODES, ERRORS, type ErrorCode, FAILURE_CODES } from '../../src-contract/errors.ts'
import { RENDER_WARNING_CODES, WARNING_CODES } from '../../src-contract/report.ts'
import type { Language } from '../../src-contract/text/language.ts'
import { errorText, failureText, warningText } from '../../src-contract/text/text.ts'
import { exampleParams } from './example-params.ts'

const INTRODUCTION = `# Errors, failures and warnings

Made by \`npm run openapi\` from \`src-contract\`; edit there.

Every answer that is not a success has the same body, whatever part of the service it comes from:

\`\`\`json
{"error":{"code":"INVALID_PLATFORM","message":"…","param":"platforms","request_id":"…"}}
\`\`\`

\`error.code\` and \`error.message\` are the specification's; \`param\`, \`details\` and \`request_id\` are extensions and may be absent.
Messages follow \`Accept-Language\` (Korean or English); their wording may change, the codes do not. The eight codes marked
*specification* are those of its section 7, the others are extensions. *Retry* says whether the same request may succeed later;
where the service knows when, \`Retry-After\` says it.
`

/** Codes that no endpoint declares, because they answer requests outside all endpoints. */
const BESIDE_ENDPOINTS: ReadonlySet<ErrorCode> = new Set(['NOT_FOUND', 'METHOD_NOT_ALLOWED', 'UNSUPPORTED_MEDIA_TYPE'])

/** Returns the page as Markdown. The same contract gives the same text. */
export function buildErrorsPage(): string {
  return [
    INTRODUCTION,
    '## Errors\n',
    table(['Code', 'HTTP', 'Origin', 'Retry', 'English', '한국어'], ERROR_CODES.map(errorRow)),
    '\n### Where they come from\n',
    table(['Code', 'Endpoints'], ERROR_CODES.map(placesRow)),
    '\n## Failures of a job\n',
    'An accepted job that fails carries `failure_code` and `error_message`, and its credit is given back.\n',
    table(
      ['Code', 'English', '한국어'],
      FAILURE_CODES.map((code) => [`\`${code}\``, ...both((to) => failureText(code, {}, to))]),
    ),
    '\n## Warnings\n',
    `Found by the analysis or the mastering; a job with warnings is done like any other. A dry run knows all but ${RENDER_WARNING_CODES.map((code) => `\`${code}\``).join(' and ')}, which only the written masters show. \`IGNORED_FIELD\` is about the request and in its answer alone.\n`,
    table(
      ['Code', 'English', '한국어'],
      WARNING_CODES.map((code) => [`\`${code}\``, ...both((to) => warningText(code, EXAMPLE, to))]),
    ),
    '',
  ].join('\n')
}

const EXAMPLE = {
  count: 12,
  codec: 'MP3',
  fromHz: 44_100,
  toHz: 48_000,
  channel: 'left',
  startSeconds: 2,
  endSeconds: 4,
  lossDb: 7.5,
  claimed: '3:24',
  counted: '1:12',
  more: '2:12',
  held: '1:42',
  seconds: 0.4,
  cutoffHz: 16_000,
  missingLu: 1.5,
  truePeakDbtp: 0.3,
  reason: 'size',
  names: 'lyrics',
  widthPx: 900,
  heightPx: 700,
  colorModel: 'cmyk',
  field: 'gerne',
}

const both = (text: (language: Language) => string) => [text('en'), text('ko')]

function errorRow(code: ErrorCode): string[] {
  const { status, origin, retryable } = ERRORS[code]
  const texts = both((language) => errorText(code, exampleParams(code), language))
  return [`\`${code}\``, String(status), origin, retryable ? 'yes' : 'no', ...texts]
}

function placesRow(code: ErrorCode): string[] {
  const all = Object.values(ENDPOINTS) as Endpoint[]
  const accesses = (Object.keys(ERRORS_OF_ACCESS) as Access[]).filter((access) =>
    ERRORS_OF_ACCESS[access].includes(code),
  )
  const general = accesses.length > 0 ? [`every endpoint with access ${accesses.join(', ')}`] : []
  const own = all
    .filter((endpoint) => !accesses.includes(endpoint.access) && codesOf(endpoint).includes(code))
    .map(({ method, path }) => `\`${method} ${path}\``)
  const beside = BESIDE_ENDPOINTS.has(code) ? ['unknown addresses, methods and media types'] : []
  return [`\`${code}\``, [...general, ...own, ...beside].join('<br>')]
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
