/** Results of a batch as a server-sent event stream: like the live events, but of one batch, and ending with it. */
import type { ManifestEvent } from '../../src-contract/batches.ts'
import type { Language } from '../../src-contract/text/language.ts'
import type { Clock } from '../../src-system/system.ts'
import { SseStream } from '../notify/sse-stream.ts'
import type { BulkBatches } from './bulk-batches.ts'

export interface ResultStreamDeps {
  readonly manifests: Pick<BulkBatches, 'endedAfter' | 'isOver' | 'follow'>
  readonly batchId: string
  readonly language: Language
  readonly clock: Clock
  readonly lastEventId: string | undefined
  readonly isStillAllowed: () => boolean
}

/** Songs read at once. */
const PAGE_SIZE = 100

export class ResultStream extends SseStream {
  readonly #deps: ResultStreamDeps
  readonly #unfollow: () => void
  #order: number

  constructor(deps: ResultStreamDeps) {
    super(deps)
    this.#deps = deps
    this.#order = Number(/^\d{1,9}$/.exec(deps.lastEventId?.trim() ?? '')?.[0] ?? 0)
    this.#unfollow = deps.manifests.follow(deps.batchId, () => this.takeOrEnd())
  }

  protected override nextText(): string | undefined {
    const { manifests, batchId: batch_id, language } = this.#deps
    // Checked before the songs are read, to miss none that ends in between.
    const isOver = manifests.isOver(batch_id)
    const ended = manifests.endedAfter(batch_id, this.#order, PAGE_SIZE, language)
    this.#order = ended.at(-1)?.order ?? this.#order
    if (ended.length > 0)
      return ended.map(({ order, song }) => message({ event: 'song.ended', batch_id, song }, order)).join('')
    return isOver ? message({ event: 'batch.ended', batch_id }) : undefined
  }

  protected override isLast(): boolean {
    const { manifests, batchId } = this.#deps
    return manifests.isOver(batchId) && manifests.endedAfter(batchId, this.#order, 1, 'en').length === 0
  }

  protected override release(): void {
    this.#unfollow()
  }
}

function message(event: ManifestEvent, id?: number): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event.event}\ndata: ${JSON.stringify(event)}\n\n`
}
