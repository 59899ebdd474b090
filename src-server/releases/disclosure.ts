/** The AI disclosure sheet of a release: traces in its sources, the effect of mastering, and the artist's statements. Pure. */
import { isDeepStrictEqual } from 'node:util'
import { cleanName } from '../../src-contract/clean-name.ts'
import {
  DISCLOSURE_CATEGORIES,
  type Disclosure,
  type DisclosureCategory,
  type DisclosureChange,
  type DisclosureSheet,
  type DisclosureStatement,
  type ReleaseDisclosure,
  type ReleaseDisclosureChange,
  type SourceTrace,
} from '../../src-contract/disclosure.ts'
import { disclosureAnswers, isArtworkTagged, trackDisclosure } from '../../src-contract/disclosure-answers.ts'
import {
  ARTWORK_WORDS,
  CATEGORY_WORDS,
  type FormAnswer,
  formSheets,
  SHEET_WORDS,
  USE_WORDS,
} from '../../src-contract/text/disclosure.ts'
import type { Language } from '../../src-contract/text/language.ts'
import { escapeHtml } from '../../src-worker/result/escape-html.ts'
import { PAGE_STYLE, page } from './page.ts'

/** Categories that a generator of songs may have made. */
const BY_GENERATORS: readonly DisclosureCategory[] = ['vocals', 'instrumentation', 'composition', 'lyrics']

/** Categories proposed as made by the generator that a source names: no file tells who wrote the lyrics. */
const PROPOSED: readonly DisclosureCategory[] = ['vocals', 'instrumentation', 'composition']

/** Returns the statements on `subjects` after a change: null removes one. */
export function changedDisclosure(
  subjects: readonly (keyof ReleaseDisclosure)[],
  statements: ReleaseDisclosure = {},
  change: ReleaseDisclosureChange = {},
): ReleaseDisclosure {
  const changed = { ...statements, ...change }
  return Object.fromEntries(
    subjects.flatMap((subject) => {
      const statement = changed[subject]
      return statement ? [[subject, cleanStatement(statement)]] : []
    }),
  )
}

function cleanStatement({ use, ...texts }: DisclosureStatement): DisclosureStatement {
  const given = (['tools', 'model', 'note'] as const).flatMap((name) => {
    const text = cleanName(texts[name] ?? '')
    return text === '' ? [] : [[name, text]]
  })
  return { use, ...Object.fromEntries(given) }
}

/** Returns changed statements on a track; statements that repeat the release's are removed, since a table has both in one cell. */
export function beyondRelease(change: DisclosureChange, ofRelease: ReleaseDisclosure = {}): DisclosureChange {
  const entries = DISCLOSURE_CATEGORIES.flatMap((category) => {
    const statement = change[category]
    const isOwn = !isDeepStrictEqual(statement, ofRelease[category])
    return statement === undefined ? [] : [[category, isOwn ? statement : null]]
  })
  return Object.fromEntries(entries)
}

/** Returns the statements that the source of a track suggests where `stated` has none. */
function proposalsFrom({ generator, model }: SourceTrace, stated: Disclosure): Disclosure {
  if (generator === undefined) return {}
  const statement = { use: 'generated' as const, tools: generator, ...(model === undefined ? {} : { model }) }
  const open = PROPOSED.filter((category) => stated[category] === undefined)
  return Object.fromEntries(open.map((category) => [category, statement]))
}

/** Returns the sheet. */
export function disclosureSheet(
  { artwork, ...statements }: ReleaseDisclosure = {},
  sources: readonly SourceTrace[],
  program: string,
  tracks: readonly { readonly title: string; readonly disclosure?: Disclosure }[] = [],
): DisclosureSheet {
  const generators = [...new Set(sources.flatMap(({ generator }) => generator ?? []))]
  return {
    categories: DISCLOSURE_CATEGORIES.map((category) => ({
      category,
      ...(statements[category] ?? { use: 'not_stated' as const }),
      found: BY_GENERATORS.includes(category) ? generators : [],
    })),
    tracks: tracks.map(({ title, disclosure }, index) => {
      const own = trackDisclosure(statements, disclosure)
      const trace = sources.find(({ track }) => track === index + 1)
      const proposals = trace ? proposalsFrom(trace, own) : {}
      return {
        ...{ track: index + 1, title, statements: own },
        ...(Object.keys(proposals).length > 0 ? { proposals } : {}),
        answers: disclosureAnswers(own),
      }
    }),
    artwork: { ...(artwork ?? { use: 'not_stated' as const }), apple: isArtworkTagged(artwork) },
    sources: [...sources],
    mastering: { program, generative_ai: false },
  }
}

