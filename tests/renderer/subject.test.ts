import { expect, it } from 'vitest'
import type { Job } from '../../src-contract/jobs.ts'
import { DEFAULT_SETTINGS } from '../../src-contract/settings.ts'
import { subjectOf } from '../../src-renderer/screens/stage/subject.ts'
import type { SongRow } from '../../src-renderer/state/song-rows.ts'
import { batchSong } from '../support/batch-songs.ts'

const { reference_source_id: _, ...made } = DEFAULT_SETTINGS
const job = (change: Partial<Job> = {}) =>
  ({ ...made, job_id: 'j', status: 'done', results: [], ...change }) as unknown as Job
const row = (kind: SongRow['kind'], of?: Job): SongRow => ({
  rowId: 'a',
  kind,
  song: batchSong('a', { job_ids: ['j', 'older'] }),
  ...(of ? { job: of } : {}),
})
const shown = (one: SongRow, more: Partial<Parameters<typeof subjectOf>[0]> = {}) =>
  subjectOf({ rows: [one], detail: '', shownId: 'a', common: DEFAULT_SETTINGS, soundingId: undefined, ...more })

it('is the audition of a song that is not mastered, and its masters once it is', () => {
  expect(shown(row('ready'))).toMatchObject({ kind: 'song', row: { rowId: 'a' } })
  expect(shown(row('done', job()))).toMatchObject({ kind: 'job', jobId: 'j', row: { rowId: 'a' } })
  expect(shown(row('done', job({ expired: true }))), 'its files are gone').toMatchObject({ kind: 'song' })
})

it('is the audition again once the settings have changed since, and while it sounds', () => {
  expect(shown(row('done', job({ tilt_db: 1 })))).toMatchObject({ kind: 'song' })
  expect(shown(row('done', job()), { soundingId: 'a' })).toMatchObject({ kind: 'song' })
  expect(shown(row('done', job()), { soundingId: 'b' }), 'another song sounds').toMatchObject({ kind: 'job' })
})

it('is the job of an address, in its row where it has one, with another one or the choice of it', () => {
  expect(shown(row('done', job()), { detail: 'older' })).toMatchObject({ jobId: 'older', row: { rowId: 'a' } })
  expect(shown(row('done', job()), { detail: 'x/y' })).toMatchObject({ jobId: 'x', otherId: 'y', row: null })
  expect(shown(row('done', job()), { detail: 'j/compare' })).toMatchObject({ isChoosing: true, otherId: undefined })
})

it('is the list of all songs without a song', () => {
  expect(shown(row('ready'), { shownId: undefined })).toBeNull()
})
