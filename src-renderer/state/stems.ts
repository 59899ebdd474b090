/** Stems on the page: files asked about before they are sent, the sets of the songs, and the stem that is chosen. */
import { createStore } from 'zustand/vanilla'
import { ApiError, type Client } from '../../src-contract/client.ts'
import type { RepairKind } from '../../src-contract/repair-kinds.ts'
import type { StemSet } from '../../src-contract/stems.ts'
import { areStemNames, areStems, isZip } from '../api/stem-files.ts'
import type { SongFiles } from '../api/upload.ts'

/** Files that may be one song or many. */
export interface StemQuestion {
  readonly files: readonly File[]
  /** The song that they are stems of, if stated. */
  readonly of?: OriginalSong
  /** Songs that were given with them, about which nothing is asked. */
  readonly others?: readonly SongFiles[]
  /** Takes the songs that the files are. */
  readonly take: (songs: readonly SongFiles[]) => void
}

interface OriginalSong {
  readonly rowId: string
  readonly title: string
}

export interface StemsState {
  /** Unanswered, the oldest first. */
  readonly questions: readonly StemQuestion[]
  /** Sets as read, by the source_id of the song. */
  readonly sets: Readonly<Record<string, StemSet>>
  /** Number of the stem that the Sound column is about, by song; none for the master. */
  readonly chosen: Readonly<Record<string, number>>
  /** Repairs that each stem could be given, by the source_id of the stem; absent until they are known. */
  readonly offers: Readonly<Record<string, readonly RepairKind[]>>
}

export interface StemsDeps {
  readonly client: Pick<Client, 'call'>
  readonly addFiles: (files: readonly File[], replaces?: string) => void
  readonly addStems: (files: readonly File[], replaces?: string) => void
}

/** Pause before a stem is analysed again while another song is, ms, and the number of attempts. */
const RETRY_MS = 1000
const MOST_ATTEMPTS = 60

/** The store of stems with its actions. */
export class Stems {
  readonly store = createStore<StemsState>(() => ({ questions: [], sets: {}, chosen: {}, offers: {} }))
  readonly #deps: StemsDeps
  /** Stems whose offers are being found. */
  readonly #asking = new Set<string>()

  constructor(deps: StemsDeps) {
    this.#deps = deps
  }

  /**
   * Adds files to the batch, or where `take` puts them: a ZIP is the stems of a song, and files that look like the stems of one are asked
   * about. Resolves with the number of files that were added.
   */
  async add(files: readonly File[], take: StemQuestion['take'] = this.#toBatch): Promise<number> {
    const zips = files.filter(isZip).map((file): SongFiles => ({ file, stems: [file] }))
    const others = files.filter((file) => !isZip(file))
    // Files of other names are added at once.
    const isAsked = areStemNames(others.map(({ name }) => name)) && (await areStems(others))
    if (isAsked) this.#ask({ files: others, others: zips, take })
    else if (files.length > 0) take([...zips, ...others.map((file) => ({ file }))])
    return isAsked ? 0 : files.length
  }

  /** Asks about files that were given as the stems of a song of the batch. */
  askOf(files: readonly File[], of: OriginalSong): void {
    this.#ask({ files, of, take: () => this.#deps.addStems(files, of.rowId) })
  }

  readonly #toBatch = (songs: readonly SongFiles[]): void => {
    for (const { stems } of songs) if (stems) this.#deps.addStems(stems)
    const files = songs.filter(({ stems }) => !stems).map(({ file }) => file)
    if (files.length > 0) this.#deps.addFiles(files)
  }

  #ask(question: StemQuestion): void {
    this.store.setState(({ questions }) => ({ questions: [...questions, question] }))
  }

  /** Answers the oldest question: one song from stems, a song each, or nothing. */
  answer(choice: 'stems' | 'songs' | 'none'): void {
    const [question, ...questions] = this.store.getState().questions
    if (!question) return
    this.store.setState({ questions })
    const { files, others = [], take } = question
    const asked: Readonly<Record<typeof choice, readonly SongFiles[]>> = {
      stems: [{ file: files[0]!, stems: files }],
      songs: files.map((file) => ({ file })),
      none: [],
    }
    const songs = [...others, ...asked[choice]]
    if (songs.length > 0) take(songs)
  }

  /** Chooses a stem for the Sound column; null for the master. */
  choose(sourceId: string, stem: number | null): void {
    this.store.setState(({ chosen: { [sourceId]: _, ...others } }) => ({
      chosen: stem === null ? others : { ...others, [sourceId]: stem },
    }))
  }

  /** Reads a set unless it is known: it never changes. Never throws. */
  async read(sourceId: string): Promise<void> {
    if (this.store.getState().sets[sourceId]) return
    const set = await this.#deps.client.call('readStemSet', { params: { source_id: sourceId } }).catch(() => undefined)
    if (set) this.store.setState(({ sets }) => ({ sets: { ...sets, [sourceId]: set } }))
  }

  /** Finds the repairs that a stem could be given, by its analysis. Never throws. */
  async findOffers(stemSourceId: string): Promise<void> {
    if (this.store.getState().offers[stemSourceId] || this.#asking.has(stemSourceId)) return
    this.#asking.add(stemSourceId)
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
      try {
        const { repairs } = await this.#deps.client.call('analyze', { fields: { source_id: stemSourceId } })
        const kinds = [...new Set(repairs.map(({ kind }) => kind))]
        this.store.setState(({ offers }) => ({ offers: { ...offers, [stemSourceId]: kinds } }))
        break
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'CONCURRENT_LIMIT') break
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
    this.#asking.delete(stemSourceId)
  }
}
