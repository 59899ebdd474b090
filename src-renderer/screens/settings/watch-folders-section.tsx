/** Watched folders: songs that appear in them are mastered automatically. */
import { type FormEvent, useEffect, useId, useState } from 'react'
import type { WatchFolder } from '../../../src-contract/app.ts'
import { Button } from '../../components/button.tsx'
import { useApp, useSelect } from '../../state/app-state.ts'
import { createListing } from '../../state/listing.ts'
import { useWords } from '../../text/context.tsx'
import {
  ChooseFolder,
  Line,
  Problem,
  Reading,
  SectionHead,
  type SectionProps,
  TextSetting,
  useAction,
} from './section.tsx'

type Change = Partial<Pick<WatchFolder, 'output_folder' | 'settings' | 'is_active'>>

/** Polling interval, ms: songs that cannot be taken have no live event. */
const READ_EVERY_MS = 5000

export function WatchFoldersSection({ titleId }: SectionProps) {
  const { client, batch } = useApp()
  const { t } = useWords()
  const text = t.prefs.watch
  const songs = useSelect(batch.store, (state) => state.batch?.songs.length ?? 0)
  const [{ store, read }] = useState(() =>
    createListing(async () => (await client.call('listWatchFolders', {})).folders),
  )
  const folders = useSelect(store, (state) => state.items)
  const { isBusy, problem, run } = useAction()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a song that was taken is in the batch
  useEffect(() => void read(), [read, songs])
  useEffect(() => {
    const timer = setInterval(() => void read(), READ_EVERY_MS)
    return () => clearInterval(timer)
  }, [read])
  const add = (path: string) => run(() => client.call('addWatchFolder', { body: { path } }).then(read))
  return (
    <>
      <SectionHead titleId={titleId} title={t.prefs.sections.watch} sub={text.sub} />
      <Line name={text.add}>
        <AddFolder isBusy={isBusy} onAdd={add} />
        <span className="row end">
          <ChooseFolder name={text.add} onChosen={(path) => void add(path)} />
        </span>
      </Line>
      <Problem problem={problem} />
      {!folders && <Reading />}
      {folders?.length === 0 && <p className="note">{text.none}</p>}
      {folders?.map((folder) => (
        <Folder key={folder.folder_id} folder={folder} onChanged={read} />
      ))}
    </>
  )
}

function AddFolder({ isBusy, onAdd }: { isBusy: boolean; onAdd: (path: string) => Promise<boolean> }) {
  const { t } = useWords()
  const text = t.prefs.watch
  const id = useId()
  const [path, setPath] = useState('')
  const add = (event: FormEvent) => {
    event.preventDefault()
    void onAdd(path.trim()).then((isDone) => isDone && setPath(''))
  }
  return (
    <form className="row wraps text-setting" onSubmit={add}>
      <label className="vh" htmlFor={id}>
        {text.path}
      </label>
      <span className="input">
        <input
          id={id}
          value={path}
          placeholder={text.path}
          spellCheck={false}
          onChange={(event) => setPath(event.target.value)}
        />
      </span>
      {path.trim() !== '' && (
        <Button type="submit" small busyText={isBusy && t.prefs.applying}>
          {text.add}
        </Button>
      )}
    </form>
  )
}

interface FolderProps {
  folder: WatchFolder
  onChanged: () => Promise<unknown>
}

function Folder({ folder, onChanged }: FolderProps) {
  const { client } = useApp()
  const { t } = useWords()
  const text = t.prefs.watch
  const { problem, run } = useAction()
  const params = { folder_id: folder.folder_id }
  const apply = (change: Change) => client.call('changeWatchFolder', { params, body: change }).then(onChanged)
  const change = (next: Change) => void run(() => apply(next))
  const remove = () => void run(() => client.call('removeWatchFolder', { params }).then(onChanged))
  return (
    <section aria-label={folder.path}>
      <FolderHead folder={folder} onChange={change} onRemove={remove} />
      <Line name={text.output}>
        <TextSetting
          label={text.of(text.outputPath, folder.path)}
          placeholder={text.outputPath}
          value={folder.output_folder ?? ''}
          onApply={(output) => apply({ output_folder: output || null })}
        />
        <span className="row end">
          <ChooseFolder
            name={text.of(text.output, folder.path)}
            onChosen={(output_folder) => change({ output_folder })}
          />
        </span>
      </Line>
      <FolderSettings folder={folder} onChange={change} />
      <Untaken summary={text.refused(folder.refused.length)} songs={folder.refused} />
      <Untaken summary={text.waiting(folder.waiting.length)} songs={folder.waiting} />
      <Problem problem={problem} />
    </section>
  )
}

interface FolderPartProps {
  folder: WatchFolder
  onChange: (change: Change) => void
}

/** The path and state of a folder, with buttons to pause and remove it. */
function FolderHead({ folder, onChange, onRemove }: FolderPartProps & { onRemove: () => void }) {
  const { t } = useWords()
  const text = t.prefs.watch
  const state = [
    text.taken(folder.taken),
    folder.is_active ? null : text.paused,
    folder.is_reachable ? null : text.unreachable,
  ]
  const pauseText = folder.is_active ? text.pause : text.goOn
  return (
    <div className="row line">
      <div className="grow">
        <code className="path">
          <bdi>{folder.path}</bdi>
        </code>
        <div className="me">{state.filter(Boolean).join(' · ')}</div>
      </div>
      <div className="line-control">
        <span className="row end">
          <Button
            small
            aria-label={text.of(pauseText, folder.path)}
            onClick={() => onChange({ is_active: !folder.is_active })}
          >
            {pauseText}
          </Button>
          <Button small look="danger" aria-label={text.of(text.remove, folder.path)} onClick={onRemove}>
            {text.remove}
          </Button>
        </span>
      </div>
    </div>
  )
}

/** Switches a folder between its own settings and the batch's. */
function FolderSettings({ folder, onChange }: FolderPartProps) {
  const { batch } = useApp()
  const { t } = useWords()
  const text = t.prefs.watch
  const batchSettings = useSelect(batch.store, (state) => state.batch?.settings)
  return (
    <Line name={text.settings} text={folder.settings ? text.own : text.fromBatch}>
      {folder.settings ? (
        <Button small onClick={() => onChange({ settings: null })}>
          {text.followBatch}
        </Button>
      ) : (
        <Button small onClick={() => batchSettings && onChange({ settings: batchSettings })}>
          {text.keepBatch}
        </Button>
      )}
    </Line>
  )
}

/** Refused songs with the reasons; renders nothing without any. */
function Untaken({ summary, songs }: { summary: string; songs: WatchFolder['refused'] }) {
  if (songs.length === 0) return null
  return (
    <details>
      <summary>{summary}</summary>
      <ul>
        {songs.map((one) => (
          <li key={one.filename}>
            <bdi>{one.filename}</bdi>: {one.message}
          </li>
        ))}
      </ul>
    </details>
  )
}
