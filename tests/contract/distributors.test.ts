/** Rules of receivers: for each a delivery that keeps them all, and for every rule one that breaks it and nothing else. */
import { describe, expect, test } from 'vitest'
import { unpublishedRules } from '../../src-contract/distributors/advice.ts'
import { ageInDays, isStale } from '../../src-contract/distributors/age.ts'
import { checkDelivery } from '../../src-contract/distributors/check.ts'
import { DISTRIBUTORS, type Distributor, distributorProfile } from '../../src-contract/distributors/index.ts'
import type {
  DeliveredRelease,
  DeliveryRule,
  FileFacts,
  RemedyValues,
  RuleName,
} from '../../src-contract/distributors/rules.ts'
import { OUTCOME_WORDS, remedyText, ruleTitle } from '../../src-contract/text/delivery.ts'
import { LANGUAGES } from '../../src-contract/text/language.ts'

interface Delivery {
  readonly release: DeliveredRelease
  readonly file: FileFacts
}

const COVER = { widthPx: 3000, heightPx: 3000, colorModel: 'rgb', mediaType: 'image/jpeg' } as const
const SINGLE: DeliveredRelease = { kind: 'single', cover: COVER }
const CD: FileFacts = {
  ...{ fileName: '01_Night_Bus.wav', title: 'Night Bus', type: 'wav', formatCode: 1, hasBytesAfterAudio: false },
  ...{ hasTags: false, bitDepth: 16, sampleRateHz: 44_100, channels: 2, durationSeconds: 200 },
  ...{ silenceStartSeconds: 0.2, silenceEndSeconds: 1, integratedLufs: -14, truePeakDbtp: -1.2 },
  ...{ truePeakAfterRateDbtp: -1.1, truePeakAfterCodecDbtp: -0.3 },
}
const HIGH: Partial<FileFacts> = { bitDepth: 24, sampleRateHz: 96_000, hasTags: true }
const FLAC: Partial<FileFacts> = { ...HIGH, type: 'flac', formatCode: null, fileName: '01_Night_Bus.flac' }
const KOREAN: Partial<FileFacts> = { fileName: '01 밤 버스.wav', title: '밤 버스' }

/** For each receiver a file that differs from a tagless CD one as far as its rules allow. */
const TAKEN: Readonly<Record<Distributor, Partial<FileFacts>>> = {
  spotify_delivery: { ...FLAC, bitDepth: 32 },
  distrokid: { ...FLAC, ...KOREAN, channels: 1 },
  tunecore: { ...HIGH, bitDepth: 8, sampleRateHz: 8_000, truePeakDbtp: 0 },
  landr: { ...HIGH, durationSeconds: 1 },
  unitedmasters: { ...HIGH, silenceEndSeconds: 60 },
  amuse: { ...HIGH, silenceStartSeconds: 60 },
  ditto: { ...HIGH, ...KOREAN },
  routenote: { ...FLAC, bitDepth: 32 },
  apple_music_delivery: { ...HIGH, ...KOREAN, hasBytesAfterAudio: true },
  cd_baby: { hasTags: true, silenceEndSeconds: 60 },
  symphonic: { ...FLAC, ...KOREAN, hasTags: false },
  audiomaze: {
    ...FLAC,
    ...KOREAN,
    sampleRateHz: 44_100,
    hasTags: false,
    silenceStartSeconds: 10,
    silenceEndSeconds: 10,
  },
  omziki: { ...FLAC, silenceStartSeconds: 10, durationSeconds: 30.1 },
  musicmyband: { ...HIGH, ...KOREAN, silenceStartSeconds: 30 },
  nepcine: { ...HIGH, silenceEndSeconds: 10 },
  melabel: { ...KOREAN, hasTags: true, durationSeconds: 30 },
  catapult: { ...HIGH, ...KOREAN, silenceEndSeconds: 60 },
  sundesire: { ...FLAC, silenceEndSeconds: 5, channels: 1, durationSeconds: 30, truePeakDbtp: -0.3 },
}

