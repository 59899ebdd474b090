import { maxOpenFiles } from '../../src-system/process-group.ts'
import { AppError } from '../http/app-error.ts'
import { type OpenBytes, openBytes } from './send-file.ts'

/** Share of the files that this process may open; the others are connections, the database and songs. */
const SHARE = 0.5

/** Our files that are open. Answers at the same time share one: a process may open few, and a ZIP consists of many. */
export class SharedFiles {
  readonly #open = new Map<string, { readonly file: ReturnType<typeof openBytes>; users: number }>()

  /** Determined when first needed, since the system may take milliseconds. */
  #most: number | undefined

  /** Opens a file, until all who opened it have closed it. Throws UNAVAILABLE while too many are open, and as {@link openBytes} does. */
  async open(path: string, gone: AppError): Promise<OpenBytes> {
    this.#most ??= SHARE * maxOpenFiles()
    if (!this.#open.has(path) && this.#open.size >= this.#most) throw new AppError('UNAVAILABLE')
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
