/** Files of known faults against the rules of every receiver: the table was made by hand, from the receivers' own pages. */
import { expect, test } from 'vitest'
import { checkDelivery } from '../../src-contract/distributors/check.ts'
import { DISTRIBUTORS, distributorProfile } from '../../src-contract/distributors/index.ts'
import type { DeliveredRelease, FileFacts, RuleName } from '../../src-contract/distributors/rules.ts'

const COVER = { widthPx: 3000, heightPx: 3000, colorModel: 'rgb', mediaType: 'image/jpeg' } as const
/** A master without faults: 16 bit at 44.1 kHz, plain WAV without tags. */
const CD: FileFacts = {
  ...{ fileName: 'Night_Bus.wav', title: 'Night Bus', type: 'wav', formatCode: 1, hasBytesAfterAudio: false },
  ...{ hasTags: false, bitDepth: 16, sampleRateHz: 44_100, channels: 2, durationSeconds: 200 },
  ...{ silenceStartSeconds: 0.1, silenceEndSeconds: 0.8, integratedLufs: -14, truePeakDbtp: -1.2 },
  ...{ truePeakAfterRateDbtp: -1.2, truePeakAfterCodecDbtp: -0.4 },
}
const FLAC = { type: 'flac', fileName: 'Night_Bus.flac', formatCode: null } as const
const LOSSY = { formatCode: null, bitDepth: null, hasTags: true }

const FILES: Readonly<Record<string, Partial<FileFacts>>> = {
  cd: {},
  wav_24_96: { bitDepth: 24, sampleRateHz: 96_000 },
  wav_24_88: { bitDepth: 24, sampleRateHz: 88_200 },
  wav_24_48_tags: { bitDepth: 24, sampleRateHz: 48_000, hasTags: true },
  flac_24_44: { ...FLAC, bitDepth: 24 },
  flac_16_44_tags: { ...FLAC, hasTags: true },
  mp3: { ...LOSSY, type: 'mp3', fileName: 'Night_Bus.mp3' },
  m4a: { ...LOSSY, type: 'm4a', fileName: 'Night_Bus.m4a' },
  wav_16_22: { sampleRateHz: 22_050 },
  wav_8_44: { bitDepth: 8 },
  float_48: { bitDepth: 32, formatCode: 3, sampleRateHz: 48_000 },
  mono: { channels: 1 },
  extensible: { formatCode: 0xfffe },
  tags_after_data: { hasBytesAfterAudio: true, hasTags: true },
  rest_start_12: { silenceStartSeconds: 12 },
  rest_end_7: { silenceEndSeconds: 7 },
  rest_end_11: { silenceEndSeconds: 11 },
  single_20_s: { durationSeconds: 20 },
  peak_0_1: { truePeakDbtp: -0.1 },
  name_ampersand: { fileName: 'Night & Bus.wav' },
  name_number: { fileName: '01.wav' },
}

const COVERS: Readonly<Record<string, DeliveredRelease['cover']>> = {
  cmyk: { ...COVER, colorModel: 'cmyk' },
  png: { ...COVER, mediaType: 'image/png' },
  px_1200: { ...COVER, widthPx: 1200, heightPx: 1200 },
  px_7000: { ...COVER, widthPx: 7000, heightPx: 7000 },
  none: null,
}

/** Letters of the table. */
const LETTERS: Readonly<Partial<Record<RuleName, string>>> = {
  ...{ file_type: 'T', bit_depth: 'B', sample_rate: 'R', least_sample_rate: 'R', channels: 'C', format_code: 'F' },
  ...{ chunk_order: 'K', no_tags: 'G', silence_start: 'S', silence_end: 'E', length: 'L', mean_length: 'A' },
  ...{ name_characters: 'N', name_without: 'W', name_of_title: 'M', true_peak: 'P' },
  ...{ cover: 'V', cover_type: 'Y', cover_color: 'O' },
}

