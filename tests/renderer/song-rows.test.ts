import { describe, expect, it } from 'vitest'
import type { AnalysisSummary, BatchSong } from '../../src-contract/app.ts'
import { FAILURE_CODES, type FailureCode } from '../../src-contract/errors.ts'
import type { Job } from '../../src-contract/jobs.ts'
import type { WrittenRecipe } from '../../src-contract/recipe-schemas.ts'
import type { SavedTarget } from '../../src-contract/saved-targets.ts'
import { type MasterSettings, recipeId } from '../../src-contract/settings.ts'
import { failureText } from '../../src-contract/text/text.ts'
import { workOf } from '../../src-renderer/screens/master/use-batch.ts'
import { isRepeatable, isWorthAgain } from '../../src-renderer/state/jobs.ts'
import { refusalText } from '../../src-renderer/state/refusal.ts'
import {
  changedRows,
  dueOf,
  isChangedSince,
  kindOf,
  madeWith,
  movedOrder,
  queuePlaces,
  type RowSources,
  refusalOfRow,
  type SongRow,
  songRows,
  startOf,
  steadyRows,
  tallyOf,
  type Upload,
} from '../../src-renderer/state/song-rows.ts'
import { batchSong, someSettings } from '../support/batch-songs.ts'

const analysis = (warnings: AnalysisSummary['warnings'] = []) => ({ warnings }) as AnalysisSummary
const clipped = { code: 'INPUT_CLIPPED', message: '' } as const
const song = (id: string, change: Partial<BatchSong> = {}) => batchSong(id, { analysis: analysis(), ...change })
const settings: MasterSettings = { ...someSettings, platforms: ['spotify', 'melon'] }
const job = (change: Partial<Job>) => {
  const { reference_source_id: _, ...made } = settings
  return { ...made, job_id: 'j', status: 'queued', results: [], progress: 0, ...change } as Job
}
const none = { settings, uploads: [], order: [], jobs: {}, accepted: {}, again: {}, analysing: {}, analysisErrors: {} }

describe('a mastered song whose settings have changed since', () => {
  const rowOf = (own: MasterSettings | null, change: Partial<Job> = {}) => {
    const done = song('a', { state: 'submitted', settings: own, job_ids: ['j'] })
    const [row] = songRows({ ...none, songs: [done], jobs: { j: job({ status: 'done', ...change }) } })
    return row as SongRow
  }

  it('differs from its job in the sound or in the delivery, of its own or of all songs', () => {
    expect(isChangedSince(rowOf(null), settings)).toBe(false)
    expect(isChangedSince(rowOf({ ...settings, bass_db: 1 }), settings)).toBe(true)
    expect(isChangedSince(rowOf(null), { ...settings, platforms: ['spotify'] })).toBe(true)
    expect(isChangedSince(rowOf({ ...settings, platforms: ['melon', 'spotify'] }), settings), 'the same ones').toBe(
      false,
    )
    expect(isChangedSince(rowOf(null, { reference_filename: 'guide.wav' }), settings), 'its reference is gone').toBe(
      true,
    )
    const target = { name: 'guide.wav', weight: 2 } as SavedTarget
    const aimed = { ...settings, targets: [target] }
    expect(isChangedSince(rowOf(aimed, { saved_targets: [target] }), settings), 'the same target').toBe(false)
    expect(isChangedSince(rowOf(aimed, { saved_targets: [{ ...target, weight: 1 }] }), settings)).toBe(true)
    const recipe = { version: 2, stages: [] } as WrittenRecipe
    const followed = { has_recipe: true, recipe_id: recipeId(recipe) } as const
    expect(isChangedSince(rowOf({ ...settings, recipe }, followed), settings), 'the same recipe').toBe(false)
    const turned = { stages: [], version: 2 } as WrittenRecipe
    expect(isChangedSince(rowOf({ ...settings, recipe: turned }, followed), settings), 'in another order').toBe(false)
    const other = { ...recipe, version: 1 } as WrittenRecipe
    expect(isChangedSince(rowOf({ ...settings, recipe: other }, followed), settings), 'another recipe').toBe(true)
    expect(isChangedSince(rowOf(null, followed), settings), 'no recipe any more').toBe(true)
    expect(isChangedSince(rowOf(null, { status: 'queued' }), { ...settings, tier: 'premium' }), 'not yet').toBe(false)
  })

  it('is the version that was made with its settings, else the newest', () => {
    const ids = ['v3', 'v2', 'v1']
    const made = (change: Partial<Job>, id: string) => [id, job({ job_id: id, status: 'done', ...change })] as const
    const versionWith = (change: Partial<MasterSettings>, v1: Partial<Job> = {}) => {
      const own = { ...settings, ...change }
      const jobs = Object.fromEntries([made({ bass_db: 2 }, 'v3'), made({}, 'v2'), made({ ...v1, bass_db: 1 }, 'v1')])
      const songs = [song('a', { state: 'submitted', settings: own, job_ids: ids })]
      const [row] = songRows({ ...none, songs, jobs })
      return `${row?.job?.job_id} ${isChangedSince(row as SongRow, settings)}`
    }
    expect(versionWith({ bass_db: 1 })).toBe('v1 false')
    expect(versionWith({})).toBe('v2 false')
    expect(versionWith({ bass_db: 3 })).toBe('v3 true')
    expect(versionWith({ bass_db: 1 }, { expired: true }), 'its files are gone').toBe('v3 true')
    expect(versionWith({ bass_db: 1 }, { status: 'failed' })).toBe('v3 true')
  })

  it('is what the next press masters again', () => {
    const rows = [rowOf(null), rowOf({ ...settings, bass_db: 1 })]
    expect(changedRows(rows, settings)).toEqual([rows[1]])
  })
})

