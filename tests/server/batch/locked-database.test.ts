import { expect, test } from 'vitest'
import { openBatch } from './fixture.ts'

test('a song whose turn comes while another program holds the database keeps waiting and is handed over afterwards', async () => {
  const { addSong, batch, world, submitted, states, clock } = openBatch()
  const songs = ['a', 'b'].map((name) => addSong(name))
  world.outcome = () => {
    throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
  }
  batch.start(songs)
  expect(states()).toEqual(['waiting', 'waiting'])
  await clock.advance(1500)
  expect(states()).toEqual(['waiting', 'waiting'])
  world.outcome = () => 'accept'
  await clock.advance(1000)
  expect(states()).toEqual(['submitted', 'submitted'])
  expect(submitted.map(({ sourceId }) => sourceId)).toEqual(songs)
})

test('a fault at a later try ends nothing: the song keeps waiting and is handed over at the next occasion', async () => {
  const { addSong, batch, world, states, clock } = openBatch()
  const songs = [addSong('a')]
  world.outcome = () => {
    throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
  }
  batch.start(songs)
  // Any fault but a lock would be a refusal, so it is played where the song is noted as handed over.
  world.outcome = () => 'accept'
  world.breaksNotes = true
  await clock.advance(1500)
  expect(states()).toEqual(['waiting'])
  world.breaksNotes = false
  batch.feed()
  expect(states()).toEqual(['submitted'])
})
