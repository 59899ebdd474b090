/** Sets of stems in the store of songs: which stored songs are the stems of which. */
import { type Source, waveformPercent } from '../../src-contract/app.ts'
import { isOfSong, type MixLikeness, restOf } from '../../src-contract/stem-likeness.ts'
import { MAX_ACCOUNT_STEM_BYTES, MAX_UNUSED_STEM_SETS, STEM_SET_HOURS } from '../../src-contract/stem-limits.ts'
import { STEM_ROLES, type StemRole } from '../../src-contract/stem-roles.ts'
import type { StemSet } from '../../src-contract/stems.ts'
import type { Language } from '../../src-contract/text/language.ts'
import { likenessSentence } from '../../src-contract/text/stem-likeness.ts'
import { stemNotes } from '../../src-contract/text/stem-notes.ts'
import { isoTime } from '../../src-system/system.ts'
import type { StemParts, StoredStem } from '../../src-worker/media/stored-stem.ts'
import type { Cover } from '../../src-worker/media/tags.ts'
import type { Db } from '../db/open.ts'
import { AppError } from '../http/app-error.ts'
import type { InspectedSong } from '../uploads/inspect.ts'

/** The store of songs as far as sets need it. */
interface SongStore {
  add(song: InspectedSong & { readonly purpose: 'song'; readonly cover?: Cover }): string
  find(sourceId: string): InspectedSong | undefined
  show(sourceId: string): Source | undefined
}

/** Stems of a new set and their sum. All files are moved. */
export interface NewStemSet {
  readonly sum: InspectedSong & { readonly cover?: Cover }
  readonly stems: readonly (InspectedSong & {
    readonly role: StemRole
    readonly isSilent: boolean
    /** Peaks of equal slices, 0 to 1. */
    readonly waveform: readonly number[]
  })[]
  /** Stereo mix of the song, and how it is related to the sum; undefined if that is unknown. */
  readonly original?: { readonly song: InspectedSong; readonly likeness: MixLikeness | undefined }
  /** True for a song of the application's batch, which decides how long it stays. */
  readonly isInBatch: boolean
}

/** Jobs of a stored song. */
export interface StemSetUse {
  /** Returns whether a stored song has a job, ended or not. */
  hasJobs(sourceId: string): boolean
  /** Returns the stored songs whose jobs have all expired. */
  listSweptSources(): string[]
}

interface SetRow {
  readonly source_id: string
  readonly is_of_key: 0 | 1
  readonly created_at_ms: number
  readonly size_bytes: number
  readonly original_id: string | null
  readonly likeness: string | null
}

interface StemRow {
  readonly number: number
  readonly source_id: string
  readonly role: StemRole
  readonly is_silent: 0 | 1
  readonly waveform: string | null
}

const LIFETIME_MS = STEM_SET_HOURS * 3_600_000

const ALL_SETS = `SELECT stem_sets.source_id, is_of_key, own.created_at_ms, original_id, likeness,
    own.size_bytes + coalesce(original.size_bytes, 0) + sum(stored.size_bytes) AS size_bytes
  FROM stem_sets JOIN sources AS own ON own.source_id = stem_sets.source_id
  LEFT JOIN sources AS original ON original.source_id = original_id
  JOIN stems ON stems.set_id = stem_sets.source_id JOIN sources AS stored ON stored.source_id = stems.source_id`

function prepareStatements(db: Db) {
  return {
    insertSet: db.prepare(
      'INSERT INTO stem_sets (source_id, is_of_key, original_id, likeness) VALUES (@setId, @isOfKey, @originalId, @likeness)',
    ),
    insertStem: db.prepare(
      `INSERT INTO stems (set_id, number, source_id, role, is_silent, waveform)
       VALUES (@setId, @number, @sourceId, @role, @isSilent, @waveform)`,
    ),
    selectSet: db.prepare<[string], SetRow>(`${ALL_SETS} WHERE stem_sets.source_id = ? GROUP BY stem_sets.source_id`),
    selectSets: db.prepare<[], SetRow>(
      `${ALL_SETS} GROUP BY stem_sets.source_id ORDER BY own.created_at_ms DESC, own.source_id`,
    ),
    selectSetOf: db
      .prepare<{ sourceId: string }, string>(
        'SELECT set_id FROM stems WHERE source_id = @sourceId UNION SELECT source_id FROM stem_sets WHERE original_id = @sourceId',
      )
      .pluck(),
    countStems: db.prepare<[string], number>('SELECT count(*) FROM stems WHERE set_id = ?').pluck(),
    selectStems: db.prepare<[string], StemRow>(
      'SELECT number, source_id, role, is_silent, waveform FROM stems WHERE set_id = ? ORDER BY number',
    ),
  }
}

