/** README.txt of a result: the purpose of each file, in English and Korean. Pure. */
import { type Format, formatFacts } from '../../src-contract/formats.ts'
import { platformFacts } from '../../src-contract/platforms/index.ts'
import type { ReleaseResult, Report } from '../../src-contract/report.ts'
import { LANGUAGES, type Language } from '../../src-contract/text/language.ts'
import { decibels } from '../../src-contract/text/numbers.ts'

const WORDS = {
  en: {
    upload: 'Upload this one to your distributor: one file for all services.',
    for: (names: string) => `for ${names}`,
    all: 'all services',
    same: 'the same bytes as',
    sums: 'SHA256SUMS has the checksum of every file; report.html shows what was done and measured.',
  },
  ko: {
    upload: '유통사에는 이 파일을 올리세요. 모든 서비스에 쓰는 파일 하나예요.',
    for: (names: string) => `${names}용`,
    all: '모든 서비스',
    same: '다음과 같은 파일:',
    sums: 'SHA256SUMS에 모든 파일의 체크섬이 있고, 무엇을 하고 측정했는지는 report.html에 있어요.',
  },
} as const satisfies Readonly<Record<Language, object>>

/** One file and its purpose. */
interface Line {
  readonly file: string
  readonly names: readonly string[]
  readonly facts: string
  readonly sameAs: readonly string[]
}

/** Returns the text, which names every sound file of the result once, with all that it is for. */
export function readmeText(report: Report): string {
  return `${LANGUAGES.map((language) => sectionOf(report, language)).join('\n\n')}\n`
}

function sectionOf(report: Report, language: Language): string {
  const say = WORDS[language]
  const lines = linesOf(report, language).map(({ file, names, facts, sameAs }) => {
    const others = sameAs.length === 0 ? '' : `; ${say.same} ${sameAs.join(', ')}`
    return `${file}\n    ${say.for(names.join(', '))} · ${facts}${others}`
  })
  const { release } = report
  return [
    report.artist ? `${report.artist} · ${report.title}` : report.title,
    '',
    ...(release ? [`${release.result.file}\n    ${say.upload}`, ''] : []),
    ...lines,
    '',
    say.sums,
  ].join('\n')
}

function linesOf({ masters, release }: Report, language: Language): Line[] {
  const all = [
    ...masters.map(({ result }) => ({ result, name: platformFacts(result.platform).name[language] })),
    ...(release ? [{ result: release.result, name: WORDS[language].all }] : []),
  ]
  const fileNames = new Map(masters.map(({ result }) => [result.platform, result.file]))
  const lines = new Map<string, Line>()
  const add = (file: string, name: string, facts: string, sameAs: readonly string[]) => {
    const known = lines.get(file)
    lines.set(file, { file, names: [...(known?.names ?? []), name], facts, sameAs: known?.sameAs ?? sameAs })
  }
  for (const { result, name } of all) {
    const others = (result.same_bytes_as ?? []).map((platform) => fileNames.get(platform)!)
    add(
      result.file,
      name,
      wavFacts(result),
      others.filter((other) => other !== result.file),
    )
    for (const made of result.files ?? []) {
      if (made.file !== result.file) add(made.file, name, formatFactsOf(made), [])
    }
  }
  return [...lines.values()]
}

function levels({
  integrated_lufs,
  true_peak_dbtp,
}: Pick<ReleaseResult, 'integrated_lufs' | 'true_peak_dbtp'>): string {
  return `${decibels(integrated_lufs, 1)} LUFS, ${decibels(true_peak_dbtp, 1)} dBTP`
}

function wavFacts(result: Pick<ReleaseResult, 'bit_depth' | 'sample_rate_hz' | 'integrated_lufs' | 'true_peak_dbtp'>) {
  return `WAV ${result.bit_depth} bit ${result.sample_rate_hz / 1000} kHz · ${levels(result)}`
}

function formatFactsOf(
  made: Pick<ReleaseResult, 'sample_rate_hz' | 'integrated_lufs' | 'true_peak_dbtp'> & { readonly format: Format },
) {
  const { name, rateHz } = formatFacts(made.format)
  return `${name}${rateHz === undefined ? ` ${made.sample_rate_hz / 1000} kHz` : ''} · ${levels(made)}`
}
