/** The action bar of a release: the next step. */
import { useEffect, useState } from 'react'
import type { Release, Track } from '../../../src-contract/releases.ts'
import { Button } from '../../components/button.tsx'
import { useApp, useSelect } from '../../state/app-state.ts'
import { folderOf, isNaming, wishOf } from '../../state/release-exports.ts'
import { useWords } from '../../text/context.tsx'
import { showPart } from './side.ts'
import { ReleaseTransport } from './transport.tsx'

export function ReleaseBar() {
  const { editor, plan, readiness } = useApp().releases
  const release = useSelect(editor.store, (state) => state.shown)
  const stored = useSelect(editor.store, (state) => state.stored)
  const { language } = useWords()
  useEffect(() => {
    if (stored) plan.follow(stored)
  }, [plan, stored])
  // biome-ignore lint/correctness/useExhaustiveDependencies: its sentences are in the language of the page
  useEffect(() => {
    if (stored) readiness.follow(stored)
  }, [readiness, stored, language])
  useEffect(
    () => () => {
      plan.leave()
      readiness.leave()
    },
    [plan, readiness],
  )
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
  const { t, format } = useWords()
  const done = useSelect(releases.exports.store, (state) => state.done[release.release_id])
  const progress = useSelect(releases.exports.store, (state) =>
    state.runningId === release.release_id ? state.progress : null,
  )
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
  if (progress)
    return (
      <div className="bar-progress" title={progress.file ?? undefined}>
        <progress max={progress.of} value={progress.done} aria-label={t.release.export.running} />
        <span className="num">{t.release.bar.exporting(progress.done, progress.of)}</span>
      </div>
    )
  if (made < tracks.length) return <p className="dim lg">{t.release.bar.notReady(made, tracks.length)}</p>
  if (!done) return <p className="dim lg">{t.release.bar.allMade}</p>
  const { files } = done.certificate
  const size = format.bytes(files.reduce((sum, { size_bytes }) => sum + size_bytes, 0))
  return (
    <p className="dim lg" role="status">
      {t.release.bar.exported(t.release.upload.made(files.length, size))}
    </p>
  )
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

/** Exports with the folder and choices of the upload part, and shows that part. */
function ExportButton({ release, isNext }: { release: Release; isNext: boolean }) {
  const { releases, service } = useApp()
  const { t, language } = useWords()
  const { runningId, choices } = useSelect(releases.exports.store, (state) => state)
  const ofSettings = useSelect(service.store, (state) => state.settings?.output_folder)
  const isRunning = runningId === release.release_id
  const made = release.tracks.filter(isMade).length
  const all = release.tracks.length
  const texts = t.release.bar
  const folder = folderOf(choices, ofSettings).trim()
  const isWrong = folder === '' || !isNaming(choices.naming)
  const run = () => {
    showPart('upload')
    if (isWrong) return
    const wish = { folder, ...wishOf(choices, language) }
    void releases.editor.saved().then(() => releases.exports.run(release.release_id, wish))
  }
  return (
    <>
      {isRunning && (
        <Button look="quiet" onClick={() => releases.exports.stop()}>
          {t.release.export.stop}
        </Button>
      )}
      <Button
        look={isNext ? 'primary' : 'plain'}
        className="big"
        whyNot={all === 0 ? texts.noTracks : made < all && texts.notReady(made, all)}
        busyText={isRunning && t.release.export.running}
        onClick={run}
      >
        {texts.export(release.kind)}
      </Button>
    </>
  )
}
