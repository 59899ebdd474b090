/** Timing record, kept in the page, from a moved fader to its sound. */
import type { Page } from 'playwright'

/** Moments, ms after the `input` event. */
export interface Change {
  /** The audition is requested. */
  readonly asked: number
  /** Its estimate is answered. */
  readonly estimated: number
  /** The first samples around the playhead have arrived. */
  readonly read: number
  /** The audio thread plays them. */
  readonly heard: number
}

interface HearingRecord {
  begin(): void
  heard(): Change | null
}

declare global {
  var hearing: HearingRecord
}

/** Makes the page keep the record; must be called before the page is opened. */
export async function recordHearing(page: Page): Promise<void> {
  await page.addInitScript(() => {
    interface Request {
      readonly kind: 'ask' | 'read'
      readonly at: number
      readonly end: number
      readonly url: string
    }
    let requests: Request[] = []
    let context: BaseAudioContext | undefined
    let moved: { readonly at: number; readonly audioSeconds: number } | undefined
    const past = new Set<string>()
    let current: string | null = null
    let heardAt: { readonly version: string; readonly audioSeconds: number } | undefined
    const auditionOf = (version: string) => version.split(' ')[0]!
    addEventListener(
      'input',
      () => {
        moved ??= { at: performance.now(), audioSeconds: context?.currentTime ?? 0 }
      },
      true,
    )
    const { fetch } = globalThis
    globalThis.fetch = async (...given) => {
      const [target, options] = given
      const url = String(target instanceof Request ? target.url : target)
      const at = performance.now()
      const answer = await fetch(...given)
      const isAsk = url.endsWith('/app/auditions') && (options?.method ?? 'GET') === 'POST'
      const kind = isAsk ? 'ask' : url.includes('/app/auditions/') ? 'read' : undefined
      if (!kind) return answer
      const bytes = await answer.arrayBuffer()
      requests.push({ kind, at, end: performance.now(), url })
      return new Response(bytes, answer)
    }
    globalThis.AudioWorkletNode = class extends AudioWorkletNode {
      constructor(owner: BaseAudioContext, ...rest: [string, AudioWorkletNodeOptions?]) {
        super(owner, ...rest)
        context = owner
        this.port.addEventListener('message', ({ data }) => {
          const version = data.version as string | null
          if (version === null || version === current) return
          current = version
          const isNew = version.includes(' ') && !past.has(auditionOf(version))
          past.add(auditionOf(version))
          if (moved && isNew) heardAt ??= { version, audioSeconds: data.contextSeconds as number }
        })
      }
    }
    globalThis.hearing = {
      begin() {
        requests = []
        moved = undefined
        heardAt = undefined
      },
      heard() {
        if (!moved || !heardAt) return null
        const start = moved.at
        const ask = requests.find(({ kind, at }) => kind === 'ask' && at >= start)
        const reads = requests
          .filter(({ kind, url }) => kind === 'read' && url.includes(auditionOf(heardAt!.version)))
          .toSorted((a, b) => a.end - b.end)
        const after = (moment: number | undefined) => Math.round((moment ?? Number.NaN) - start)
        return {
          asked: after(ask?.at),
          estimated: after(ask?.end),
          read: after(reads[0]?.end),
          heard: Math.round(1000 * (heardAt.audioSeconds - moved.audioSeconds)),
        }
      },
    }
  })
}
