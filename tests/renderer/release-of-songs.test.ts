import { expect, test } from 'vitest'
import { releaseNamesOf, trackOfJob, trackOfSong } from '../../src-renderer/state/release-of-songs.ts'
import { batchSong, sourceOf } from '../support/batch-songs.ts'

const source = { ...sourceOf('a'), filename: '01 Night Bus.wav', title: '01 Night Bus' }

test('a song becomes a track with what is written about it, else with what its file says', () => {
  const metadata = { title: '첫차', artist: '하늘; Sora', composer: 'Kim; Lee', isrc: 'KRA382400001', album: '밤 버스' }
  expect(trackOfSong(batchSong('a', { source, metadata }))).toEqual({
    ...{ artist: '하늘; Sora', album: '밤 버스' },
    track: {
      ...{ source_id: 'a', title: '첫차', artists: ['하늘', 'Sora'] },
      ...{ composers: ['Kim', 'Lee'], isrc: 'KRA382400001' },
    },
  })
  const ofFile = trackOfSong(batchSong('a', { source: { ...source, artist: 'Sora' } }))
  expect(ofFile).toMatchObject({ artist: 'Sora', track: { title: 'Night Bus', artists: ['Sora'] } })
})

test('only a title that is the name of the file goes without its number', () => {
  const titleOf = (title: string) => trackOfSong(batchSong('a', { source: { ...source, title } })).track.title
  expect([titleOf('01 Night Bus'), titleOf('99 Luftballons')]).toEqual(['Night Bus', '99 Luftballons'])
  const job = { job_id: 'j', title: '02 Low Tide', filename: '02 Low Tide.mp3' }
  expect(trackOfJob(job).track).toEqual({ job_id: 'j', title: 'Low Tide' })
})

test('a release is called like the album that all its songs name, and a single like its song', () => {
  const song = (album: string | undefined, title: string, artist?: string) => ({ album, artist, track: { title } })
  expect(releaseNamesOf([song('Bus', 'a'), song('Bus', 'b', 'Sora')])).toEqual({ title: 'Bus', artist: 'Sora' })
  expect(releaseNamesOf([song('Bus', 'a'), song('Tide', 'b')])).toEqual({})
  expect(releaseNamesOf([song(undefined, 'a')])).toEqual({ title: 'a' })
})
