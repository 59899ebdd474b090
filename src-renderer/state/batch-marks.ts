/** The user's marks on songs: read warnings, and songs to be mastered again. All pages of a browser share them. */
import { createStore } from 'zustand/vanilla'
import { readStored } from './browser-storage.ts'

type Marked = Readonly<Record<string, true>>

export interface Marks {
  /** Songs to be used as they are, by row. */
  readonly accepted: Marked
  /** Ended jobs whose songs are to be mastered again, by job_id: starting the song gives it another job. */
  readonly again: Marked
}

const KEYS = { accepted: 'loudsmith.accepted', again: 'loudsmith.again' } as const

/** Makes the store of marks with its actions. */
export function createMarks(storage: Pick<Storage, 'getItem' | 'setItem'>) {
  const read = (kind: keyof Marks) => readStored<Marked>(storage, KEYS[kind], (stored) => stored !== null, {})
  const store = createStore<Marks>(() => ({ accepted: read('accepted'), again: read('again') }))
  const { getState, setState } = store
  store.subscribe((marks, before) => {
    for (const kind of ['accepted', 'again'] as const)
      if (marks[kind] !== before[kind]) storage.setItem(KEYS[kind], JSON.stringify(marks[kind]))
  })
  return {
    store,
    /** Marks songs to be used as they are, warnings read. */
    accept(rowIds: readonly string[]) {
      const added = Object.fromEntries(rowIds.map((id) => [id, true as const]))
      setState(({ accepted }) => ({ accepted: { ...read('accepted'), ...accepted, ...added } }))
    },
    /** Marks, or unmarks, the song of an ended job for mastering again. */
    markAgain(jobId: string, isAgain: boolean) {
      const { [jobId]: _one, ...others } = read('again')
      setState({ again: isAgain ? { ...others, [jobId]: true } : others })
    },
    /** Takes over the marks that another page of this browser has stored. */
    hearOthers() {
      const { accepted, again } = getState()
      const heardAgain = read('again')
      if (JSON.stringify(heardAgain) !== JSON.stringify(again)) setState({ again: heardAgain })
      const heard = read('accepted')
      // Every write is an event in other pages: pages with equal marks do not write.
      if (Object.keys(heard).some((id) => !accepted[id])) setState({ accepted: { ...accepted, ...heard } })
    },
  }
}
