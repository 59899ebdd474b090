/** Check of files against the rules of a receiver. Pure. */
import type { Foundation } from './foundation.ts'
import type {
  DeliveredRelease,
  DeliveryCheck,
  DeliveryRule,
  DistributorProfile,
  FileFacts,
  Remedy,
  RemedyValues,
  Requirement,
  RuleName,
} from './rules.ts'

/** Verdict on a rule: met, unknown, or broken with the values of the remedy. */
type Verdict = 'pass' | 'not_measured' | RemedyValues

type Of<Name extends RuleName> = Extract<Requirement, { readonly rule: Name }>
type FileCheck<Name extends RuleName> = (rule: Of<Name>, file: FileFacts, release: DeliveredRelease) => Verdict
type ReleaseCheck<Name extends RuleName> = (
  rule: Of<Name>,
  release: DeliveredRelease,
  files: readonly FileFacts[],
) => Verdict

const NOT_OF_FILES = ['mean_length', 'cover', 'cover_type', 'cover_color'] as const
type ReleaseRule = (typeof NOT_OF_FILES)[number]

/** Format code of plain PCM (Microsoft, mmreg.h). */
const PCM_CODE = 0x0001
/** Lossy files, which have no bit depth. */
const LOSSY: readonly string[] = ['mp3', 'm4a']

/** A lossy format is never advised. */
const lossless = (types: readonly string[]) => types.filter((type) => !LOSSY.includes(type))

const kept = (isKept: boolean, values: RemedyValues): Verdict => (isKept ? 'pass' : values)
const most = (value: number | null, limit: number, name: string): Verdict =>
  value === null ? 'not_measured' : kept(value <= limit, { [name]: value, most: limit })

const FILE_CHECKS: { readonly [Name in Exclude<RuleName, ReleaseRule>]: FileCheck<Name> } = {
  file_type: ({ types }, { type }) => kept(types.includes(type), { found: type, wanted: lossless(types).join(', ') }),
  bit_depth: ({ depths }, { bitDepth, type }) =>
    bitDepth === null
      ? LOSSY.includes(type)
        ? 'pass'
        : 'not_measured'
      : kept(depths.includes(bitDepth), { found: bitDepth, wanted: depths.join(', ') }),
  sample_rate: ({ ratesHz }, { sampleRateHz }) =>
    kept(ratesHz.includes(sampleRateHz), { foundHz: sampleRateHz, wantedHz: ratesHz.join(', ') }),
  least_sample_rate: ({ leastHz }, { sampleRateHz }) =>
    kept(sampleRateHz >= leastHz, { foundHz: sampleRateHz, wantedHz: leastHz }),
  channels: ({ count }, { channels }) => kept(channels === count, { found: channels, wanted: count }),
  format_code: (_, { type, formatCode }) =>
    type !== 'wav' ? 'pass' : formatCode === null ? 'not_measured' : kept(formatCode === PCM_CODE, {}),
  chunk_order: (_, { type, hasBytesAfterAudio }) => kept(type !== 'wav' || !hasBytesAfterAudio, {}),
  no_tags: (_, { hasTags }) => kept(!hasTags, {}),
  silence_start: ({ mostSeconds }, { silenceStartSeconds }) => most(silenceStartSeconds, mostSeconds, 'foundSeconds'),
  silence_end: ({ mostSeconds }, { silenceEndSeconds }) => most(silenceEndSeconds, mostSeconds, 'foundSeconds'),
  length({ leastSeconds, isMore, onlySingles }, { durationSeconds: foundSeconds }, { kind }) {
    const isLong = isMore ? foundSeconds > leastSeconds : foundSeconds >= leastSeconds
    return kept(isLong || (onlySingles === true && kind !== 'single'), { foundSeconds, leastSeconds })
  },
  name_characters: (_, { fileName }) => kept(/^[A-Za-z0-9_-]+$/.test(stemOf(fileName)), {}),
  name_of_title: (_, { fileName, title, plainTitle = title }) =>
    kept(
      [title, plainTitle].some((one) => bare(stemOf(fileName)).includes(bare(one))),
      { title },
    ),
  name_without({ characters }, { fileName }) {
    const found = [...characters].filter((one) => stemOf(fileName).includes(one))
    return kept(found.length === 0, { found: found.join(' ') })
  },
  loudness: ({ leastLufs, mostLufs }, { integratedLufs }) =>
    integratedLufs === null
      ? 'not_measured'
      : kept(integratedLufs >= leastLufs && integratedLufs <= mostLufs, { integratedLufs, leastLufs, mostLufs }),
  true_peak: ({ mostDbtp, loud }, { truePeakDbtp, integratedLufs }) =>
    most(truePeakDbtp, loud && (integratedLufs ?? 0) > loud.above ? loud.mostDbtp : mostDbtp, 'truePeakDbtp'),
  true_peak_after_rate: ({ mostDbtp }, { truePeakAfterRateDbtp }) =>
    most(truePeakAfterRateDbtp, mostDbtp, 'truePeakDbtp'),
  true_peak_after_codec: ({ mostDbtp }, { truePeakAfterCodecDbtp }) =>
    most(truePeakAfterCodecDbtp, mostDbtp, 'truePeakDbtp'),
}

