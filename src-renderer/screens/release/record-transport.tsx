/** The transport of a release: the record in its order, and the joins between its tracks. */
import { useEffect, useMemo, useState } from 'react'
import type { Release } from '../../../src-contract/releases.ts'
import { playingTime } from '../../../src-contract/text/numbers.ts'
import { Button } from '../../components/button.tsx'
import { Segmented } from '../../components/choices.tsx'
import { useFrames } from '../../components/frames.ts'
import { isCovered, isTyping, keyOf, ownsKey } from '../../components/is-typing.ts'
import { Clock, PlayButton } from '../../components/transport.tsx'
import { useApp, useSelect } from '../../state/app-state.ts'
import { type MatchedLevels, matchedLevels, type RecordVersion, versionOfKey } from '../../state/record-comparison.ts'
import type { PlacedTrack } from '../../state/record-playback.ts'
import { useWords } from '../../text/context.tsx'

const STILL_MS = 250

export function RecordTransport({ release }: { release: Release }) {
  const { playback } = useApp().releases
  const { t } = useWords()
  const { isPlaying, isWaiting, hasFailed, durationSeconds } = useSelect(playback.store, (state) => state)
  useEffect(() => playback.follow(release), [playback, release])
  useEffect(() => () => playback.leave(), [playback])
  useTransportKeys(release)
  return (
    <fieldset className="transport" aria-label={t.transport.label}>
      <PlayButton isPlaying={isPlaying} onToggle={() => playback.toggle(release)} />
      <Clock
        position={() => playback.position()}
        note={
          hasFailed
            ? t.transport.failed
            : isWaiting
              ? t.transport.reading
              : `/ ${playingTime(lengthOf(release, durationSeconds))}`
        }
        hasFailed={hasFailed}
      />
      <VersionSwitch release={release} />
      <Heard />
      <JoinButton release={release} />
    </fieldset>
  )
}

/** Returns the levels at which masters and originals are equally loud, as soon as the songs are measured. */
function useMatchedLevels(release: Release): MatchedLevels | null {
  const plan = useSelect(useApp().releases.plan.store, (state) => state.plan)
  return useMemo(() => {
    const songs = Object.fromEntries(plan?.tracks.map(({ track_id, source_lufs }) => [track_id, source_lufs]) ?? [])
    return matchedLevels(release, songs)
  }, [release, plan])
}

/** The master as it is written, or master and original at equal loudness; X changes between these, L the level. */
function VersionSwitch({ release }: { release: Release }) {
  const { playback } = useApp().releases
  const { t, format } = useWords()
  const texts = t.release.player
  const levels = useMatchedLevels(release)
  const version = useSelect(playback.store, (state) => state.version)
  useVersionKeys(levels)
  if (!release.tracks.some(({ master }) => master?.state === 'done')) return null
  const whyNot = levels ? undefined : texts.noMatch
  const matched = levels && levels.masterDb < 0 ? texts.matchedBy(format.signed(levels.masterDb)) : texts.matched
  return (
    <Segmented<RecordVersion>
      label={texts.versions}
      className="fit small record-versions"
      value={version}
      onChoose={(next) => playback.hear(next, levels)}
      options={[
        { value: 'file', text: texts.file, hint: texts.fileHint },
        { value: 'master', text: texts.master, hint: whyNot ?? matched },
        { value: 'original', text: texts.asItCame, hint: whyNot ?? matched },
      ]}
    />
  )
}

function useVersionKeys(levels: MatchedLevels | null): void {
  const { playback } = useApp().releases
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event) || event.defaultPrevented || isCovered() || event.ctrlKey || event.metaKey || event.altKey)
        return
      // There a letter begins to write.
      if (event.target instanceof Element && event.target.closest('[role=grid]')) return
      const next = versionOfKey(keyOf(event), playback.store.getState().version)
      if (!next || !levels) return
      event.preventDefault()
      playback.hear(next, levels)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [playback, levels])
}

/** Length of the record, before it is opened that of its songs and rests. */
function lengthOf({ tracks }: Release, durationSeconds: number): number {
  if (durationSeconds > 0) return durationSeconds
  return tracks.reduce(
    (sum, one, at) =>
      sum +
      Math.max(0, (one.duration_seconds ?? 0) - one.trim_start_seconds - one.trim_end_seconds) +
      (at > 0 ? one.gap_before_seconds : 0),
    0,
  )
}

/** Returns the number of the track that sounds at a position, from 0; that of the one before in a rest. Pure. */
export function heardAt(placed: readonly PlacedTrack[], seconds: number): number {
  return Math.max(
    0,
    placed.findLastIndex((one) => one.startSeconds <= seconds + 0.001),
  )
}

/** The track that is heard, or the join. */
function Heard() {
  const { playback } = useApp().releases
  const { t } = useWords()
  const { placed, join, version } = useSelect(playback.store, (state) => state)
  const [index, setIndex] = useState(0)
  useFrames(() => {
    const now = heardAt(placed, playback.position())
    if (now !== index) setIndex(now)
  }, STILL_MS)
  const one = placed[join ?? index]
  const next = placed[(join ?? index) + 1]
  if (!one) return null
  const texts = t.release.player
  const isJoin = join !== null && next
  return (
    <div className="heard-track lg">
      <b className="clip">{isJoin ? texts.join(one.position, next.position) : `${one.position} · ${one.title}`}</b>
      <span className="clip">
        {isJoin
          ? texts.rest(next.restSeconds)
          : version === 'original'
            ? texts.asItCame
            : one.isMaster
              ? texts.master
              : texts.original}
      </span>
    </div>
  )
}

/** Plays the next join: the last seconds of a track and the first of the one after it. */
function JoinButton({ release }: { release: Release }) {
  const { playback } = useApp().releases
  const { t } = useWords()
  const join = useSelect(playback.store, (state) => state.join)
  const heard = release.tracks.filter((track) => track.state === 'stored' || track.state === 'done').length
  if (heard < 2) return null
  const play = () => {
    const { placed } = playback.store.getState()
    const now = join === null ? heardAt(placed, playback.position()) : join + 1
    playback.playJoin(release, now < heard - 1 ? now : 0)
  }
  return (
    <Button look="quiet" small title={t.release.player.joinHint} onClick={play}>
      {t.release.player.nextJoin}
    </Button>
  )
}

/** Seconds of an arrow key, alone and with Shift. */
const STEP_SECONDS = 5
const SMALL_STEP_SECONDS = 1

/** Space plays, J plays the next join. */
function useTransportKeys(release: Release): void {
  const { playback } = useApp().releases
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event) || event.defaultPrevented || isCovered() || event.ctrlKey || event.metaKey || event.altKey)
        return
      const key = keyOf(event)
      const isInSheet = event.target instanceof Element && event.target.closest('[role=grid]') !== null
      const step = event.shiftKey ? SMALL_STEP_SECONDS : STEP_SECONDS
      if (key === ' ' && !ownsKey(event.target, ' ')) playback.toggle(release)
      else if (!isInSheet && !ownsKey(event.target, key) && key === 'ArrowRight')
        playback.seek(playback.position() + step)
      else if (!isInSheet && !ownsKey(event.target, key) && key === 'ArrowLeft')
        playback.seek(playback.position() - step)
      else return
      event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [playback, release])
}
