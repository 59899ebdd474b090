/** Release: singles, EPs and albums, each with its cover, names and tracks in order. */
import { useEffect } from 'react'
import { FailureStrip } from '../../components/failure-strip.tsx'
import { useApp, useSelect } from '../../state/app-state.ts'
import { useWords } from '../../text/context.tsx'
import type { DropState } from '../master/use-drop.ts'
import { StemsQuestion } from '../stage/stems/stems-question.tsx'
import { ReleaseBar } from './release-bar.tsx'
import { ReleaseHead } from './release-head.tsx'
import { NoReleases, ReleaseList } from './release-list.tsx'
import { ReleaseSide } from './release-side.tsx'
import { useWantedField } from './side.ts'
import { Timeline } from './timeline.tsx'
import { TrackTable } from './track-table.tsx'
import { Verdicts } from './verdicts.tsx'
import './release.css'

export default function ReleaseScreen({ releaseId, drop }: { releaseId: string; drop: DropState }) {
  const { releases } = useApp()
  const { t } = useWords()
  const items = useSelect(releases.store, (state) => state.items)
  const hidden = useSelect(releases.store, (state) => state.hidden)
  const failure = useSelect(releases.store, (state) => state.failure)
  const listed = items?.filter((one) => !hidden.includes(one.release_id)) ?? null
  const shownId = hidden.includes(releaseId) || releaseId === '' ? listed?.[0]?.release_id : releaseId
  useEffect(() => void releases.read(), [releases])
  useEffect(() => {
    if (shownId) releases.editor.open(shownId)
    else releases.editor.close()
  }, [releases, shownId])
  useEffect(() => () => releases.editor.close(), [releases])
  const isEmpty = listed?.length === 0 && !shownId
  return (
    <>
      <main id="content" className={`work release ${isEmpty ? 'is-empty' : ''}`} tabIndex={-1}>
        <h1 className="vh">{t.screens.release}</h1>
        <StemsQuestion />
        {isEmpty ? <NoReleases drop={drop} /> : <ReleaseList items={listed} shownId={shownId} drop={drop} />}
        {failure && (
          <div className="over-work">
            <FailureStrip refusal={failure} onClose={() => releases.clearFailure()} />
          </div>
        )}
        {shownId && <OpenRelease key={shownId} drop={drop} />}
      </main>
      {shownId && <ReleaseBar />}
    </>
  )
}

function OpenRelease({ drop }: { drop: DropState }) {
  const { releases } = useApp()
  const { t } = useWords()
  const { editor } = releases
  const shown = useSelect(editor.store, (state) => state.shown)
  const failure = useSelect(editor.store, (state) => state.failure)
  useWantedField()
  if (!shown)
    return (
      <div className="pane mid">
        {failure && <p role="alert">{failure.code === 'RELEASE_NOT_FOUND' ? t.release.notFound : t.lost}</p>}
      </div>
    )
  return (
    <>
      <div className={`pane mid ${drop.over ? 'is-over' : ''}`}>
        {failure && <FailureStrip refusal={failure} onClose={() => editor.clearFailure()} />}
        <ReleaseHead release={shown} />
        <Verdicts release={shown} />
        <Timeline release={shown} />
        <TrackTable release={shown} />
        {drop.over && (
          <p className="drop-here" aria-hidden="true">
            {t.release.dropAdd(shown.title)}
          </p>
        )}
      </div>
      <ReleaseSide release={shown} />
    </>
  )
}
