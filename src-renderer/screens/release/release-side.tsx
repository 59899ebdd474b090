/** The column beside a release: its facts, or those of the chosen track. */
import type { Release, ReleaseChange } from '../../../src-contract/releases.ts'
import { Segmented } from '../../components/choices.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useApp, useSelect } from '../../state/app-state.ts'
import { FACTS, fieldOf } from '../../state/release-drafts.ts'
import { useWords } from '../../text/context.tsx'
import { useChosenTrack } from './chosen-track.ts'
import { DisclosureSection } from './disclosure-section.tsx'
import { RecordSection } from './record-section.tsx'
import { RecordSound } from './record-sound.tsx'
import { TrackSide } from './track-side.tsx'

export function ReleaseSide({ release }: { release: Release }) {
  const { t } = useWords()
  const [chosenId, choose] = useChosenTrack()
  const chosen = release.tracks.find(({ track_id }) => track_id === chosenId)
  const track = chosen ?? release.tracks[0]
  return (
    <aside className="side release-side" aria-label={t.release.about}>
      {track && (
        <Segmented
          label={t.release.about}
          value={chosen ? 'track' : 'release'}
          onChoose={(shown) => choose(shown === 'track' ? track.track_id : null)}
          options={[
            { value: 'release', text: t.release.of.release },
            { value: 'track', text: t.release.of.track(track.position) },
          ]}
        />
      )}
      {chosen ? (
        <TrackSide key={chosen.track_id} release={release} track={chosen} />
      ) : (
        <>
          <RecordSection release={release} />
          <RecordSound release={release} />
          <ReleaseFacts release={release} />
          <DisclosureSection release={release} />
        </>
      )}
    </aside>
  )
}

type FactMember = 'release_date' | 'label' | 'upc' | 'genre' | 'language' | 'p_line' | 'c_line'

function ReleaseFacts({ release }: { release: Release }) {
  const { t } = useWords()
  const texts = t.release
  const year = release.release_date ? Number(release.release_date.slice(0, 4)) : new Date().getFullYear()
  const line = texts.linePlaceholder(year, release.artist)
  return (
    <>
      <h2>{texts.about}</h2>
      <div className="pair">
        <Fact release={release} member="release_date" label={texts.date} placeholder={texts.datePlaceholder} />
        <Fact release={release} member="language" label={texts.language} placeholder={texts.languagePlaceholder} />
      </div>
      <Fact release={release} member="upc" label={texts.upc} placeholder={texts.none} />
      <div className="pair">
        <Fact release={release} member="label" label={texts.label} placeholder={texts.none} />
        <Fact release={release} member="genre" label={texts.genre} placeholder={texts.none} />
      </div>
      <Fact release={release} member="p_line" label={texts.pLine} placeholder={line} />
      <Fact release={release} member="c_line" label={texts.cLine} placeholder={line} />
    </>
  )
}

interface FactProps {
  release: Release
  member: FactMember
  label: string
  placeholder: string
}

/** An optional fact of the release. */
function Fact({ release, member, label, placeholder }: FactProps) {
  const { editor } = useApp().releases
  const { t } = useWords()
  const problem = useSelect(editor.store, (state) => state.refused[fieldOf(FACTS, member)])
  const change = (value: string): ReleaseChange => ({ [member]: value })
  return (
    <TextField
      label={label}
      isOptional
      help={t.release.help[member]}
      maxLength={300}
      spellCheck={false}
      placeholder={placeholder}
      value={release[member] ?? ''}
      problem={problem ?? false}
      onChange={(value) => editor.change(FACTS, change(value))}
      onBlur={() => editor.flush()}
    />
  )
}