describe('the state of a song', () => {
  it.each([
    ['analysing', song('a', { analysis: null }), undefined],
    ['ready', song('a'), undefined],
    ['warning', song('a', { analysis: analysis([clipped]) }), undefined],
    ['refused', song('a', { analysis: { ...analysis(), integrated_lufs: null } }), undefined],
    ['waiting', song('a', { state: 'waiting' }), undefined],
    ['reading', song('a', { state: 'submitted', job_ids: ['j'] }), undefined],
    ['ready', song('a', { state: 'submitted', job_ids: [] }), undefined],
    ['queued', song('a', { state: 'submitted' }), job({ stage: 'waiting' })],
    ['rendering', song('a', { state: 'submitted' }), job({ stage: 'decoding' })],
    ['done', song('a', { state: 'submitted' }), job({ status: 'done' })],
    [
      'below',
      song('a', { state: 'submitted' }),
      job({ status: 'done', results: [{ verdict: 'below_target' }] as never }),
    ],
    [
      'below',
      song('a', { state: 'submitted' }),
      job({
        status: 'done',
        results: [{ verdict: 'on_target', costs: [{ code: 'PEAKS_REDUCED', values: {} }] }] as never,
      }),
    ],
    [
      'done',
      song('a', { state: 'submitted' }),
      job({ status: 'done', results: [{ verdict: 'on_target', costs: [] }, { verdict: 'on_target' }] as never }),
    ],
    ['failed', song('a', { state: 'submitted' }), job({ status: 'failed', failure_code: 'DIGITAL_SILENCE' })],
    ['cancelled', song('a', { state: 'submitted' }), job({ status: 'failed', failure_code: 'CANCELLED' })],
    ['refused', song('a', { state: 'refused' }), undefined],
  ] as const)('is "%s" when the server says so', (kind, one, ofJob) => {
    expect(kindOf(one, ofJob, false, false)).toBe(kind)
  })

  it('is ready with its warnings once they are accepted, and refused when it could not be measured', () => {
    expect(kindOf(song('a', { analysis: analysis([clipped]) }), undefined, true, false)).toBe('ready')
    expect(kindOf(song('a', { analysis: null }), undefined, false, true)).toBe('refused')
  })

  it('is refused for good when its job would fail: silent or too short', () => {
    const silent = song('a', { analysis: { ...analysis(), integrated_lufs: null } })
    expect(kindOf(silent, undefined, true, false)).toBe('refused')
    expect(refusalOfRow({ rowId: 'a', kind: 'refused', song: silent })).toEqual({ code: 'DIGITAL_SILENCE' })
  })

  it('is ready when there is nothing to say but how its file was made, and starts with the others', () => {
    const mp3 = [
      { code: 'INPUT_LOSSY', message: '' },
      { code: 'INPUT_BAND_LIMITED', message: '' },
      { code: 'INPUT_MONO', message: '' },
      { code: 'INPUT_NEAR_SILENT_EDGES', message: '' },
    ] as const
    const songs = [
      song('mp3', { analysis: analysis([...mp3]) }),
      song('wav'),
      song('cut', { analysis: analysis([...mp3, clipped]) }),
    ]
    const rows = songRows({ ...none, songs })
    expect(rows.map(({ kind }) => kind)).toEqual(['ready', 'ready', 'warning'])
    expect(startOf(rows)).toMatchObject({ rowIds: ['mp3', 'wav'], hasWarnings: false })
  })
})