const RELEASE_CHECKS: { readonly [Name in ReleaseRule]: ReleaseCheck<Name> } = {
  mean_length({ leastSeconds }, { kind }, files) {
    const foundSeconds = files.reduce((sum, { durationSeconds }) => sum + durationSeconds, 0) / files.length
    return kept(kind !== 'album' || files.length === 0 || foundSeconds >= leastSeconds, { foundSeconds, leastSeconds })
  },
  cover({ leastPx, mostPx }, { cover }) {
    if (!cover) return { wantedPx: leastPx }
    const { widthPx, heightPx } = cover
    if (mostPx !== undefined && Math.max(widthPx, heightPx) > mostPx) return { widthPx, heightPx, mostPx }
    return kept(widthPx === heightPx && widthPx >= leastPx, { widthPx, heightPx, wantedPx: leastPx })
  },
  cover_type: ({ types }, { cover }) =>
    cover ? kept(types.includes(cover.mediaType), { found: cover.mediaType, wanted: types.join(', ') }) : 'pass',
  // Without a cover there is nothing to convert: the rule `cover` asks for one.
  cover_color: (_, { cover }) => (cover ? kept(cover.colorModel === 'rgb', { colorModel: cover.colorModel }) : 'pass'),
}

/**
 * Returns one check for every rule of a receiver, in the order of its rules. A rule passes if every file does; each file that fails gets a
 * remedy; without files nothing is measured. Never throws.
 */
export function checkDelivery(
  { rules }: DistributorProfile,
  release: DeliveredRelease,
  files: readonly FileFacts[],
): DeliveryCheck[] {
  return rules.map((rule) => {
    const verdicts = verdictsOn(rule, release, files)
    const remedies = verdicts.flatMap(({ file, verdict }): Remedy[] =>
      typeof verdict === 'string' ? [] : [{ ...(file === undefined ? {} : { file }), values: verdict }],
    )
    const isUnknown = verdicts.length === 0 || verdicts.some(({ verdict }) => verdict === 'not_measured')
    const outcome = remedies.length > 0 ? 'remedy' : isUnknown ? 'not_measured' : 'pass'
    return { ...foundationOf(rule), rule: rule.rule, outcome, remedies }
  })
}

function verdictsOn(
  rule: DeliveryRule,
  release: DeliveredRelease,
  files: readonly FileFacts[],
): { readonly file?: string; readonly verdict: Verdict }[] {
  if (isOfRelease(rule.rule)) {
    const check = RELEASE_CHECKS[rule.rule] as ReleaseCheck<RuleName>
    return [{ verdict: check(rule, release, files) }]
  }
  const check = FILE_CHECKS[rule.rule as keyof typeof FILE_CHECKS] as FileCheck<RuleName>
  return files.map((file) => ({ file: file.fileName, verdict: check(rule, file, release) }))
}

function foundationOf({ source, url, read, dated, confidence }: DeliveryRule): Foundation {
  return { source, ...(url ? { url } : {}), ...(read ? { read } : {}), ...(dated ? { dated } : {}), confidence }
}

function isOfRelease(rule: RuleName): rule is ReleaseRule {
  return NOT_OF_FILES.some((name) => name === rule)
}

function stemOf(fileName: string): string {
  return fileName.replace(/\.[^.]*$/, '')
}

/** Returns only the letters and digits of a text, for comparing names. */
function bare(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
}