/** Returns stems in the order of their numbers: by role, name and bytes, whatever the order of upload. Pure. */
export function numbered<Stem extends { role: StemRole; filename: string; sha256: string }>(
  stems: readonly Stem[],
): Stem[] {
  const placeOf = ({ role }: Stem) => STEM_ROLES.indexOf(role)
  const keyOf = ({ filename, sha256 }: Stem) => `${filename}\n${sha256}`
  return [...stems].sort((one, other) => placeOf(one) - placeOf(other) || (keyOf(one) < keyOf(other) ? -1 : 1))
}

export interface StemSetsDeps {
  readonly db: Db
  readonly sources: SongStore
  readonly use: StemSetUse
}

/** The sets over an open database and the store of songs. */
export class StemSets {
  readonly #deps: StemSetsDeps
  readonly #statements: ReturnType<typeof prepareStatements>

  constructor(deps: StemSetsDeps) {
    this.#deps = deps
    this.#statements = prepareStatements(deps.db)
  }

  /** Stores a set and returns the identifier of its sum, in one transaction. */
  add({ sum, stems, original, isInBatch }: NewStemSet): string {
    const { db, sources } = this.#deps
    return db.transaction(() => {
      const setId = sources.add({ ...sum, purpose: 'song' })
      const originalId = original ? sources.add({ ...original.song, purpose: 'song' }) : null
      const likeness = original?.likeness ? JSON.stringify(original.likeness) : null
      this.#statements.insertSet.run({ setId, isOfKey: isInBatch ? 0 : 1, originalId, likeness })
      for (const [index, { role, isSilent, waveform: peaks, ...song }] of numbered(stems).entries()) {
        const sourceId = sources.add({ ...song, purpose: 'song' })
        const waveform = JSON.stringify(waveformPercent(peaks))
        this.#statements.insertStem.run({
          setId,
          number: index + 1,
          sourceId,
          role,
          isSilent: isSilent ? 1 : 0,
          waveform,
        })
      }
      return setId
    })()
  }

  /** Returns the stems of a set, and the stereo mix of the song if it was compared with their sum; no stems for any other song. */
  partsOf(sourceId: string): StemParts {
    const { sources } = this.#deps
    const file = (id: string, role: StemRole): StoredStem[] => {
      const song = sources.find(id)
      return song ? [{ path: song.path, filename: song.filename, sha256: song.sha256, facts: song.facts, role }] : []
    }
    const stems = this.#statements.selectStems.all(sourceId).flatMap(({ source_id, role }) => file(source_id, role))
    const row = this.#statements.selectSet.get(sourceId)
    const [original] = row?.original_id ? file(row.original_id, 'other') : []
    const likeness = row && likenessOf(row)
    if (!original || !likeness) return { stems }
    const { sampleRateHz } = sources.find(sourceId)!.facts
    return { stems, original: { file: original, likeness: { ...likeness, sampleRateHz } } }
  }

  /** Returns the number of the stems of a stored song; 0 without any. */
  countOf(sourceId: string): number {
    return this.#statements.countStems.get(sourceId) ?? 0
  }

  /** Returns whether a stored song is a stem of a set, or its stereo mix. */
  isStem(sourceId: string): boolean {
    return this.#statements.selectSetOf.get({ sourceId }) !== undefined
  }

  has(sourceId: string): boolean {
    return this.#statements.selectSet.get(sourceId) !== undefined
  }

  /** Returns a set with its waveforms in the form of answers; undefined for any other song. */
  show(sourceId: string, language: Language): StemSet | undefined {
    const row = this.#statements.selectSet.get(sourceId)
    if (!row) return undefined
    const { stems, ...set } = this.#toWire(row, language)
    const waveforms = this.#statements.selectStems.all(sourceId).map(({ waveform }) => waveform)
    const withWave = (stem: StemSet['stems'][number], index: number) =>
      waveforms[index] ? { ...stem, waveform_percent: JSON.parse(waveforms[index]) as number[] } : stem
    return { ...set, stems: stems.map(withWave) }
  }

  /** Returns all sets, the newest first. */
  list(language: Language): StemSet[] {
    return this.#statements.selectSets.all().map((row) => this.#toWire(row, language))
  }

  /**
   * Throws STEM_SET_LIMIT if no further set may be stored outside of the batch of so many bytes: too many have no job, or all are too large together.
   */
  requireRoom(bytes: number): void {
    const ofKeys = this.#statements.selectSets.all().filter(({ is_of_key }) => is_of_key === 1)
    const unused = ofKeys.filter(({ source_id }) => !this.#deps.use.hasJobs(source_id))
    if (unused.length >= MAX_UNUSED_STEM_SETS)
      throw new AppError('STEM_SET_LIMIT', { reason: 'unused', limit: MAX_UNUSED_STEM_SETS })
    if (ofKeys.reduce((sum, { size_bytes }) => sum + size_bytes, bytes) > MAX_ACCOUNT_STEM_BYTES)
      throw new AppError('STEM_SET_LIMIT', { reason: 'bytes', gigabytes: MAX_ACCOUNT_STEM_BYTES / 2 ** 30 })
  }

  /** Returns whether a set is removed by time, or on request: not one of the batch. */
  isRemovable(sourceId: string): boolean {
    return this.#statements.selectSet.get(sourceId)?.is_of_key === 1
  }

  /** Returns the sets of keys that nothing uses at this time, epoch ms: without a job for a day, or with expired ones only. */
  listUnused(nowMs: number): string[] {
    const { use } = this.#deps
    const swept = new Set(use.listSweptSources())
    return this.#statements.selectSets
      .all()
      .filter(
        ({ source_id, is_of_key, created_at_ms }) =>
          is_of_key === 1 &&
          (swept.has(source_id) || (created_at_ms + LIFETIME_MS <= nowMs && !use.hasJobs(source_id))),
      )
      .map(({ source_id }) => source_id)
  }

  #toWire(row: SetRow, language: Language): StemSet {
    const { sources, use } = this.#deps
    const { source_id, is_of_key, created_at_ms, size_bytes, original_id } = row
    const sum = sources.show(source_id)!
    const stems = this.#statements.selectStems.all(source_id).map((row) => {
      const { filename, size_bytes, sha256, codec, sample_rate_hz, channels, duration_seconds } = sources.show(
        row.source_id,
      )!
      return {
        ...{ stem: row.number, source_id: row.source_id, filename, role: row.role, size_bytes, sha256, codec },
        ...{ sample_rate_hz, channels, duration_seconds },
        ...(row.is_silent ? { is_silent: true as const } : {}),
      }
    })
    const { title, sample_rate_hz, duration_seconds } = sum
    const original = original_id === null ? undefined : sources.show(original_id)
    const likeness = likenessOf(row)
    const isUnused = is_of_key === 1 && !use.hasJobs(source_id)
    return {
      ...{ source_id, title, stems, sample_rate_hz, duration_seconds, size_bytes },
      ...(original
        ? {
            original: { source_id: original.source_id, filename: original.filename, ...toOriginal(likeness, language) },
          }
        : {}),
      notes: stemNotes(
        {
          silent: stems.filter((stem) => stem.is_silent).map((stem) => stem.filename),
          sampleRateHz: sample_rate_hz,
          hasOtherRates: stems.some((stem) => stem.sample_rate_hz !== sample_rate_hz),
          hasOtherLengths: stems.some((stem) => stem.duration_seconds !== duration_seconds),
          original: original?.filename,
        },
        language,
      ),
      created_at: isoTime(created_at_ms),
      ...(isUnused ? { expires_at: isoTime(created_at_ms + LIFETIME_MS) } : {}),
    }
  }
}

const likenessOf = ({ likeness }: Pick<SetRow, 'likeness'>): MixLikeness | undefined =>
  likeness === null ? undefined : (JSON.parse(likeness) as MixLikeness)

function toOriginal(likeness: MixLikeness | undefined, language: Language) {
  if (!likeness) return { likeness: null }
  const { offsetFrames, isInverted, gainDb } = likeness
  const rest = restOf(likeness)
  return {
    likeness: {
      ...{ offset_samples: offsetFrames, is_inverted: isInverted, gain_db: gainDb, ...rest },
      ...{ is_song: isOfSong(rest), summary: likenessSentence(rest)[language] },
    },
  }
}