describe('a song that is looked at', () => {
  it('shows how far the look is', () => {
    const progress = { percent: 40, stage: 'analysing' as const }
    const [row] = songRows({ ...none, songs: [song('a', { analysis: null })], analysing: { a: progress } })
    expect(row).toMatchObject({ kind: 'analysing', progress })
  })
})

describe('a song that is too short to be mastered', () => {
  const lasting = (seconds: number, change: Partial<BatchSong> = {}) =>
    song('a', { source: { ...song('a').source, duration_seconds: seconds }, ...change })
  const rowsOf = (one: BatchSong) => songRows({ ...none, songs: [one], accepted: { a: true } })

  it.each([0, 0.5, 0.999])('is refused at %f s before anything is started', (seconds) => {
    const rows = rowsOf(lasting(seconds))
    expect(rows[0]?.kind).toBe('refused')
    expect(startOf(rows).rowIds).toEqual([])
    expect(rowsOf(lasting(seconds, { analysis: null }))[0]?.kind).toBe('refused')
  })

  it('is taken from one second on', () => {
    expect(rowsOf(lasting(1))[0]?.kind).toBe('ready')
    expect(refusalOfRow(rowsOf(lasting(1))[0] as never)).toBeUndefined()
  })

  it.each(['en', 'ko'] as const)('says in %s what its job would say', (language) => {
    const [row] = rowsOf(lasting(0.5))
    expect(refusalText(refusalOfRow(row as never) as never, language)).toBe(failureText('TOO_SHORT', {}, language))
  })
})