/** The smallest change that breaks a rule of each kind, with the values of its remedy. */
const BREAKS: {
  readonly [Name in RuleName]: (
    rule: Extract<DeliveryRule, { readonly rule: Name }>,
    taken: Delivery,
  ) => {
    readonly file?: Partial<FileFacts>
    readonly release?: Partial<DeliveredRelease>
    readonly values: RemedyValues
  }
} = {
  file_type: ({ types }) => ({
    file: { type: 'ogg' as 'mp3', formatCode: null },
    values: { found: 'ogg', wanted: types.filter((type) => type === 'wav' || type === 'flac').join(', ') },
  }),
  bit_depth: ({ depths }) => ({ file: { bitDepth: 8 }, values: { found: 8, wanted: depths.join(', ') } }),
  sample_rate: ({ ratesHz }) => ({
    file: { sampleRateHz: 88_200 },
    values: { foundHz: 88_200, wantedHz: ratesHz.join(', ') },
  }),
  least_sample_rate: ({ leastHz }) => ({
    file: { sampleRateHz: leastHz - 1 },
    values: { foundHz: leastHz - 1, wantedHz: leastHz },
  }),
  channels: ({ count }) => ({ file: { channels: 1 }, values: { found: 1, wanted: count } }),
  format_code: () => ({ file: { type: 'wav', formatCode: 0xfffe }, values: {} }),
  chunk_order: () => ({ file: { type: 'wav', formatCode: 1, hasBytesAfterAudio: true }, values: {} }),
  no_tags: () => ({ file: { hasTags: true }, values: {} }),
  silence_start: ({ mostSeconds }) => ({
    file: { silenceStartSeconds: mostSeconds + 0.1 },
    values: { foundSeconds: mostSeconds + 0.1, most: mostSeconds },
  }),
  silence_end: ({ mostSeconds }) => ({
    file: { silenceEndSeconds: mostSeconds + 0.1 },
    values: { foundSeconds: mostSeconds + 0.1, most: mostSeconds },
  }),
  length({ leastSeconds, isMore }) {
    const foundSeconds = isMore ? leastSeconds : leastSeconds - 0.1
    return { file: { durationSeconds: foundSeconds }, values: { foundSeconds, leastSeconds } }
  },
  mean_length: ({ leastSeconds }) => ({
    file: { durationSeconds: leastSeconds - 0.1 },
    release: { kind: 'album' },
    values: { foundSeconds: leastSeconds - 0.1, leastSeconds },
  }),
  name_characters: () => ({ file: { fileName: '01 Night Bus.wav' }, values: {} }),
  name_without: ({ characters }) => ({
    file: { fileName: `Night${characters[0]}Bus.wav` },
    values: { found: characters[0]! },
  }),
  name_of_title: (_, { file }) => ({ file: { fileName: '01.wav' }, values: { title: file.title } }),
  loudness: ({ leastLufs, mostLufs }) => ({
    file: { integratedLufs: leastLufs - 0.1 },
    values: { integratedLufs: leastLufs - 0.1, leastLufs, mostLufs },
  }),
  true_peak: ({ mostDbtp }) => ({
    file: { truePeakDbtp: mostDbtp + 0.1 },
    values: { truePeakDbtp: mostDbtp + 0.1, most: mostDbtp },
  }),
  true_peak_after_rate: ({ mostDbtp }) => ({
    file: { truePeakAfterRateDbtp: mostDbtp + 0.1 },
    values: { truePeakDbtp: mostDbtp + 0.1, most: mostDbtp },
  }),
  true_peak_after_codec: ({ mostDbtp }) => ({
    file: { truePeakAfterCodecDbtp: mostDbtp + 0.1 },
    values: { truePeakDbtp: mostDbtp + 0.1, most: mostDbtp },
  }),
  cover: ({ leastPx }) => ({
    release: { cover: { ...COVER, widthPx: leastPx - 1, heightPx: leastPx - 1 } },
    values: { widthPx: leastPx - 1, heightPx: leastPx - 1, wantedPx: leastPx },
  }),
  cover_type: ({ types }) => ({
    release: { cover: { ...COVER, mediaType: 'image/webp' as 'image/png' } },
    values: { found: 'image/webp', wanted: types.join(', ') },
  }),
  cover_color: () => ({
    release: { cover: { ...COVER, colorModel: 'cmyk' } },
    values: { colorModel: 'cmyk' },
  }),
}

