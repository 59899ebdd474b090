import type { AppError } from '../http/app-error.ts'
import { type OpenBytes, openBytes } from './send-file.ts'

/** Our files that are open. Answers at the same time share one: a process may open few, and a ZIP consists of many. */
export class SharedFiles {
  readonly #open = new Map<string, { readonly file: ReturnType<typeof openBytes>; users: number }>()

  /** Opens a file, until all who opened it have closed it. Throws as {@link openBytes} does. */
  async open(path: string, gone: AppError): Promise<OpenBytes> {
    const shared = this.#open.get(path) ?? { file: openBytes(path, gone), users: 0 }
    this.#open.set(path, shared)
    shared.users++
    const leave = () => {
      if (--shared.users > 0) return false
      this.#open.delete(path)
      return true
    }
    const file = await shared.file.catch((cause: unknown) => {
      leave()
      throw cause
    })
    return {
      sizeBytes: file.sizeBytes,
      stream: (part) => file.stream(part),
      close: async () => {
        if (leave()) await file.close()
      },
    }
  }
}