describe('a song that is on the list twice', () => {
  const copy = (id: string, change: Partial<BatchSong> = {}) =>
    song(id, { source: { ...song(id).source, sha256: song('a').source.sha256 }, ...change })
  const kinds = (songs: readonly BatchSong[], more: Partial<RowSources> = {}) =>
    songRows({ ...none, songs, ...more }).map(({ kind, repeats }) => (repeats ? `${kind} ${repeats}` : kind))

  it('is not started a second time until somebody wants it', () => {
    const songs = [song('a'), copy('b'), song('c'), copy('d', { analysis: null })]
    expect(kinds(songs)).toEqual(['ready', 'repeated a', 'ready', 'repeated a'])
    expect(startOf(songRows({ ...none, songs })).rowIds).toEqual(['a', 'c'])
    expect(kinds(songs, { accepted: { b: true } })).toEqual(['ready', 'ready', 'ready', 'repeated a'])
    expect(tallyOf(songRows({ ...none, songs })).check).toBe(2)
  })

  it('is not among those whose warnings are accepted together', () => {
    const warnings = analysis([clipped])
    const songs = [song('a', { analysis: warnings }), copy('b', { analysis: warnings })]
    expect(startOf(songRows({ ...none, songs }))).toMatchObject({ rowIds: ['a'], hasWarnings: true })
  })

  it('is the one that was not started, wherever it stands', () => {
    const started = copy('b', { state: 'submitted', job_ids: ['1'] })
    const rows = { order: ['a', 'b'], jobs: { 1: job({ job_id: '1', status: 'done' }) } }
    expect(kinds([song('a'), started], rows)).toEqual(['repeated b', 'done'])
  })

  it('is wanted when the other one has no masters to show', () => {
    const other = copy('b', { state: 'submitted', job_ids: ['1'] })
    const beside = (change: Partial<Job>) => kinds([other, song('a')], { jobs: { 1: job({ job_id: '1', ...change }) } })
    expect(beside({ status: 'failed', failure_code: 'CANCELLED' })).toEqual(['cancelled', 'ready'])
    expect(beside({ status: 'done', expired: true })).toEqual(['done', 'ready'])
  })

  it.each([
    { platforms: ['spotify'] },
    { genre: 'edm' },
    { ai_service: 'udio' },
    { tier: 'premium' },
    { intensity: 51 },
    { loudness: 'competitive' },
    { reference_source_id: 'r' },
  ] as Partial<MasterSettings>[])('is wanted when it is to be mastered in another way: %o', (change) => {
    const other = { ...settings, ...change }
    expect(kinds([song('a'), copy('b', { settings: other })])).toEqual(['ready', 'ready'])
    const jobs = { 1: job({ job_id: '1', status: 'done' }) }
    const made = copy('b', { state: 'submitted', job_ids: ['1'] })
    expect(kinds([made, song('a')], { jobs, settings: other })).toEqual(['done', 'ready'])
    expect(kinds([made, song('a')], { jobs })).toEqual(['done', 'repeated b'])
  })

  it('tells two amounts of one reference apart, and does not guess which one a job had', () => {
    const following = { ...settings, reference_source_id: 'r' }
    const less = { ...following, reference_amount: 20 }
    expect(kinds([song('a', { settings: following }), copy('b', { settings: less })])).toEqual(['ready', 'ready'])
    expect(kinds([song('a', { settings: following }), copy('b', { settings: { ...following } })])).toEqual([
      'ready',
      'repeated a',
    ])
    const jobs = { 1: job({ job_id: '1', status: 'done', reference_filename: 'Harbour.wav' }) }
    const made = copy('b', { state: 'submitted', job_ids: ['1'] })
    expect(kinds([made, song('a')], { jobs })).toEqual(['done', 'ready'])
  })
})

describe('how a song is mastered', () => {
  const rows = (one: BatchSong) =>
    songRows({ ...none, songs: [one], jobs: { 1: job({ job_id: '1', status: 'done', ai_service: 'udio' }) } })

  it('is what its job says once it is started, and its own settings or the common ones before', () => {
    expect(madeWith(rows(song('a', { state: 'submitted', job_ids: ['1'] }))[0] as SongRow, settings)?.ai_service).toBe(
      'udio',
    )
    const own = { ...settings, ai_service: 'elevenlabs' as const }
    expect(madeWith(rows(song('a', { settings: own }))[0] as SongRow, settings)?.ai_service).toBe('elevenlabs')
    expect(madeWith(rows(song('a'))[0] as SongRow, settings)?.ai_service).toBe('suno')
  })
})

