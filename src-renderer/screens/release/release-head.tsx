/** The head of a release: its cover, names and overall facts. */
import { Check, CircleAlert, CloudOff, Ellipsis } from 'lucide-react'
import { useCallback, useId } from 'react'
import { RELEASE_KINDS, type Release } from '../../../src-contract/releases.ts'
import { playingTime } from '../../../src-contract/text/numbers.ts'
import { saveAnswer } from '../../api/save.ts'
import { Button } from '../../components/button.tsx'
import { Segmented } from '../../components/choices.tsx'
import { Menu, type MenuItem } from '../../components/dialogs.tsx'
import { pickFiles, TABLES } from '../../components/pick-files.ts'
import { PictureSlot } from '../../components/picture-slot.tsx'
import { go } from '../../router.ts'
import { useApp, useSelect } from '../../state/app-state.ts'
import { FACTS, fieldOf } from '../../state/release-drafts.ts'
import { useWords } from '../../text/context.tsx'

export function ReleaseHead({ release }: { release: Release }) {
  const { releases } = useApp()
  const { t, format } = useWords()
  const record = release.mastering.record_lufs
  const { editor } = releases
  const seconds = release.tracks.reduce((sum, one) => sum + (one.duration_seconds ?? 0), 0)
  return (
    <header className="sleeve">
      <ReleaseCover release={release} />
      <div className="names">
        <div className="row">
          <Segmented
            label={t.release.kind}
            className="fit small"
            value={release.kind}
            onChoose={(kind) => editor.change(FACTS, { kind })}
            options={RELEASE_KINDS.map((value) => ({ value, text: t.release.kinds[value] }))}
          />
          <span className="grow" />
          <SaveState />
          <ReleaseMenu release={release} />
        </div>
        <NameField member="title" label={t.release.title} value={release.title} className="is-title" />
        <NameField member="artist" label={t.release.artist} value={release.artist} className="is-artist" />
        <dl className="known">
          <div>
            <dt>{t.release.facts.tracks}</dt>
            <dd className="num">{release.tracks.length}</dd>
          </div>
          <div>
            <dt>{t.release.facts.length}</dt>
            <dd className="num">{seconds > 0 ? playingTime(seconds) : '–'}</dd>
          </div>
          {record !== undefined && (
            <div>
              <dt>{t.release.facts.record}</dt>
              <dd className="num">
                {format.level(record)}
                <span className="unit">LUFS</span>
              </dd>
            </div>
          )}
        </dl>
      </div>
    </header>
  )
}

interface NameFieldProps {
  member: 'title' | 'artist'
  label: string
  value: string
  className: string
}

/** A name of the release, edited in place. */
function NameField({ member, label, value, className }: NameFieldProps) {
  const { editor } = useApp().releases
  const problemId = useId()
  const problem = useSelect(editor.store, (state) => state.refused[fieldOf(FACTS, member)])
  return (
    <div className="name-field" data-field={fieldOf(FACTS, member)}>
      <input
        className={className}
        aria-label={label}
        aria-required
        placeholder={label}
        maxLength={200}
        spellCheck={false}
        value={value}
        {...(problem ? { 'aria-invalid': true, 'aria-describedby': problemId } : {})}
        onChange={(event) => editor.change(FACTS, { [member]: event.target.value })}
        onBlur={() => editor.flush()}
      />
      {problem && (
        <p className="problem" id={problemId} role="alert">
          <CircleAlert className="i s" aria-hidden="true" />
          <span>{problem}</span>
        </p>
      )}
    </div>
  )
}

/** Shows whether all changes are saved. */
function SaveState() {
  const { editor } = useApp().releases
  const { t } = useWords()
  const saving = useSelect(editor.store, (state) => state.saving)
  const toMend = useSelect(editor.store, (state) => Object.keys(state.refused).length)
  if (saving === 'waiting')
    return (
      <span className="row save-state c-warn" role="status">
        <CloudOff className="i s" aria-hidden="true" />
        {t.release.saving.waiting}
      </span>
    )
  if (toMend > 0 && saving === 'saved')
    return (
      <span className="row save-state c-bad" role="status">
        <CircleAlert className="i s" aria-hidden="true" />
        {t.release.toMend(toMend)}
      </span>
    )
  return (
    <span className="row save-state faint">
      {saving === 'saved' && <Check className="i s" aria-hidden="true" />}
      {t.release.saving[saving]}
    </span>
  )
}

function ReleaseCover({ release }: { release: Release }) {
  const { client, releases } = useApp()
  const { t } = useWords()
  const { cover, release_id } = release
  // biome-ignore lint/correctness/useExhaustiveDependencies: another picture has another sum
  const read = useCallback(
    () => client.open('readReleaseCover', { params: { release_id } }).then((answer) => answer.blob()),
    [client, release_id, cover?.sha256],
  )
  return (
    <div data-field={fieldOf(FACTS, 'cover')}>
      <PictureSlot
        read={cover && read}
        size={cover}
        onChoose={(picture) => void releases.editor.setCover(picture)}
        onRemove={cover && (() => void releases.editor.setCover(null))}
      />
      {cover?.changes?.map((change) => (
        <p key={change} className="tick">
          {t.release.cover.changes[change]}
        </p>
      ))}
    </div>
  )
}

function ReleaseMenu({ release }: { release: Release }) {
  const { client, releases, notices } = useApp()
  const { t } = useWords()
  const { release_id, title } = release
  const texts = t.release
  const items: (MenuItem | null)[] = [
    {
      text: texts.duplicate,
      onChoose: () =>
        void releases.duplicate(release_id, texts.copyOf(title)).then((made) => made && go('release', made)),
    },
    {
      text: texts.saveTable,
      onChoose: () => {
        releases.editor.flush()
        void saveAnswer(() => client.open('readReleaseCsv', { params: { release_id } }), `${title}.csv`)
      },
    },
    {
      text: texts.readTable,
      onChoose: () =>
        void pickFiles(false, TABLES).then(async ([table]) => {
          const ignored = table ? await releases.editor.readTable(table) : []
          if (ignored.length > 0) notices.show({ text: texts.ignored(ignored.join(', ')) })
        }),
    },
    {
      text: texts.importTable,
      onChoose: () =>
        void pickFiles(false, TABLES).then(async ([table]) => {
          const made = table && (await releases.importTable(table))
          if (made) go('release', made)
        }),
    },
    null,
    {
      text: texts.deleteRelease,
      isDanger: true,
      onChoose: () => {
        releases.remove(release_id, texts.deleted(title))
        go('release')
      },
    },
  ]
  return (
    <Menu
      label={texts.actions}
      items={items}
      trigger={
        <Button
          look="quiet"
          small
          label={`${t.more}: ${title}`}
          icon={<Ellipsis className="i s" aria-hidden="true" />}
        />
      }
    />
  )
}
