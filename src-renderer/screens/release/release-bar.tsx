/** The action bar of a release: the next step. */
import { useEffect, useState } from 'react'
import type { Release, Track } from '../../../src-contract/releases.ts'
import { Button } from '../../components/button.tsx'
import { useApp, useSelect } from '../../state/app-state.ts'
import { tallyOf } from '../../state/release-exports.ts'
import { useWords } from '../../text/context.tsx'
import { ExportDialog } from './export-dialog.tsx'
import { ReleaseTransport } from './transport.tsx'

export function ReleaseBar() {
  const { editor, plan } = useApp().releases
  const release = useSelect(editor.store, (state) => state.shown)
  const stored = useSelect(editor.store, (state) => state.stored)
  useEffect(() => {
    if (stored) plan.follow(stored)
  }, [plan, stored])
  useEffect(() => () => plan.leave(), [plan])
  return <footer className="action-bar">{release && <ReleaseActions release={release} />}</footer>
}

const isHearable = ({ state }: Track) => state === 'stored' || state === 'done'
const isMade = ({ state, master }: Track) => master?.state === 'done' || state === 'done'

function ReleaseActions({ release }: { release: Release }) {
  const { tracks, mastering } = release
  const isReady = tracks.length > 0 && tracks.every(isMade)
  const isRunning = mastering.state === 'mastering'
  return (
    <>
      {tracks.some(isHearable) && <ReleaseTransport release={release} />}
      <span className="grow" />
      <Situation release={release} />
      {isRunning ? <StopButton /> : <MasterButton release={release} isNext={!isReady} />}
      <ExportButton release={release} isNext={isReady && !isRunning} />
    </>
  )
}

/** State of the release, and the price of the next step. */
function Situation({ release }: { release: Release }) {
  const { releases } = useApp()
  const { t } = useWords()
  const done = useSelect(releases.exports.store, (state) => state.done[release.release_id])
  const { tracks, mastering } = release
  const made = tracks.filter(isMade).length
  if (mastering.state === 'mastering')
    return (
      <div className="bar-progress">
        <progress max={100} value={mastering.progress} aria-label={t.release.record.title} />
        <span className="num">{t.release.record.mastering(mastering.progress)}</span>
      </div>
    )
  if (mastering.state === 'failed' && mastering.failure)
    return (
      <p className="c-bad two-lines" role="alert">
        {t.release.record.failed(mastering.failure.message)}
      </p>
    )
  if (tracks.length === 0) return null
  if (made < tracks.length) return <p className="dim lg">{t.release.bar.notReady(made, tracks.length)}</p>
  if (!done) return <p className="dim lg">{t.release.bar.allMade}</p>
  const { passed, all } = tallyOf(done.certificate)
  return <p className="dim lg">{t.release.bar.tally(passed, all)}</p>
}

function StopButton() {
  const { client, releases } = useApp()
  const { t } = useWords()
  const stop = () =>
    void releases.editor.command((release_id) => client.call('cancelRelease', { params: { release_id } }))
  return (
    <Button look="quiet" onClick={stop}>
      {t.release.record.cancel}
    </Button>
  )
}

function MasterButton({ release, isNext }: { release: Release; isNext: boolean }) {
  const { client, releases } = useApp()
  const { t } = useWords()
  const [isBusy, setBusy] = useState(false)
  const plan = useSelect(releases.plan.store, (state) => state.plan)
  const texts = t.release.record
  const isSongless = release.tracks.some(({ state }) => state === 'no_song' || state === 'gone')
  const needed = plan?.credits_needed
  const isTooFew = plan !== null && plan.credits_needed > plan.credits_available
  const whyNot =
    release.tracks.length === 0
      ? t.release.bar.noTracks
      : isSongless
        ? texts.songless
        : isTooFew && texts.tooFew(plan.credits_needed, plan.credits_available)
  const master = () => {
    setBusy(true)
    void releases.editor
      .command((release_id) => client.call('masterRelease', { params: { release_id } }))
      .finally(() => setBusy(false))
  }
  return (
    <Button
      look={isNext ? 'primary' : 'plain'}
      className="big"
      whyNot={whyNot}
      busyText={isBusy && texts.starting}
      onClick={master}
    >
      {isNext ? texts.master : texts.masterAgain}
      {needed !== undefined && !whyNot && (
        <span className="price">{needed === 0 ? texts.free : texts.credits(needed)}</span>
      )}
    </Button>
  )
}

function ExportButton({ release, isNext }: { release: Release; isNext: boolean }) {
  const { releases } = useApp()
  const { t } = useWords()
  const [isOpen, setOpen] = useState(false)
  const isRunning = useSelect(releases.exports.store, (state) => state.runningId === release.release_id)
  const made = release.tracks.filter(isMade).length
  const all = release.tracks.length
  const texts = t.release.bar
  return (
    <>
      <Button
        look={isNext ? 'primary' : 'plain'}
        className="big"
        whyNot={all === 0 ? texts.noTracks : made < all && texts.notReady(made, all)}
        busyText={isRunning && !isOpen && t.release.export.running}
        onClick={() => {
          releases.editor.flush()
          setOpen(true)
        }}
      >
        {texts.export(release.kind)}
      </Button>
      {isOpen && <ExportDialog release={release} onClose={() => setOpen(false)} />}
    </>
  )
}