const takenBy = (distributor: Distributor): Delivery => ({ release: SINGLE, file: { ...CD, ...TAKEN[distributor] } })
const checked = (distributor: Distributor, { release, file }: Delivery, ...more: FileFacts[]) =>
  checkDelivery(distributorProfile(distributor), release, [file, ...more])

describe.each(DISTRIBUTORS)('%s', (distributor) => {
  const { rules } = distributorProfile(distributor)

  test('takes a delivery that keeps its rules', () => {
    const checks = checked(distributor, takenBy(distributor))
    expect(checks.filter(({ outcome }) => outcome !== 'pass')).toEqual([])
    expect(checks.map(({ rule }) => rule)).toEqual(rules.map(({ rule }) => rule))
  })

  test.each(rules)('tells the remedy where $rule alone is broken', (rule) => {
    const taken = takenBy(distributor)
    const breaks = BREAKS[rule.rule] as (rule: DeliveryRule, taken: Delivery) => ReturnType<(typeof BREAKS)[RuleName]>
    const { file = {}, release = {}, values } = breaks(rule, taken)
    const broken = { release: { ...taken.release, ...release }, file: { ...taken.file, ...file } }
    const found = checked(distributor, broken).filter(({ outcome }) => outcome !== 'pass')
    const remedy =
      Object.keys(file).length > 0 && rule.rule !== 'mean_length' ? { file: broken.file.fileName, values } : { values }
    expect(found).toMatchObject([
      { rule: rule.rule, source: rule.source, confidence: rule.confidence, outcome: 'remedy', remedies: [remedy] },
    ])
  })

  test('gives every rule a source and the day when it was read, once, and says what was found nowhere', () => {
    const own = rules.filter(({ confidence, read }) => confidence === 'published' || read !== undefined)
    expect(new Set(rules.map(({ rule }) => rule)).size).toBe(rules.length)
    for (const { source } of rules) expect(source.length).toBeGreaterThan(10)
    for (const { read, dated = read } of own) expect([read, dated].join()).toMatch(/^(\d{4}-\d{2}-\d{2},?){2}$/)
    for (const { url } of own) if (url !== undefined) expect(new URL(url).protocol).toMatch(/^https?:$/)
    const unpublished = unpublishedRules(distributorProfile(distributor))
    expect(own.map(({ rule }) => rule).filter((rule) => unpublished.includes(rule))).toEqual([])
    expect(own.length + unpublished.length).toBeGreaterThanOrEqual(9)
  })
})

test('a rule is old 180 days after its page was written or read, and advice never is', () => {
  const day = (text: string) => Date.parse(text)
  const read = { source: 'a page', read: '2026-11-29', confidence: 'published' } as const
  expect([day('2027-05-28'), day('2027-05-29')].map((nowMs) => [ageInDays(read, nowMs), isStale(read, nowMs)])).toEqual(
    [
      [180, false],
      [181, true],
    ],
  )
  expect(isStale({ ...read, dated: '2019-03-28' }, day('2026-11-30'))).toBe(true)
  expect([ageInDays(read, day('2026-11-01')), isStale({ ...read, read: '2027-01-01' }, day('2026-11-29'))]).toEqual([
    0,
    false,
  ])
  const { read: _, ...advice } = read
  expect(isStale(advice, day('2099-01-01'))).toBe(false)
})

test('a louder file may peak less on Spotify, and a single is longer than an album’s tracks at some distributors', () => {
  const peak = (truePeakDbtp: number, integratedLufs: number) =>
    checked('spotify_delivery', { release: SINGLE, file: { ...CD, truePeakDbtp, integratedLufs } }).find(
      ({ rule }) => rule === 'true_peak',
    )
  expect([peak(-1, -14), peak(-1, -13.9), peak(-2, -13.9)].map((check) => check?.outcome)).toEqual([
    'pass',
    'remedy',
    'pass',
  ])
  const short = { ...CD, durationSeconds: 29 }
  const length = (kind: DeliveredRelease['kind']) =>
    checked('omziki', { release: { ...SINGLE, kind }, file: short }).find(({ rule }) => rule === 'length')?.outcome
  expect([length('single'), length('ep')]).toEqual(['remedy', 'pass'])
})