describe('the list', () => {
  const upload: Upload = { uploadId: 'u', filename: 'x.txt', sizeBytes: 1, state: 'refused', sent: 0, addedAt: '' }

  it('keeps every row in its place, whether it has arrived or not', () => {
    const rows = songRows({ ...none, songs: [song('a'), song('b')], uploads: [upload], order: ['a', 'u', 'b'] })
    expect(rows.map((row) => row.rowId)).toEqual(['a', 'u', 'b'])
    expect(rows[1]?.kind).toBe('refused')
  })

  it('shows songs that came from elsewhere at the end', () => {
    const rows = songRows({ ...none, songs: [song('new'), song('a')], order: ['a'] })
    expect(rows.map((row) => row.rowId)).toEqual(['a', 'new'])
  })

  it('starts what is ready, and songs with warnings only when nothing else is left', () => {
    const warned = song('w', { analysis: analysis([clipped]) })
    const start = (songs: readonly BatchSong[]) => startOf(songRows({ ...none, songs }))
    expect(start([song('a'), warned])).toEqual({ rowIds: ['a'], hasWarnings: false, unmeasured: [] })
    expect(start([warned])).toEqual({ rowIds: ['w'], hasWarnings: true, unmeasured: [] })
  })

  it('arms what is still sent or measured, and starts all of it that is sound once the last is measured', () => {
    const warned = song('w', { analysis: analysis([clipped]) })
    const sending = { ...upload, state: 'sending' as const }
    const early = songRows({ ...none, songs: [warned, song('m', { analysis: null })], uploads: [sending] })
    expect(startOf(early)).toEqual({ rowIds: [], hasWarnings: false, unmeasured: ['m', 'u'] })
    expect(startOf(early, ['m']).unmeasured).toEqual(['u'])
    expect(dueOf(early, ['m', 'u'])).toBeNull()
    const later = songRows({ ...none, songs: [warned, song('m'), song('x')], uploads: [upload] })
    expect(
      dueOf(later, ['m', 'u']),
      'one that was refused starts nothing, and nor does one that was not armed',
    ).toEqual(['m'])
    expect(dueOf(later, ['w'])).toEqual([])
  })

  it('counts every song under exactly one word', () => {
    const rows = songRows({ ...none, songs: [song('a'), song('b', { state: 'waiting' })], uploads: [upload] })
    const tally = tallyOf(rows)
    expect(tally).toMatchObject({ ready: 1, queued: 1, refused: 1 })
    expect(Object.values(tally).reduce((sum, count) => sum + count)).toBe(3)
  })

  it('counts what its owner cancelled apart from what failed', () => {
    const ended = (id: string, failure_code: FailureCode) => job({ job_id: id, status: 'failed', failure_code })
    const songs = ['1', '2'].map((id) => song(id, { state: 'submitted', job_ids: [id] }))
    const rows = songRows({ ...none, songs, jobs: { 1: ended('1', 'CANCELLED'), 2: ended('2', 'ENGINE_FAILED') } })
    expect(tallyOf(rows)).toMatchObject({ cancelled: 1, failed: 1 })
  })

  it('counts as to check only what a person must look at, and apart from it what is still being read', () => {
    const uploads = (['sending', 'interrupted'] as const).map((state) => ({ ...upload, uploadId: state, state }))
    const songs = [song('a', { analysis: null }), song('b', { analysis: analysis([clipped]) })]
    expect(tallyOf(songRows({ ...none, songs, uploads }))).toMatchObject({ check: 2, reading: 2 })
  })

  it('keeps the rows that say the same, so that only what changed is drawn again', () => {
    const songs = [song('a', { state: 'submitted', job_ids: ['1'] }), song('b')]
    const before = songRows({ ...none, songs, jobs: { 1: job({ stage: 'rendering', progress: 10 }) } })
    const after = songRows({ ...none, songs, jobs: { 1: job({ stage: 'rendering', progress: 11 }) } })
    const shown = steadyRows(before, after)
    expect(shown[0]).not.toBe(before[0])
    expect(shown[1]).toBe(before[1])
  })

  it('counts the queue on from the jobs that wait on the server', () => {
    const songs = [
      song('later', { state: 'waiting' }),
      song('second', { state: 'submitted', job_ids: ['2'] }),
      song('first', { state: 'submitted', job_ids: ['1'] }),
    ]
    const jobs = { 1: job({ stage: 'waiting', queue_position: 1 }), 2: job({ stage: 'waiting', queue_position: 2 }) }
    expect(queuePlaces(songRows({ ...none, songs, jobs }))).toEqual({ first: 1, second: 2, later: 3 })
  })

  it('names a song as rendered as soon as its job is, before the batch was read again', () => {
    const songs = [song('a', { state: 'waiting', batch_id: 'now' })]
    const kindWith = (of: Partial<Job>) => {
      const jobs = { 1: job({ stage: 'decoding', source_id: 'a', batch_id: 'now', ...of }) }
      return songRows({ ...none, songs, jobs })[0]?.kind
    }
    expect(kindWith({})).toBe('rendering')
    expect(kindWith({ stage: 'waiting' })).toBe('queued')
    expect(kindWith({ batch_id: 'earlier', status: 'done' })).toBe('waiting')
    expect(kindWith({ source_id: 'b' })).toBe('waiting')
  })

  it('moves a row by its steps and not past the ends', () => {
    expect(movedOrder(['a', 'b', 'c'], 'a', 2)).toEqual(['b', 'c', 'a'])
    const order = ['a', 'b']
    expect(movedOrder(order, 'a', -1)).toBe(order)
    expect(movedOrder(order, 'missing', 1)).toBe(order)
  })
})

