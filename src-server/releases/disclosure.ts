/** The AI disclosure sheet of a release: traces in its sources, the effect of mastering, and the artist's statements. Pure. */

import { cleanName } from '../../src-contract/clean-name.ts'
import {
  DISCLOSURE_CATEGORIES,
  type Disclosure,
  type DisclosureCategory,
  type DisclosureChange,
  type DisclosureSheet,
  type DisclosureStatement,
  type SourceTrace,
} from '../../src-contract/disclosure.ts'
import { disclosureAnswers, trackDisclosure } from '../../src-contract/disclosure-answers.ts'
import { CATEGORY_WORDS, SHEET_WORDS, USE_WORDS } from '../../src-contract/text/disclosure.ts'
import type { Language } from '../../src-contract/text/language.ts'
import { escapeHtml } from '../../src-worker/result/escape-html.ts'
import { PAGE_STYLE, page } from './page.ts'

/** Categories that a generator of songs may have made. */
const BY_GENERATORS: readonly DisclosureCategory[] = ['vocals', 'instrumentation', 'composition', 'lyrics']

/** Returns statements after a change: null or an empty text removes one. */
export function changedDisclosure(statements: Disclosure = {}, change: DisclosureChange = {}): Disclosure {
  const changed = { ...statements, ...change }
  return Object.fromEntries(
    DISCLOSURE_CATEGORIES.flatMap((category) => {
      const statement = changed[category]
      return statement ? [[category, cleanStatement(statement)]] : []
    }),
  )
}

function cleanStatement({ use, tools, note }: DisclosureStatement): DisclosureStatement {
  const clean = (name: 'tools' | 'note', text = '') => (cleanName(text) === '' ? {} : { [name]: cleanName(text) })
  return { use, ...clean('tools', tools), ...clean('note', note) }
}

/** Returns the sheet. */
export function disclosureSheet(
  statements: Disclosure = {},
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
      return { track: index + 1, title, statements: own, answers: disclosureAnswers(own) }
    }),
    sources: [...sources],
    mastering: { program, generative_ai: false },
  }
}

/** Returns the sheet as part of a page. */
export function sheetHtml({ categories, sources, mastering }: DisclosureSheet, language: Language): string {
  const say = SHEET_WORDS[language]
  const rows = categories.map(({ category, use, tools, note, found }) => {
    const { name, about } = CATEGORY_WORDS[category]
    const told = [tools, note].filter((text) => text !== undefined).map((text) => `<br>${escapeHtml(text)}`)
    const hint = use === 'not_stated' && found.length > 0 ? `<br>${escapeHtml(say.found(found.join(', ')))}` : ''
    const state = use === 'not_stated' ? 'open' : 'stated'
    return `<tr><th scope="row">${name[language]}<small>${about[language]}</small></th><td><span class="${state}">${USE_WORDS[use][language]}</span>${told.join('')}${hint}</td></tr>`
  })
  const traces = sources.map((source) => {
    const generator = source.generator === undefined ? say.noTrace : `<strong>${escapeHtml(source.generator)}</strong>`
    const evidence = source.evidence === undefined ? '' : `<br><code>${escapeHtml(source.evidence)}</code>`
    const manifest = source.has_c2pa_manifest ? `<br>${escapeHtml(say.manifest(source.c2pa_claim_generator))}` : ''
    const file = source.filename === undefined ? '' : `<small>${escapeHtml(source.filename)}</small>`
    return `<tr><th scope="row">${source.track}. ${escapeHtml(source.title)}${file}</th><td>${generator}${evidence}${manifest}</td></tr>`
  })
  const isOpen = categories.some(({ use }) => use === 'not_stated')
  return [
    `<h3>${say.statements}</h3>${isOpen ? `<p class="note">${say.open}</p>` : ''}<table>${rows.join('')}</table>`,
    `<h3>${say.mastering}</h3><p>${escapeHtml(say.masteredBy(mastering.program))}</p>`,
    `<h3>${say.sources}</h3><table>${traces.join('')}</table>`,
  ].join('\n')
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
