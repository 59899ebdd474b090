/**
 * The AI disclosure of a release: five categories with the facts known from the songs and this program, stated by the
 * artist.
 */
import { useEffect, useState } from 'react'
import {
  AI_USES,
  type AiUse,
  DISCLOSURE_CATEGORIES,
  type Disclosure,
  type DisclosureCategory,
  type DisclosureSheet,
  type DisclosureStatement,
} from '../../../src-contract/disclosure.ts'
import { MAX_LINE_LENGTH } from '../../../src-contract/limits.ts'
import type { Release } from '../../../src-contract/releases.ts'
import { CATEGORY_WORDS } from '../../../src-contract/text/disclosure.ts'
import { Button } from '../../components/button.tsx'
import { Segmented } from '../../components/choices.tsx'
import { Fold } from '../../components/fold.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useApp } from '../../state/app-state.ts'
import { ALL_STATEMENTS, FACTS, fieldOf } from '../../state/release-drafts.ts'
import { useWords } from '../../text/context.tsx'

/** Returns a statement from the facts known without the artist's input; undefined without any. Pure. */
export function proposedStatement(
  category: DisclosureCategory,
  sheet: DisclosureSheet | null,
  masteredWith: (program: string) => string,
): DisclosureStatement | undefined {
  if (!sheet) return undefined
  if (category === 'post_production') return { use: 'none', note: masteredWith(sheet.mastering.program) }
  const found = sheet.categories.find((one) => one.category === category)?.found ?? []
  return found.length > 0 ? { use: 'generated', tools: found.join(', ') } : undefined
}

/** Reads the sheet again whenever the songs change; null until it is there. */
function useSheet(release: Release): DisclosureSheet | null {
  const { client } = useApp()
  const [sheet, setSheet] = useState<DisclosureSheet | null>(null)
  const { release_id } = release
  const songs = release.tracks.map(({ source_id, job_id, state }) => `${source_id} ${job_id} ${state}`).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: other songs have other facts
  useEffect(() => {
    const leaving = new AbortController()
    client.call('readDisclosure', { params: { release_id }, signal: leaving.signal }).then(setSheet, () => undefined)
    return () => leaving.abort()
  }, [client, release_id, songs])
  return sheet
}

export function DisclosureSection({ release }: { release: Release }) {
  const { editor } = useApp().releases
  const { t } = useWords()
  const texts = t.release.disclosure
  const sheet = useSheet(release)
  const statements: Disclosure = release.disclosure ?? {}
  const stated = DISCLOSURE_CATEGORIES.filter((category) => statements[category]).length
  const change = (category: DisclosureCategory, statement: DisclosureStatement | null) =>
    editor.changeAll(
      [[FACTS, { disclosure: { ...ALL_STATEMENTS, ...statements, [category]: statement } }]],
      fieldOf(FACTS, category),
    )
  return (
    <Fold title={texts.title} summary={texts.stated(stated, DISCLOSURE_CATEGORIES.length)}>
      <p className="me">{texts.text}</p>
      {DISCLOSURE_CATEGORIES.map((category) => (
        <Category
          key={category}
          category={category}
          statement={statements[category] ?? undefined}
          proposed={proposedStatement(category, sheet, texts.masteredWith)}
          onChange={(statement) => change(category, statement)}
        />
      ))}
    </Fold>
  )
}

interface CategoryProps {
  category: DisclosureCategory
  statement: DisclosureStatement | undefined
  proposed: DisclosureStatement | undefined
  onChange: (statement: DisclosureStatement | null) => void
}

function Category({ category, statement, proposed, onChange }: CategoryProps) {
  const { editor } = useApp().releases
  const { t, language } = useWords()
  const texts = t.release.disclosure
  const { name, about } = CATEGORY_WORDS[category]
  const field = (member: 'tools' | 'note', given: DisclosureStatement) => (
    <TextField
      label={texts[member]}
      isOptional
      maxLength={MAX_LINE_LENGTH}
      placeholder={texts[`${member}Hint`]}
      value={given[member] ?? ''}
      problem={false}
      onChange={(text) => onChange({ ...given, [member]: text })}
      onBlur={() => editor.flush()}
    />
  )
  return (
    <section className="field disclosed" aria-label={name[language]}>
      <span className="label">
        <b>{name[language]}</b>
        <span className="faint">{about[language]}</span>
      </span>
      <Segmented<AiUse>
        label={name[language]}
        value={statement?.use ?? null}
        options={AI_USES.map((value) => ({ value, text: texts.uses[value] }))}
        onChoose={(use) => onChange({ ...statement, use })}
      />
      {!statement && proposed && (
        <div className="row">
          <p className="me grow">{proposed.tools ? texts.found(proposed.tools) : texts.masteredHere}</p>
          <Button small onClick={() => onChange(proposed)}>
            {texts.take}
          </Button>
        </div>
      )}
      {statement && statement.use !== 'none' && field('tools', statement)}
      {statement && field('note', statement)}
      {statement && (
        <Button look="quiet" small onClick={() => onChange(null)}>
          {texts.takeBack}
        </Button>
      )}
    </section>
  )
}