describe('the work under way', () => {
  const lasting = (id: string, seconds: number, change: Partial<BatchSong> = {}) => {
    const one = song(id, { state: 'submitted', job_ids: [id], ...change })
    return { ...one, source: { ...one.source, duration_seconds: seconds } }
  }
  const at = (second: number) => new Date(1000 * second).toISOString()
  const done = job({ job_id: '1', status: 'done', duration_seconds: 100, started_at: at(0), completed_at: at(10) })
  const songs = [
    lasting('1', 100),
    lasting('2', 200),
    lasting('3', 300),
    lasting('4', 100, { state: 'waiting', job_ids: [] }),
  ]
  const known = {
    1: done,
    2: job({ job_id: '2', stage: 'rendering', progress: 50, duration_seconds: 200, started_at: at(10) }),
    3: job({ job_id: '3', stage: 'waiting', queue_position: 2, duration_seconds: 300 }),
    other: job({ job_id: 'other', source_id: 'elsewhere', stage: 'waiting', queue_position: 1, duration_seconds: 30 }),
  }
  const of = (jobs: Record<string, Job>, isPaused = false) => {
    const rows = songRows({ ...none, songs, jobs })
    return workOf({ rows, jobs: Object.values(jobs), settings: someSettings, isPaused, nowMs: 40_000 })
  }

  it('is what runs, what waits in its order behind the jobs of other programs, and what has ended', () => {
    const work = of(known)
    expect(work?.running).toMatchObject([{ id: '2', durationSeconds: 200, percent: 50, elapsedSeconds: 30 }])
    expect(work?.waiting.map(({ id, durationSeconds }) => [id, durationSeconds])).toEqual([
      ['other', 30],
      ['3', 300],
      ['4', 100],
    ])
    expect(work?.past).toMatchObject([{ durationSeconds: 100, workSeconds: 10 }])
  })

  it('is without what a pause holds, and unknown while a job of the list is not read', () => {
    expect(of(known, true)?.waiting.map(({ id }) => id)).toEqual(['other', '3'])
    const { 3: _unread, ...others } = known
    expect(of(others)).toBeNull()
  })
})

describe('a job that has failed', () => {
  const inTheSong: readonly FailureCode[] = [
    'DIGITAL_SILENCE',
    'TOO_SHORT',
    'UNREADABLE_AUDIO',
    'INVALID_SAMPLES',
    'SOURCE_LOST',
  ]

  it('is worth another try unless the song itself is what is wrong', () => {
    const worth = FAILURE_CODES.filter((failure_code) => isWorthAgain({ failure_code }))
    expect(worth).toEqual(FAILURE_CODES.filter((code) => !inTheSong.includes(code)))
    expect(isWorthAgain({})).toBe(true)
  })

  it('is repeated only while it has its song and its reference', () => {
    const repeatable = FAILURE_CODES.filter((failure_code) => isRepeatable({ status: 'failed', failure_code }, null))
    expect(repeatable).toEqual(
      FAILURE_CODES.filter((code) => ![...inTheSong, 'REFERENCE_LOST', 'REFERENCE_UNREADABLE'].includes(code)),
    )
    const done = { status: 'done' } as const
    expect([isRepeatable(done, null), isRepeatable({ ...done, expired: true }, null)]).toEqual([true, false])
    expect(isRepeatable({ ...done, expired: true }, { state: 'submitted', newest: done })).toBe(true)
  })

  it('is repeated only when nothing of it is under way', () => {
    const [done, queued] = [{ status: 'done' }, { status: 'queued' }] as const
    expect([isRepeatable(queued, null), isRepeatable(done, { state: 'submitted', newest: queued })]).toEqual([
      false,
      false,
    ])
    expect(isRepeatable(done, { state: 'waiting', newest: done })).toBe(false)
    expect(isRepeatable(done, { state: 'ready', newest: undefined })).toBe(true)
  })
})
