/** Songs that the app stores once for any number of analyses, auditions and masters. Equal bytes are stored once. */
import { existsSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type Source, summaryOf } from '../../src-contract/app.ts'
import type { Analysis } from '../../src-contract/jobs.ts'
import { proposedEdgesIn } from '../../src-contract/text/edge-reasons.ts'
import type { Language } from '../../src-contract/text/language.ts'
import { suggestionIn } from '../../src-contract/text/suggestion.ts'
import { warningText } from '../../src-contract/text/text.ts'
import { toWireValues } from '../../src-contract/wire-values.ts'
import { syncFolder } from '../../src-system/disk.ts'
import { type Clock, isoTime, type Random } from '../../src-system/system.ts'
import type { AudioFacts } from '../../src-worker/media/audio-facts.ts'
import { madeWith } from '../../src-worker/media/provenance.ts'
import { metadataInTags } from '../../src-worker/media/tag-metadata.ts'
import type { Cover } from '../../src-worker/media/tags.ts'
import { chooseTitle, listed, titleFile } from '../../src-worker/result/names.ts'
import type { Db } from '../db/open.ts'
import type { Removals } from '../db/removals.ts'
import { invalidRequest } from '../http/app-error.ts'
import type { InspectedSong } from '../uploads/inspect.ts'
import { StemSets, type StemSetUse } from './stem-sets.ts'

/** A stored song with its location for the engine and the player. */
export interface StoredSource extends InspectedSong {
  readonly sourceId: string
}

/** An uploaded, accepted song. Its file is moved, so it must be on the disk of the data folder. */
export interface NewSource extends InspectedSong {
  readonly purpose: 'song' | 'reference'
  readonly cover?: Cover
}

interface SourceRow {
  source_id: string
  filename: string
  title: string
  artist: string | null
  sha256: string
  size_bytes: number
  facts: string
  cover_type: string | null
  analysis: string | null
  created_at_ms: number
}

export interface SourcesDeps {
  readonly db: Db
  readonly clock: Clock
  readonly random: Random
  /** Folder of the stored songs, `sources` in the data directory; created if it is missing. */
  readonly folder: string
  readonly removals: Pick<Removals, 'record' | 'withdraw' | 'removeAll'>
  /** Jobs of stored songs, which decide how long a set of stems stays. */
  readonly sourceJobs: StemSetUse
}

/** Statements about stored songs. */
function prepareStatements(db: Db) {
  return {
    insert: db.prepare(
      `INSERT INTO sources (source_id, purpose, filename, title, artist, sha256, size_bytes, facts, cover_type, created_at_ms)
       VALUES (@sourceId, @purpose, @filename, @title, @artist, @sha256, @sizeBytes, @facts, @coverType, @now)`,
    ),
    selectOne: db.prepare<[string], SourceRow>('SELECT * FROM sources WHERE source_id = ?'),
    updateAnalysis: db.prepare<[string, string]>('UPDATE sources SET analysis = ? WHERE source_id = ?'),
    deleteOne: db.prepare<[string]>('DELETE FROM sources WHERE source_id = ?'),
    selectStems: db
      .prepare<{ setId: string }, string>(
        'SELECT source_id FROM stems WHERE set_id = @setId UNION SELECT original_id FROM stem_sets WHERE source_id = @setId AND original_id IS NOT NULL',
      )
      .pluck(),
    selectSizes: db.prepare<[], { sha256: string; size_bytes: number }>(
      'SELECT sha256, max(size_bytes) AS size_bytes FROM sources GROUP BY sha256',
    ),
    selectReferences: db
      .prepare<[number], string>("SELECT source_id FROM sources WHERE purpose = 'reference' AND created_at_ms <= ?")
      .pluck(),
    selectByContent: db.prepare<[string], 1>('SELECT 1 FROM sources WHERE sha256 = ?').pluck(),
  }
}

