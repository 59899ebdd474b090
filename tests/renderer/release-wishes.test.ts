import { expect, test } from 'vitest'
import type { DisclosureSheet } from '../../src-contract/disclosure.ts'
import type { ReceiverCheck } from '../../src-contract/release-exports.ts'
import { remediesOf } from '../../src-renderer/screens/release/certificate-view.tsx'
import { proposedStatement } from '../../src-renderer/screens/release/disclosure-section.tsx'
import { wishOf } from '../../src-renderer/screens/release/export-dialog.tsx'

test('an export asks for what was chosen, and leaves the rest to the service', () => {
  const usual: Parameters<typeof wishOf>[0] = {
    ...({ platform: 'auto', isByPlatform: false, labels: 'release', naming: ' ', language: 'ko' } as const),
    ...{ hasAsciiNames: false, isZipped: false },
  }
  expect(wishOf(usual)).toEqual({ language: 'ko' })
  expect(
    wishOf({
      ...({ platform: 'release', isByPlatform: true, labels: 'none' } as const),
      ...({ naming: '{track} {title} ', language: 'en' } as const),
      ...{ hasAsciiNames: true, isZipped: true },
    }),
  ).toEqual({
    ...{ platform: 'release', by_platform: true, file_tags: 'none', naming: '{track} {title}', language: 'en' },
    ...{ ascii_names: true, zip: true },
  })
})

test('a statement is offered for what the songs name and for mastering, and for nothing else', () => {
  const sheet: DisclosureSheet = {
    categories: [
      { category: 'vocals', use: 'not_stated', found: ['Suno', 'Udio'] },
      { category: 'lyrics', use: 'not_stated', found: [] },
    ],
    sources: [],
    mastering: { program: 'Loudsmith 1', generative_ai: false },
  }
  const offered = (category: 'vocals' | 'lyrics' | 'post_production') =>
    proposedStatement(category, sheet, (program) => `by ${program}`)
  expect(offered('vocals')).toEqual({ use: 'generated', tools: 'Suno, Udio' })
  expect(offered('lyrics')).toBeUndefined()
  expect(offered('post_production')).toEqual({ use: 'none', note: 'by Loudsmith 1' })
  expect(proposedStatement('post_production', null, String)).toBeUndefined()
})

test('what is to be mended stands once for all files that lack it, what the most receivers ask for first', () => {
  const check = (remedies: readonly object[]) => ({ remedies }) as unknown as ReceiverCheck['checks'][number]
  const of = (name: string, ...remedies: object[]) => ({ name, checks: [check(remedies)] }) as unknown as ReceiverCheck
  const rate = { message: 'It has 48 kHz.' }
  expect(
    remediesOf([
      of('CD Baby', { ...rate, file: '01.wav' }, { ...rate, file: '02.wav' }),
      of('Symphonic', { ...rate, file: '01.wav' }, { message: 'There is no cover.' }),
      of('Spotify', { message: 'There is no cover.' }),
      of('melabel', { message: 'There is no cover.' }),
    ]),
  ).toEqual([
    { message: 'There is no cover.', files: [], receivers: ['Symphonic', 'Spotify', 'melabel'] },
    { message: 'It has 48 kHz.', files: ['01.wav', '02.wav'], receivers: ['CD Baby', 'Symphonic'] },
  ])
})