test('what was not measured is neither kept nor broken, unless another file breaks it', () => {
  const unknown = { ...CD, fileName: '02_Night_Bus.wav', silenceEndSeconds: null }
  const ending = (...files: FileFacts[]) =>
    checkDelivery(distributorProfile('omziki'), SINGLE, files).find(({ rule }) => rule === 'silence_end')
  expect(ending(CD, unknown)).toMatchObject({ outcome: 'not_measured', remedies: [] })
  expect(ending(unknown, { ...CD, silenceEndSeconds: 11 })).toMatchObject({
    outcome: 'remedy',
    remedies: [{ file: CD.fileName }],
  })
  const measures = {
    ...{ silenceStartSeconds: null, silenceEndSeconds: null, integratedLufs: null, truePeakDbtp: null, bitDepth: null },
    ...{ truePeakAfterRateDbtp: null, truePeakAfterCodecDbtp: null, formatCode: null },
  }
  const outcomes = checkDelivery(distributorProfile('spotify_delivery'), SINGLE, [{ ...CD, ...measures }])
  expect(outcomes.filter(({ outcome }) => outcome === 'not_measured').map(({ rule }) => rule)).toEqual([
    ...['bit_depth', 'format_code', 'true_peak', 'loudness', 'true_peak_after_rate', 'true_peak_after_codec'],
  ])
})

test('a release without a cover, or with one that is not square, is told', () => {
  const cover = (found: DeliveredRelease['cover']) =>
    checkDelivery(distributorProfile('cd_baby'), { kind: 'single', cover: found }, [CD]).flatMap(({ remedies }) =>
      remedies.map(({ values }) => values),
    )
  expect(cover(null)).toEqual([{ wantedPx: 1400 }])
  expect(cover({ ...COVER, heightPx: 2999 })).toEqual([{ widthPx: 3000, heightPx: 2999, wantedPx: 1400 }])
  const wide = checkDelivery(distributorProfile('landr'), { kind: 'single', cover: { ...COVER, widthPx: 6001 } }, [CD])
  expect(wide.flatMap(({ remedies }) => remedies.map(({ values }) => values))).toEqual([
    { widthPx: 6001, heightPx: 3000, mostPx: 6000 },
  ])
  expect(remedyText('cover', { widthPx: 6001, heightPx: 3000, mostPx: 6000 }, 'en')).toMatch(/6000 are allowed/)
})

test('every rule has a title and a remedy in both languages, with its figures', () => {
  for (const distributor of DISTRIBUTORS) {
    for (const rule of distributorProfile(distributor).rules) {
      const breaks = BREAKS[rule.rule] as (rule: DeliveryRule, taken: Delivery) => { readonly values: RemedyValues }
      for (const language of LANGUAGES) {
        const text = remedyText(rule.rule, breaks(rule, takenBy(distributor)).values, language)
        expect(text).not.toMatch(/undefined|NaN|null/)
        expect(text).toMatch(/[.]$/)
        // The title in a remedy is the artist's own.
        expect(/[가-힣]/.test(text.replace(/“.*”/, ''))).toBe(language === 'ko')
        expect(ruleTitle(rule.rule, language).length).toBeGreaterThan(1)
      }
    }
  }
  expect(remedyText('sample_rate', { foundHz: 48_000, wantedHz: '44100' }, 'en')).toBe(
    'It has 48 kHz. Export it at 44.1 kHz.',
  )
  expect(remedyText('cover', { wantedPx: 1400 }, 'ko')).toMatch(/^커버가 없어요/)
  expect(Object.keys(OUTCOME_WORDS)).toEqual(['pass', 'remedy', 'not_measured'])
})
