/** Listening tests in the database: SQL only. */
import type { ListeningResult, ListeningTest } from '../../src-contract/listening-tests.ts'
import type { Db } from '../db/open.ts'

/** A version of a test, and its random name in the page. */
export type KeptVersion = Pick<ListeningTest['versions'][number], 'name' | 'job_id' | 'master' | 'gain_db'> & {
  readonly token: string
}

export interface KeptTest {
  readonly testId: string
  readonly title: string
  readonly kind: ListeningTest['kind']
  readonly versions: readonly KeptVersion[]
  readonly createdAtMs: number
}

export interface KeptResult {
  readonly resultId: string
  readonly voter: string
  readonly trials: ListeningResult['trials']
  readonly receivedAtMs: number
}

type Row = Record<string, string | number>

export class ListeningStore {
  readonly #statements

  constructor(db: Db) {
    this.#statements = {
      add: db.prepare<[string, string, string, string, number]>(
        'INSERT INTO listening_tests (test_id, title, kind, versions, created_at_ms) VALUES (?, ?, ?, ?, ?)',
      ),
      find: db.prepare<[string], Row>('SELECT * FROM listening_tests WHERE test_id = ?'),
      addResult: db.prepare<[string, string, string, string, number]>(
        `INSERT INTO listening_results (test_id, result_id, voter, trials, received_at_ms) VALUES (?, ?, ?, ?, ?)
           ON CONFLICT (test_id, result_id) DO NOTHING`,
      ),
      results: db.prepare<[string], Row>(
        'SELECT * FROM listening_results WHERE test_id = ? ORDER BY received_at_ms, result_id',
      ),
    }
  }

  add({ testId, title, kind, versions, createdAtMs }: KeptTest): void {
    this.#statements.add.run(testId, title, kind, JSON.stringify(versions), createdAtMs)
  }

  find(testId: string): KeptTest | undefined {
    const row = this.#statements.find.get(testId)
    return (
      row && {
        testId,
        title: String(row.title),
        kind: row.kind as KeptTest['kind'],
        versions: JSON.parse(String(row.versions)),
        createdAtMs: Number(row.created_at_ms),
      }
    )
  }

  /** Keeps a result once. */
  addResult(testId: string, { resultId, voter, trials, receivedAtMs }: KeptResult): void {
    this.#statements.addResult.run(testId, resultId, voter, JSON.stringify(trials), receivedAtMs)
  }

  /** Returns the results of a test, oldest first. */
  results(testId: string): KeptResult[] {
    return this.#statements.results.all(testId).map((row) => ({
      resultId: String(row.result_id),
      voter: String(row.voter),
      trials: JSON.parse(String(row.trials)),
      receivedAtMs: Number(row.received_at_ms),
    }))
  }
}
