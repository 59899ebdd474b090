/** The action bar of a release: the one thing to do next. */
import { useState } from 'react'
import type { Release, Track } from '../../../src-contract/releases.ts'
import { Button } from '../../components/button.tsx'
import { useApp, useSelect } from '../../state/app-state.ts'
import { tallyOf } from '../../state/release-exports.ts'
import { useWords } from '../../text/context.tsx'
import { ExportDialog } from './export-dialog.tsx'
import { RecordTransport } from './record-transport.tsx'

export function ReleaseBar() {
  const { editor } = useApp().releases
  const release = useSelect(editor.store, (state) => state.shown)
  return <footer className="action-bar">{release && <ReleaseActions release={release} />}</footer>
}

const isHearable = ({ state }: Track) => state === 'stored' || state === 'done'

function ReleaseActions({ release }: { release: Release }) {
  const { t } = useWords()
  const texts = t.release.bar
  const all = release.tracks.length
  const made = release.tracks.filter((track) => track.state === 'done').length
  return (
    <>
      {release.tracks.some(isHearable) && <RecordTransport release={release} />}
      <span className="grow" />
      <p className="dim lg">{all === 0 ? '' : made < all ? texts.notReady(made, all) : <Tally release={release} />}</p>
      <ExportButton release={release} whyNot={all === 0 ? texts.noTracks : made < all && texts.notReady(made, all)} />
    </>
  )
}

/** What the last export says of the receivers, before it that every track is mastered. */
function Tally({ release }: { release: Release }) {
  const { releases } = useApp()
  const { t } = useWords()
  const done = useSelect(releases.exports.store, (state) => state.done[release.release_id])
  if (!done) return t.release.bar.allMade
  const { passed, all } = tallyOf(done.certificate)
  return t.release.bar.tally(passed, all)
}

function ExportButton({ release, whyNot }: { release: Release; whyNot: string | false }) {
  const { releases } = useApp()
  const { t } = useWords()
  const [isOpen, setOpen] = useState(false)
  const isRunning = useSelect(releases.exports.store, (state) => state.runningId === release.release_id)
  return (
    <>
      <Button
        look="primary"
        className="big"
        whyNot={whyNot}
        busyText={isRunning && !isOpen && t.release.export.running}
        onClick={() => {
          releases.editor.flush()
          setOpen(true)
        }}
      >
        {t.release.bar.export(release.kind)}
      </Button>
      {isOpen && <ExportDialog release={release} onClose={() => setOpen(false)} />}
    </>
  )
}
