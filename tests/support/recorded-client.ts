import { createClient } from '../../src-contract/client.ts'

/** Creates a client whose every call is recorded and gets the answer that `answer` returns. */
export function recorded(answer: () => Response | Promise<Response>) {
  const calls: { path: string; init: RequestInit }[] = []
  const client = createClient({
    session: 'secret',
    language: () => 'ko',
    fetch: (path, init) => {
      calls.push({ path: String(path), init: init ?? {} })
      return Promise.resolve(answer())
    },
  })
  return { client, calls }
}