/** Endings of the files of a song, whose names begin with its SHA-256. */
const ENDINGS = ['', '.cover', '.analysis', '.analysis.part']
const placesOf = (sha256: string) => ENDINGS.map((ending) => `sources/${sha256}${ending}`)

/** The store of songs over an open database and a folder. */
export class Sources {
  /** Sets of stems among the songs. */
  readonly stems: StemSets
  readonly #deps: SourcesDeps
  readonly #statements: ReturnType<typeof prepareStatements>
  readonly #summaries: Summaries
  /** Songs stored by this run, not necessarily committed. */
  readonly #putHere = new Set<string>()

  constructor(deps: SourcesDeps) {
    mkdirSync(deps.folder, { recursive: true, mode: 0o700 })
    this.#deps = deps
    this.#statements = prepareStatements(deps.db)
    this.stems = new StemSets({ db: deps.db, sources: this, use: deps.sourceJobs })
    this.#summaries = new Summaries((sourceId) => this.#row(sourceId)?.analysis ?? undefined)
  }

  /**
   * Records that the files of songs are about to be stored: the next start removes every file that a crash left without a row. Call
   * it before the transaction that adds the songs.
   */
  announce(songs: readonly Pick<NewSource, 'path' | 'sha256'>[]): void {
    const { db, removals } = this.#deps
    db.transaction(() => {
      for (const { path: file, sha256 } of songs)
        if (!existsSync(this.#audioPath(sha256))) removals.record(`sources/${sha256}`, file)
    })()
  }

  /**
   * Stores a song and returns its identifier. The file is in place, safe against a loss of power, before its row is committed; while
   * another program's lock blocks the row, the file stays where it was. If the commit fails otherwise, the file belongs to no song and is
   * removed by the next `sweepFiles`.
   */
  add(song: NewSource): string {
    const { db, clock, random, folder, removals } = this.#deps
    const { sizeBytes, sha256, cover } = song
    return db.transaction(() => {
      const sourceId = random.newUuid()
      this.#statements.insert.run({ ...rowOf(song), sourceId, now: clock.now() })
      for (const place of placesOf(sha256)) removals.withdraw(place)
      if (!existsSync(this.#audioPath(sha256))) this.#putHere.add(sha256)
      putInPlace(song.path, this.#audioPath(sha256), sizeBytes)
      if (cover) writeFileSync(this.#coverPath(sha256), cover.bytes, { mode: 0o600, flush: true })
      syncFolder(folder)
      return sourceId
    })()
  }

  /** Returns a stored song, or undefined for an unknown identifier. */
  find(sourceId: string): StoredSource | undefined {
    const row = this.#row(sourceId)
    if (!row) return undefined
    const { filename, size_bytes: sizeBytes, sha256 } = row
    const facts = JSON.parse(row.facts) as AudioFacts
    return { sourceId, path: this.#audioPath(sha256), filename, sizeBytes, sha256, facts }
  }

  /**
   * Returns a stored song to work on, or undefined for an unknown identifier. Throws INVALID_REQUEST, naming `param`, if its file is gone:
   * the data folder is the user's own.
   */
  take(sourceId: string, param: 'source_id' | 'reference_source_id'): StoredSource | undefined {
    const song = this.find(sourceId)
    if (song && !existsSync(song.path))
      throw invalidRequest(param === 'source_id' ? 'song_gone' : 'reference_gone', { param })
    return song
  }

  /** Returns a stored song, or undefined for an unknown identifier or a missing file. */
  findKept(sourceId: string): StoredSource | undefined {
    const song = this.find(sourceId)
    return song && existsSync(song.path) ? song : undefined
  }

  /** Returns a song's facts for a list of tracks, or undefined for an unknown identifier. */
  facts(sourceId: string) {
    const shown = this.show(sourceId)
    if (!shown) return undefined
    const { title, artist, duration_seconds: durationSeconds } = shown
    const state: 'stored' | 'gone' = this.findKept(sourceId) ? 'stored' : 'gone'
    return { title, ...(artist === undefined ? {} : { artist }), durationSeconds, state }
  }

  /** Returns a song in the app's form, or undefined for an unknown identifier. */
  show(sourceId: string): Source | undefined {
    const row = this.#row(sourceId)
    return row && sourceToWire(row)
  }

  /** Returns the path and media type of the cover picture; undefined without one. */
  cover(sourceId: string): { path: string; mediaType: string } | undefined {
    const row = this.#row(sourceId)
    return row?.cover_type ? { path: this.#coverPath(row.sha256), mediaType: row.cover_type } : undefined
  }

  /** Stores the result of an analysis, and the file that keeps it whole, to make it only once. An unknown song is ignored. */
  saveAnalysis(sourceId: string, analysis: Analysis, kept: Uint8Array): void {
    this.#statements.updateAnalysis.run(JSON.stringify(analysis), sourceId)
    this.#summaries.drop(sourceId)
    const sha256 = this.#row(sourceId)?.sha256
    if (sha256 === undefined) return
    const part = `${this.analysisPath(sha256)}.part`
    try {
      writeFileSync(part, kept, { mode: 0o600 })
      renameSync(part, this.analysisPath(sha256))
    } catch {
      // Without it, auditions and jobs measure the song themselves.
    }
  }

  /** Returns the place of the file that keeps the analysis of a song; it may be missing. */
  analysisPath(sha256: string): string {
    return path.join(this.#deps.folder, `${sha256}.analysis`)
  }

  /** Returns the summary of the stored analysis as JSON, its warnings in `language`; `null` before there is one. */
  summaryJson(sourceId: string, language: Language): string {
    return this.#summaries.read(sourceId, language)
  }

  /**
   * Returns the bytes of the stored songs that jobs do not count, below 0 if several do: a job counts its song as its own, and if the disk
   * has links it is another name of the same bytes.
   */
  storedBytes(): number {
    return this.#statements.selectSizes.all().reduce((sum, { sha256, size_bytes }) => {
      const names = statSync(this.#audioPath(sha256), { throwIfNoEntry: false })?.nlink ?? 1
      return sum + size_bytes * (2 - names)
    }, 0)
  }

  /** Returns the songs that were stored only as references at or before this moment, epoch ms. */
  referencesBefore(atMs: number): string[] {
    return this.#statements.selectReferences.all(atMs)
  }

  /** Deletes songs, and the stems and mixes of sets, in one transaction; the next `sweepFiles` removes their files. */
  remove(sourceIds: readonly string[]): void {
    this.#deps.db.transaction(() => {
      for (const sourceId of sourceIds) this.#forget(sourceId)
    })()
  }

  /** Removes the files of deleted songs, and of songs that could not be committed, until `signal` is aborted. Never rejects. */
  sweepFiles(signal: AbortSignal): Promise<void> {
    const { removals } = this.#deps
    const lost = [...this.#putHere].filter((sha256) => !this.#isStored(sha256))
    this.#putHere.clear()
    for (const place of lost.flatMap(placesOf)) removals.record(place)
    return removals.removeAll(signal)
  }

  /** Returns whether a file of the folder belongs to a stored song. */
  isKnownFile(name: string): boolean {
    return this.#isStored(name.replace(/\..*$/, ''))
  }

  #row(sourceId: string): SourceRow | undefined {
    return this.#statements.selectOne.get(sourceId)
  }

  #isStored(sha256: string): boolean {
    return this.#statements.selectByContent.get(sha256) !== undefined
  }

  #audioPath(sha256: string): string {
    return path.join(this.#deps.folder, sha256)
  }

  #coverPath(sha256: string): string {
    return path.join(this.#deps.folder, `${sha256}.cover`)
  }

  #forget(sourceId: string): void {
    const sha256 = this.#row(sourceId)?.sha256
    const stems = this.#statements.selectStems.all({ setId: sourceId })
    this.#statements.deleteOne.run(sourceId)
    for (const stem of stems) this.#forget(stem)
    if (sha256 !== undefined && !this.#isStored(sha256))
      for (const place of placesOf(sha256)) this.#deps.removals.record(place)
    this.#summaries.drop(sourceId)
  }
}

/**
 * Cache of analysis summaries as JSON. An analysis never changes and is slow to parse, and the batch shows all of them after every change
 * of one.
 */
class Summaries {
  readonly #analysisOf: (sourceId: string) => string | undefined
  readonly #cache: Record<Language, Map<string, string>> = { en: new Map(), ko: new Map() }

  /** `analysisOf` returns the stored analysis of a song as JSON. */
  constructor(analysisOf: (sourceId: string) => string | undefined) {
    this.#analysisOf = analysisOf
  }

  read(sourceId: string, language: Language): string {
    const cached = this.#cache[language].get(sourceId)
    if (cached !== undefined) return cached
    const analysis = this.#analysisOf(sourceId)
    if (analysis === undefined) return 'null'
    const text = JSON.stringify(summaryOf(inLanguage(JSON.parse(analysis) as Analysis, language)))
    this.#cache[language].set(sourceId, text)
    return text
  }

  drop(sourceId: string): void {
    for (const texts of Object.values(this.#cache)) texts.delete(sourceId)
  }
}

/** Moves a file to its final place. Windows replaces no file that a player or an engine process has open: it is identical already. */
function putInPlace(from: string, to: string, sizeBytes: number): void {
  try {
    renameSync(from, to)
  } catch (cause) {
    if (statSync(to, { throwIfNoEntry: false })?.size !== sizeBytes) throw cause
  }
}

/** Returns the columns of a new song. */
function rowOf({ purpose, filename, sizeBytes, sha256, facts, cover }: NewSource) {
  return {
    purpose,
    filename,
    title: listed(chooseTitle(facts.tags.title, titleFile({ filename, facts }))),
    artist: facts.tags.artist === undefined ? null : listed(facts.tags.artist),
    sha256,
    sizeBytes,
    facts: JSON.stringify(facts),
    coverType: cover?.mimeType ?? null,
  }
}

function sourceToWire(row: SourceRow): Source {
  const facts = JSON.parse(row.facts) as AudioFacts
  const { lyrics: _lyrics, ...tags } = metadataInTags(facts.tags)
  const service = madeWith(facts)
  return {
    source_id: row.source_id,
    filename: row.filename,
    title: row.title,
    ...(row.artist === null ? {} : { artist: row.artist }),
    size_bytes: row.size_bytes,
    sha256: row.sha256,
    codec: facts.codec,
    duration_seconds: facts.durationSeconds,
    sample_rate_hz: facts.sampleRateHz,
    channels: facts.channels,
    ...(facts.bitDepth === undefined ? {} : { bit_depth: facts.bitDepth }),
    ...(facts.bitRate === undefined ? {} : { bit_rate_bps: facts.bitRate }),
    has_cover: row.cover_type !== null,
    ...(service ? { made_with: service } : {}),
    tags,
    created_at: isoTime(row.created_at_ms),
  }
}

function inLanguage(analysis: Analysis, language: Language): Analysis {
  // Earlier analyses are stored with the names of the program.
  const warnings = analysis.warnings.map(({ values, ...warning }) => ({
    ...warning,
    message: warningText(warning.code, values, language),
    ...(values ? { values: toWireValues(values) } : {}),
  }))
  const { proposed_edges: proposed, suggestion } = analysis
  return {
    ...analysis,
    ...(proposed ? { proposed_edges: proposedEdgesIn(proposed, language) } : {}),
    ...(suggestion ? { suggestion: suggestionIn(suggestion, language) } : {}),
    warnings,
  }
}
