/** The ledger as files: JSON, and CSV for spreadsheets. */
import { stringify } from 'csv-stringify/sync'
import type { LedgerEntry } from '../../src-contract/account.ts'

/** Entries in groups, as the ledger yields them. */
type Groups = Iterable<readonly LedgerEntry[]>

const COLUMNS = ['entry_id', 'created_at', 'kind', 'amount', 'balance', 'job_id', 'note'] as const
/** First characters that make a spreadsheet take a text for a formula (OWASP, "CSV Injection"). Amounts are numbers and stay so. */
const FORMULA = /^[=+\-@\t\r＝＋－＠]/
const BYTE_ORDER_MARK = '\ufeff'

/** Yields the entries as one JSON object with the member `entries`. */
export function* ledgerJson(groups: Groups): Generator<string, void> {
  yield '{"entries":['
  let separator = ''
  for (const entries of groups) {
    yield separator + entries.map((entry) => JSON.stringify(entry)).join(',')
    separator = ','
  }
  yield ']}'
}

/** Yields the entries as CSV with a header: UTF-8 with a byte order mark, commas, CRLF. */
export function* ledgerCsv(groups: Groups): Generator<string, void> {
  const write = (rows: unknown[][]) => stringify(rows, { record_delimiter: '\r\n' })
  yield BYTE_ORDER_MARK + write([[...COLUMNS]])
  for (const entries of groups) {
    yield write(
      entries.map(({ note = '', ...entry }) =>
        COLUMNS.map((name) => (name === 'note' ? (FORMULA.test(note) ? `'${note}` : note) : (entry[name] ?? ''))),
      ),
    )
  }
}
