/** Shared state of the parts of the Listen screen: the words, and the player of this visit. */
import {
  createContext,
  type RefObject,
  useCallback,
  useContext,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { useStore } from 'zustand'
import type { Job } from '../../../src-contract/jobs.ts'
import type { Report } from '../../../src-contract/report.ts'
import type { ListenStore } from '../../state/listen.ts'
import { type SongVersion, versionNumber } from '../../state/listen-versions.ts'
import type { PlayerStore } from '../../state/player.ts'
import type { PlayerState } from '../../state/player-state.ts'
import type { TimeViewActions } from '../../state/time-view.ts'
import { useWords } from '../../text/context.tsx'
import { listenEn } from '../../text/listen.en.ts'
import { listenKo } from '../../text/listen.ko.ts'

const TEXTS = { en: listenEn, ko: listenKo }

/** The words of the app and those of this screen. */
export function useListenWords() {
  const words = useWords()
  return { ...words, l: TEXTS[words.language] }
}

export interface Visit {
  readonly job: Job
  readonly report: Report
  readonly listen: ListenStore
  readonly player: PlayerStore
  /** The part of the song that the lanes show. */
  readonly view: TimeViewActions
}

export const VisitContext = createContext<Visit | null>(null)

export function useVisit(): Visit {
  const visit = useContext(VisitContext)
  if (!visit) throw new Error('no VisitContext above this component')
  return visit
}

/** Returns the value that `select` picks from the player's store, as it changes. */
export function usePlayer<Picked>(select: (state: PlayerState) => Picked): Picked {
  return useStore(useVisit().player.store, select)
}

/** Answers the name of a version as it stands in the switch. */
export function useVersionName(): (version: SongVersion) => string {
  const { t, l } = useListenWords()
  const { job, listen } = useVisit()
  const siblings = useStore(listen.store, (state) => state.siblings)
  return useCallback(
    (version) => {
      if (version.kind === 'source') return l.original
      if (version.kind === 'reference') return l.reference
      const name = version.platform ? t.platforms[version.platform] : ''
      if (version.kind === 'platform') return name
      const other = siblings.find((one) => one.job_id === version.jobId) ?? job
      return l.other(versionNumber(other, siblings).number, name)
    },
    [t, l, job, siblings],
  )
}

const stillness = matchMedia('(prefers-reduced-motion: reduce)')
const onStillness = (listener: () => void) => {
  stillness.addEventListener('change', listener)
  return () => stillness.removeEventListener('change', listener)
}

/** Tells whether the listener asked for little motion. */
export function useIsStill(): boolean {
  return useSyncExternalStore(onStillness, () => stillness.matches)
}

/** Calls `draw` before every repaint, or every `stillMs` when little motion is asked for. */
export function useFrames(draw: (now: number) => void, stillMs: number): void {
  const isStill = useIsStill()
  const latest = useRef(draw)
  latest.current = draw
  useEffect(() => {
    let request = 0
    let last = Number.NEGATIVE_INFINITY
    const frame = (now: number) => {
      request = requestAnimationFrame(frame)
      if (isStill && now - last < stillMs) return
      last = now
      latest.current(now)
    }
    request = requestAnimationFrame(frame)
    return () => cancelAnimationFrame(request)
  }, [isStill, stillMs])
}

/** Sets an attribute where it differs: an equal one would have the page laid out anew all the same, with every repaint. */
export function setAttribute(element: Element | null | undefined, name: string, value: string): void {
  if (element && element.getAttribute(name) !== value) element.setAttribute(name, value)
}

/** The size of an element in CSS pixels, as it changes; what it is before the first measurement. */
export function useSize(ref: RefObject<HTMLElement | null>, first: readonly [number, number]) {
  const [size, setSize] = useState(first)
  useEffect(() => {
    const element = ref.current
    if (!element) return
    const observer = new ResizeObserver(([entry]) => {
      const box = entry?.contentRect
      if (box && box.width > 0 && box.height > 0) setSize([Math.floor(box.width), Math.floor(box.height)])
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [ref])
  return size
}