/** Rules that a file breaks, by receiver: a dot for none, and for a receiver whose pages say nothing of it. */
const TABLE = `
                spotify apple distrokid tunecore cd_baby landr united amuse ditto routenote symphonic audiomaze omziki mymband nepcine melabel catapult sundesire
cd              .       .     .         .        .       .     .      .     .     .         .         .         .      .       .       .       .        .
wav_24_96       .       .     .         .        BR      .     .      .     .     .         .         R         .      .       .       BR      .        .
wav_24_88       .       .     .         .        BR      .     .      .     .     .         .         R         .      .       .       BR      R        .
wav_24_48_tags  .       .     .         .        BR      .     .      .     .     .         G         GR        .      .       .       BR      .        .
flac_24_44      .       .     .         .        B       .     .      .     T     .         .         .         .      .       .       BT      T        .
flac_16_44_tags .       .     .         .        .       .     .      .     T     .         G         G         .      .       .       T       T        .
mp3             T       T     .         .        .       .     .      .     .     .         GT        GT        T      T       T       T       T        T
m4a             T       T     .         .        T       .     .      .     T     T         GT        GT        T      T       T       T       T        T
wav_16_22       R       R     R         .        R       .     .      .     .     .         R         R         R      R       R       R       R        R
wav_8_44        B       B     B         .        B       .     .      .     .     .         B         B         B      B       B       B       B        B
float_48        F       B     B         .        BR      .     .      .     .     .         B         BR        .      .       .       BR      B        .
mono            C       C     .         .        C       .     .      .     .     .         C         C         C      C       C       C       C        .
extensible      F       .     .         .        .       .     .      .     .     .         .         .         .      .       .       .       .        .
tags_after_data K       .     .         .        .       .     .      .     .     .         G         G         .      .       .       .       .        .
rest_start_12   .       .     .         .        .       .     .      .     .     .         .         S         S      .       .       .       .        .
rest_end_7      .       .     .         .        .       .     .      .     .     .         .         .         .      .       .       .       .        E
rest_end_11     .       .     .         .        .       .     .      .     .     .         .         E         E      E       E       .       .        E
single_20_s     .       .     .         .        .       .     .      .     .     .         .         .         L      L       L       L       .        L
peak_0_1        P       P     .         .        .       .     .      .     .     .         .         .         .      .       .       .       .        P
name_ampersand  .       .     .         .        N       .     .      .     .     .         .         .         .      .       .       .       .        W
name_number     .       .     .         .        .       .     .      .     .     .         .         .         M      M       M       .       .        .
cmyk            O       .     O         .        .       .     .      .     .     .         .         .         .      .       .       .       .        O
png             .       .     Y         .        .       .     .      .     .     .         .         .         .      .       .       .       .        Y
px_1200         .       .     .         .        .       V     .      .     V     .         .         .         .      .       .       .       .        V
px_7000         .       .     .         .        .       V     .      .     .     .         .         .         .      .       .       .       .        .
none            V       .     V         .        .       V     .      .     V     .         .         .         .      .       .       .       .        V`
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split(/ +/))

test.each(TABLE)('%s breaks the rules that the pages of the receivers say it breaks', (name, ...wanted) => {
  const file = { ...CD, ...FILES[name] }
  const release: DeliveredRelease = { kind: 'single', cover: name in COVERS ? COVERS[name]! : COVER }
  const broken = DISTRIBUTORS.map((receiver) =>
    checkDelivery(distributorProfile(receiver), release, [file])
      // Our advice has no page.
      .filter(({ outcome, read }) => outcome === 'remedy' && read !== undefined)
      .map(({ rule }) => LETTERS[rule])
      .sort()
      .join(''),
  )
  expect(broken.map((one) => one || '.')).toEqual(wanted)
})

test('the table has every file, cover and receiver', () => {
  expect(TABLE.map(([name]) => name)).toEqual([...Object.keys(FILES), ...Object.keys(COVERS)])
  expect(TABLE.every((row) => row.length === DISTRIBUTORS.length + 1)).toBe(true)
})
