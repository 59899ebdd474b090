/** The details of a release: its date, codes and rights. Nothing is filled in automatically. */
import { useId, useState } from 'react'
import type { Release, ReleaseChange } from '../../../src-contract/releases.ts'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useApp, useSelect } from '../../state/app-state.ts'
import { FACTS, fieldOf } from '../../state/release-drafts.ts'
import { useWords } from '../../text/context.tsx'
import { DisclosureSection } from './disclosure-section.tsx'
import { rightsLine } from './upload-part.tsx'

/** Languages of songs that distributors list most (BCP 47). */
const LANGUAGES = [
  ...['ko', 'en', 'ja', 'zh-Hans', 'zh-Hant', 'es', 'fr', 'de', 'it', 'pt', 'nl', 'sv', 'da', 'nb', 'fi', 'pl'],
  ...['ru', 'uk', 'tr', 'ar', 'he', 'fa', 'hi', 'ta', 'th', 'vi', 'id', 'ms', 'tl', 'el', 'cs', 'hu', 'ro', 'zxx'],
]

/** Genres in the names that distributors use; others are written. */
const GENRES = [
  ...['Alternative', 'Ambient', 'Blues', "Children's Music", 'Classical', 'Country', 'Dance', 'Electronic', 'Folk'],
  ...['Hip-Hop/Rap', 'Holiday', 'House', 'Indie', 'Jazz', 'K-Pop', 'Latin', 'Lo-Fi', 'Metal', 'New Age', 'Pop'],
  ...['Punk', 'R&B/Soul', 'Reggae', 'Rock', 'Singer/Songwriter', 'Soundtrack', 'Techno', 'Trance', 'Trot', 'World'],
]

export function DetailsPart({ release }: { release: Release }) {
  const { t, language } = useWords()
  const names = new Intl.DisplayNames(language, { type: 'language' })
  const languages = LANGUAGES.map((value) => ({ value, text: names.of(value) ?? value }))
  const line = rightsLine(release, new Date())
  return (
    <>
      <h2>{t.release.about}</h2>
      <div className="pair">
        <Fact release={release} member="release_date" type="date" />
        <Picker release={release} member="language" options={languages} />
      </div>
      <Picker release={release} member="genre" options={GENRES.map((value) => ({ value, text: value }))} canBeOther />
      <Fact release={release} member="label" offered={release.artist} />
      <Fact release={release} member="upc" />
      <Fact release={release} member="p_line" offered={line} />
      <Fact release={release} member="c_line" offered={line} />
      <DisclosureSection release={release} />
    </>
  )
}

type FactMember = 'release_date' | 'label' | 'upc' | 'genre' | 'language' | 'p_line' | 'c_line'

/** A text that one press gives to a blank field. */
export function Offer({ text, onTake }: { text: string; onTake: () => void }) {
  const { t } = useWords()
  return (
    <Button small look="quiet" className="shrinks" onClick={onTake}>
      <span className="clip">{t.release.use(text)}</span>
    </Button>
  )
}

interface FactProps {
  release: Release
  member: FactMember
  type?: 'date'
  offered?: string
}

/** An optional fact of the release. */
function Fact({ release, member, type, offered }: FactProps) {
  const { editor } = useApp().releases
  const { t } = useWords()
  const problem = useSelect(editor.store, (state) => state.refused[fieldOf(FACTS, member)])
  const change = (value: string) => editor.change(FACTS, { [member]: value } satisfies ReleaseChange)
  const value = release[member] ?? ''
  return (
    <div data-field={fieldOf(FACTS, member)}>
      <TextField
        label={t.release.factNames[member]}
        isOptional
        help={t.release.help[member]}
        maxLength={300}
        spellCheck={false}
        {...(type ? { type } : {})}
        value={value}
        problem={problem ?? false}
        onChange={change}
        onBlur={() => editor.flush()}
      />
      {offered && value === '' && <Offer text={offered} onTake={() => change(offered)} />}
    </div>
  )
}

interface PickerProps extends Pick<FactProps, 'release' | 'member'> {
  options: readonly { readonly value: string; readonly text: string }[]
  /** A value beyond the list can be written. */
  canBeOther?: boolean
}

const OTHER = '…'

/** A fact chosen from a list; a value from elsewhere stays in it. */
function Picker({ release, member, options, canBeOther }: PickerProps) {
  const { editor } = useApp().releases
  const { t } = useWords()
  const id = useId()
  const [isWritten, write] = useState(false)
  const problem = useSelect(editor.store, (state) => state.refused[fieldOf(FACTS, member)])
  const value = release[member] ?? ''
  const isListed = value === '' || options.some((one) => one.value === value)
  if (isWritten || problem) return <Fact release={release} member={member} />
  return (
    <div className="field" data-field={fieldOf(FACTS, member)}>
      <label className="label" htmlFor={id}>
        {t.release.factNames[member]}
      </label>
      <select
        id={id}
        className="input"
        title={t.release.help[member]}
        value={value}
        onChange={({ currentTarget: { value: chosen } }) =>
          chosen === OTHER ? write(true) : editor.change(FACTS, { [member]: chosen })
        }
      >
        <option value="">{t.release.choose}</option>
        {!isListed && <option value={value}>{value}</option>}
        {options.map((one) => (
          <option key={one.value} value={one.value}>
            {one.text}
          </option>
        ))}
        {canBeOther && <option value={OTHER}>{t.release.other}</option>}
      </select>
    </div>
  )
}