/** Returns the sheet as part of a page. */
export function sheetHtml(sheet: DisclosureSheet, language: Language): string {
  const { categories, tracks = [], artwork, sources, mastering } = sheet
  const say = SHEET_WORDS[language]
  const subjects = [
    ...categories.map((one) => ({ ...one, words: CATEGORY_WORDS[one.category] })),
    ...(artwork ? [{ ...artwork, found: [], words: ARTWORK_WORDS }] : []),
  ]
  const rows = subjects.map(({ use, found, words: { name, about }, ...texts }) => {
    const hint = use === 'not_stated' && found.length > 0 ? `<br>${escapeHtml(say.found(found.join(', ')))}` : ''
    return `<tr><th scope="row">${name[language]}<small>${about[language]}</small></th><td>${stateHtml({ use, ...texts }, language)}${hint}</td></tr>`
  })
  const heads = DISCLOSURE_CATEGORIES.map(
    (category) => `<th scope="col">${CATEGORY_WORDS[category].name[language]}</th>`,
  )
  const byTrack = tracks.map(({ track, title, statements }) => {
    const cells = DISCLOSURE_CATEGORIES.map((category) => {
      const statement = statements[category] ?? { use: 'not_stated' as const }
      return `<td>${stateHtml(statement, language)}</td>`
    })
    return `<tr><th scope="row">${track}. ${escapeHtml(title)}</th>${cells.join('')}</tr>`
  })
  const forms = formSheets(sheet, language).map(({ name, about, release, tracks: ofTracks }) => {
    const answers = [
      ...(release.length > 0 ? [answersHtml(say.release, release)] : []),
      ...ofTracks.map((one) => answersHtml(`${one.track}. ${escapeHtml(one.title)}`, one.answers)),
    ]
    return `<h3>${name}</h3><p class="note">${about}</p><table>${answers.join('')}</table>`
  })
  const traces = sources.map((source) => {
    const generator = source.generator === undefined ? say.noTrace : `<strong>${escapeHtml(source.generator)}</strong>`
    const evidence = source.evidence === undefined ? '' : `<br><code>${escapeHtml(source.evidence)}</code>`
    const manifest = source.has_c2pa_manifest
      ? `<br>${escapeHtml(say.manifest(source.c2pa_claim_generator, source.c2pa_carried_on))}`
      : ''
    const file = source.filename === undefined ? '' : `<small>${escapeHtml(source.filename)}</small>`
    return `<tr><th scope="row">${source.track}. ${escapeHtml(source.title)}${file}</th><td>${generator}${evidence}${manifest}</td></tr>`
  })
  const isOpen = subjects.some(({ use }) => use === 'not_stated')
  return [
    `<h3>${say.statements}</h3>${isOpen ? `<p class="note">${say.open}</p>` : ''}<table>${rows.join('')}</table>`,
    ...(tracks.length > 0
      ? [
          `<h3>${say.byTrack}</h3><div class="scroll"><table><thead><tr><th scope="col">${say.track}</th>${heads.join('')}</tr></thead><tbody>${byTrack.join('')}</tbody></table></div>`,
          `<h2>${say.forms}</h2>${forms.join('')}`,
        ]
      : []),
    `<h3>${say.mastering}</h3><p>${escapeHtml(say.masteredBy(mastering.program))}</p>`,
    `<h3>${say.sources}</h3><table>${traces.join('')}</table>`,
  ].join('\n')
}

type ShownStatement = Omit<DisclosureSheet['categories'][number], 'category' | 'found'>

function stateHtml({ use, tools, model, note }: ShownStatement, language: Language): string {
  const made = [tools, model].filter((text) => text !== undefined).join(' ')
  const told = [made, note].flatMap((text) => (text ? [`<br>${escapeHtml(text)}`] : []))
  return `<span class="${use === 'not_stated' ? 'open' : 'stated'}">${USE_WORDS[use][language]}</span>${told.join('')}`
}

function answersHtml(head: string, answers: readonly FormAnswer[]): string {
  const cells = answers.map(({ question, answer, isStated }) => {
    return `${question}: <span class="${isStated ? 'stated' : 'open'}">${answer}</span>`
  })
  return `<tr><th scope="row">${head}</th><td>${cells.join('<br>')}</td></tr>`
}

/** Returns ai-disclosure.html: one page that needs no other file and can be printed and signed. */
export function disclosurePage(
  sheet: DisclosureSheet,
  { title, artist }: { readonly title: string; readonly artist: string },
  language: Language,
): string {
  const say = SHEET_WORDS[language]
  const head = `<header><p class="kind">${say.heading}</p><h1>${escapeHtml(title)}</h1><p class="by">${escapeHtml(artist)}</p></header>`
  const sign = `<p class="sign">${say.signature}</p>`
  return page({
    language,
    title: `${say.heading}: ${title}`,
    style: PAGE_STYLE,
    body: `${head}<section>${sheetHtml(sheet, language)}</section>${sign}`,
  })
}
