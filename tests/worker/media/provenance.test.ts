/** Traces of generators in songs. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { SongTags } from '../../../src-worker/media/audio-facts.ts'
import { claimGeneratorIn, generatorIn, madeWith, readClaimGenerator } from '../../../src-worker/media/provenance.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const traces: readonly [tags: SongTags, generator: string | undefined][] = [
  [{ comment: 'made by suno; created=2026-01-17T05:59:17Z' }, 'Suno'],
  [{ artist: 'Udio' }, 'Udio'],
  [{ other: { website: 'https://www.udio.com/songs/1' } }, 'Udio'],
  [{ other: { encoded_by: 'ElevenLabs Music' } }, 'ElevenLabs'],
  [{ comment: 'Lyria 2' }, 'Google Lyria'],
  // Title, artist and subject of a song are not traces.
  [{ title: 'Suno', album: 'Udio', other: { lyrics: 'made by suno' } }, undefined],
  [{ artist: 'Suno Kim', comment: 'my first song' }, undefined],
  [{}, undefined],
]

test.each(traces)('%o', (tags, generator) => {
  expect(generatorIn(tags)?.generator).toBe(generator)
})

test('the evidence is the tag with its text', () => {
  expect(generatorIn(traces[0]![0])?.evidence).toBe('comment: made by suno; created=2026-01-17T05:59:17Z')
  expect(generatorIn({ comment: `suno ${'x'.repeat(500)}` })?.evidence).toHaveLength(160)
})

test.each([
  ['made with suno v4.5-plus', 'v4.5-plus'],
  ['Udio v1.5; seed=9', 'v1.5'],
  ['ACE-Step 1.5', '1.5'],
  ['made with suno studio; model=chirp-v5; created=2026', 'chirp-v5'],
  ['https://suno.com/song/12ab', undefined],
  ['suno 2026-01-17', undefined],
  ['made by suno; created=2026-01-17', undefined],
])('the model in “%s” is %s', (comment, model) => {
  expect(generatorIn({ comment })).toMatchObject({ evidence: `comment: ${comment}` })
  expect(generatorIn({ comment })?.model).toBe(model)
})

/** A text of CBOR. */
const cbor = (text: string) => {
  const bytes = Buffer.from(text)
  return Buffer.concat([Buffer.from(bytes.length < 24 ? [0x60 + bytes.length] : [0x78, bytes.length]), bytes])
}

test('the maker of a C2PA manifest is read from its claim, in both versions of it', async () => {
  const first = Buffer.concat([
    Buffer.from([0xa2]),
    cbor('claim_generator'),
    cbor('Google_Lyria/2.0 c2pa-rs/0.40 long'),
  ])
  const second = Buffer.concat([
    ...[cbor('claim_generator_info'), Buffer.from([0xa2]), cbor('name'), cbor('Suno'), cbor('version'), cbor('5')],
  ])
  expect([first, second].map(claimGeneratorIn)).toEqual(['Google_Lyria/2.0 c2pa-rs/0.40 long', 'Suno'])
  expect(claimGeneratorIn(Buffer.concat([cbor('claim_generator'), Buffer.from([0x01])]))).toBeUndefined()
  expect(claimGeneratorIn(Buffer.from('claim_generator'))).toBeUndefined()
  const file = path.join(temporaryFolder(onTestFinished), 'song.mp3')
  writeFileSync(file, Buffer.concat([Buffer.alloc(2_000_000), second, Buffer.alloc(100)]))
  expect(await readClaimGenerator(file)).toBe('Suno')
})

test('the service is that of the tags, else that of the manifest, and no other generator', () => {
  const services = [
    { tags: traces[0]![0] },
    { tags: { artist: 'Udio' }, claimGenerator: 'Suno' },
    { tags: {}, claimGenerator: 'Eleven_Labs/1.0 c2pa-rs/0.40' },
    { tags: { comment: 'Lyria 2' } },
    { tags: { title: 'Suno' }, claimGenerator: 'Adobe_Audition' },
  ].map(madeWith)
  expect(services).toEqual(['suno', 'udio', 'elevenlabs', undefined, undefined])
})
