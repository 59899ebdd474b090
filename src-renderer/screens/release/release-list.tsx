/** The list of releases, and the page shown before there is one. */
import { Plus } from 'lucide-react'
import { type DragEvent, useState } from 'react'
import { RELEASE_KINDS, type ReleaseKind, type ReleaseSummary } from '../../../src-contract/releases.ts'
import { droppedFiles, folderName } from '../../api/dropped-files.ts'
import { Button } from '../../components/button.tsx'
import { Segmented } from '../../components/choices.tsx'
import { pickFiles, TABLES } from '../../components/pick-files.ts'
import { TextField } from '../../components/text-field.tsx'
import { addressOf, go } from '../../router.ts'
import { useApp, useSelect } from '../../state/app-state.ts'
import { useWords } from '../../text/context.tsx'
import type { DropState } from '../master/use-drop.ts'
import { ActionDialog } from '../settings/section.tsx'
import { isReleaseFile, useNewReleaseOf } from './use-release-files.ts'

interface ReleaseListProps {
  /** null before they are read. */
  items: readonly ReleaseSummary[] | null
  shownId: string | undefined
  drop: DropState
}

export function ReleaseList({ items, shownId, drop }: ReleaseListProps) {
  const { t } = useWords()
  const makeOf = useNewReleaseOf()
  const onDrop = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes('Files')) return
    // A drop makes a new release only here; everywhere else it adds to the open one.
    event.preventDefault()
    const folder = folderName(event.dataTransfer)
    void droppedFiles(event.dataTransfer, undefined, isReleaseFile).then((files) => makeOf(files, folder))
  }
  return (
    <nav className={`releases ${drop.over ? 'is-over' : ''}`} aria-label={t.release.list} onDrop={onDrop}>
      <header className="row">
        <h2 className="grow">{t.release.list}</h2>
        <NewRelease />
      </header>
      <ul>
        {items?.map((one) => (
          <li key={one.release_id}>
            <ReleaseLink release={one} isShown={one.release_id === shownId} />
          </li>
        ))}
      </ul>
      {drop.over && (
        <p className="drop-here" aria-hidden="true">
          {t.release.dropNew}
        </p>
      )}
    </nav>
  )
}

function ReleaseLink({ release, isShown }: { release: ReleaseSummary; isShown: boolean }) {
  const { releases } = useApp()
  const { t } = useWords()
  // The open release may be edited faster than it is saved.
  const open = useSelect(releases.editor.store, (state) => (isShown ? state.shown : null))
  const { title, artist, kind } = open ?? release
  const count = open ? open.tracks.length : release.track_count
  return (
    <a className="inset" href={addressOf('release', release.release_id)} aria-current={isShown ? 'true' : undefined}>
      <b className="clip">{title}</b>
      <small className="clip">
        {artist} · {t.release.kinds[kind]} · {t.release.tracks(count)}
      </small>
    </a>
  )
}

/** The button that makes a release, with the questions it needs answered. */
function NewRelease({ look = 'quiet' }: { look?: 'plain' | 'quiet' }) {
  const { t } = useWords()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button small look={look} icon={<Plus className="i s" aria-hidden="true" />} onClick={() => setOpen(true)}>
        {t.release.make}
      </Button>
      {isOpen && <NewReleaseDialog onClose={() => setOpen(false)} />}
    </>
  )
}

function NewReleaseDialog({ onClose }: { onClose: () => void }) {
  const { releases, client } = useApp()
  const { t } = useWords()
  const [title, setTitle] = useState('')
  const [artist, setArtist] = useState(releases.store.getState().items?.[0]?.artist ?? '')
  const [kind, setKind] = useState<ReleaseKind>('single')
  const [isAsked, setAsked] = useState(false)
  const missing = (value: string) => isAsked && value.trim() === '' && t.release.missing
  const isReady = () => {
    setAsked(true)
    return title.trim() !== '' && artist.trim() !== ''
  }
  const act = async () => {
    const made = await client.call('createRelease', { body: { title: title.trim(), artist: artist.trim(), kind } })
    await releases.read()
    go('release', made.release_id)
  }
  return (
    <ActionDialog
      title={t.release.make}
      verb={t.release.doMake}
      doing={t.release.making}
      isReady={isReady}
      act={act}
      onClose={onClose}
    >
      <TextField label={t.release.title} value={title} onChange={setTitle} maxLength={200} problem={missing(title)} />
      <TextField
        label={t.release.artist}
        value={artist}
        onChange={setArtist}
        maxLength={200}
        problem={missing(artist)}
      />
      <Segmented
        label={t.release.kind}
        value={kind}
        onChoose={setKind}
        options={RELEASE_KINDS.map((value) => ({ value, text: t.release.kinds[value] }))}
      />
    </ActionDialog>
  )
}

/** Explains releases, and creates one. */
export function NoReleases({ drop }: { drop: DropState }) {
  const { t } = useWords()
  const makeOf = useNewReleaseOf()
  const choose = () => void pickFiles(true).then((files) => makeOf(files, ''))
  const importTable = () => void pickFiles(false, TABLES).then((files) => makeOf(files, ''))
  return (
    <section className={`first-release ${drop.over ? 'is-over' : ''}`}>
      <svg viewBox="0 0 120 64" aria-hidden="true">
        {[14, 24, 34, 44, 30, 50, 40, 54, 46, 20].map((height, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: bars have no identity except their position
          <rect key={at} x={at * 12 + 2} y={4} width={8} height={height} rx={1} />
        ))}
      </svg>
      <h2>{t.release.empty.title}</h2>
      <p className="dim">{t.release.empty.text}</p>
      <p className="drop-line">{t.release.empty.drop}</p>
      <div className="row">
        <Button look="primary" onClick={choose}>
          {t.release.empty.choose}
        </Button>
        <NewRelease look="plain" />
        <Button look="quiet" small onClick={importTable}>
          {t.release.importTable}
        </Button>
      </div>
    </section>
  )
}
