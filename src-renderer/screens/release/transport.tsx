/** The transport of a release: its tracks in order. */
import { useEffect, useMemo, useState } from 'react'
import type { Release } from '../../../src-contract/releases.ts'
import { playingTime } from '../../../src-contract/text/numbers.ts'
import { Segmented } from '../../components/choices.tsx'
import { useFrames } from '../../components/frames.ts'
import { isCovered, isTyping, keyOf, ownsKey } from '../../components/is-typing.ts'
import type { Playback } from '../../playback/playback.ts'
import {
  matchedLevels,
  type ReleaseItem,
  type ReleaseSound,
  releaseItem,
  soundOf,
  soundOfKey,
  trackAt,
} from '../../playback/release-item.ts'
import { useApp, usePlayback, useSelect } from '../../state/app-state.ts'
import { useWords } from '../../text/context.tsx'
import { Clock, PlayButton } from '../transport.tsx'

export function ReleaseTransport({ release }: { release: Release }) {
  const { playback } = useApp()
  const { t } = useWords()
  const item = useReleaseItem(release)
  const durationSeconds = usePlayback((state) => state.durationSeconds)
  useEffect(() => playback.load(item), [playback, item])
  useEffect(() => playback.leave, [playback])
  useTransportKeys(item)
  return (
    <fieldset className="row transport" aria-label={t.transport.label}>
      <PlayButton item={item} />
      <Clock item={item} length={playingTime(durationSeconds || lengthOf(release))} />
      <SoundSwitch release={release} item={item} />
      <Heard />
    </fieldset>
  )
}

/** Returns the release as a playback item, with its levels once the songs are measured. */
function useReleaseItem(release: Release): ReleaseItem {
  const plan = useSelect(useApp().releases.plan.store, (state) => state.plan)
  return useMemo(() => {
    const songs = Object.fromEntries(plan?.tracks.map(({ track_id, source_lufs }) => [track_id, source_lufs]) ?? [])
    return releaseItem(release, matchedLevels(release, songs))
  }, [release, plan])
}

function hear(playback: Playback, sound: ReleaseSound): void {
  playback.adjust({ levelMode: sound === 'file' ? 'file' : 'matched' })
  playback.choose(sound === 'original' ? 'source' : 'record')
}

/** The masters as written, or masters and originals at equal loudness; X switches between these, L the level. */
function SoundSwitch({ release, item: { levels } }: { release: Release; item: ReleaseItem }) {
  const { playback } = useApp()
  const { t, format } = useWords()
  const texts = t.release.transport
  const sound = usePlayback(soundOf)
  if (!release.tracks.some(({ master }) => master?.state === 'done')) return null
  const whyNot = levels ? undefined : texts.noMatch
  const matched = levels && levels.masterDb < 0 ? texts.matchedBy(format.signed(levels.masterDb)) : texts.matched
  return (
    <Segmented<ReleaseSound>
      label={texts.versions}
      className="fit small record-versions"
      value={sound}
      onChoose={(next) => hear(playback, levels ? next : 'file')}
      options={[
        { value: 'file', text: texts.file, hint: texts.fileHint },
        { value: 'master', text: texts.master, hint: whyNot ?? matched },
        { value: 'original', text: texts.asItCame, hint: whyNot ?? matched },
      ]}
    />
  )
}

/** Length of a release before it is read: the sum of its songs and pauses. */
function lengthOf({ tracks }: Release): number {
  return tracks.reduce(
    (sum, one, at) =>
      sum +
      Math.max(0, (one.duration_seconds ?? 0) - one.trim_start_seconds - one.trim_end_seconds) +
      (at > 0 ? one.gap_before_seconds : 0),
    0,
  )
}

/** The current track, or the join. */
function Heard() {
  const { playback } = useApp()
  const { t } = useWords()
  const state = usePlayback((all) => all)
  const { placed, join, version } = state
  const [index, setIndex] = useState(0)
  useFrames(() => {
    const now = trackAt(state, playback.position())
    if (now !== index) setIndex(now)
  })
  const first = join?.index ?? index
  const [one, next] = [placed[first], placed[first + 1]]
  if (!one) return null
  const texts = t.release.transport
  const isJoin = join !== null && next
  return (
    <div className="heard-track lg">
      <b className="clip">{isJoin ? texts.join(one.position, next.position) : `${one.position} · ${one.title}`}</b>
      <span className="clip">
        {isJoin
          ? texts.rest(next.restSeconds)
          : version === 'source'
            ? texts.asItCame
            : one.isMaster
              ? texts.master
              : texts.original}
      </span>
    </div>
  )
}

/** Seek distance of an arrow key, alone and with Shift, s. */
const STEP_SECONDS = 5
const SMALL_STEP_SECONDS = 1

/** Handles a key; false if it has no function here. In the table of tracks letters start editing, and arrows move. */
function obey(event: KeyboardEvent, playback: Playback, item: ReleaseItem): boolean {
  const key = keyOf(event)
  if (key === ' ' && !ownsKey(event.target, ' ')) {
    playback.toggle(item)
    return true
  }
  if (event.target instanceof Element && event.target.closest('[role=grid]')) return false
  const sound = item.levels ? soundOfKey(key, soundOf(playback.store.getState())) : undefined
  const step = event.shiftKey ? SMALL_STEP_SECONDS : STEP_SECONDS
  if (sound) hear(playback, sound)
  else if (key === 'ArrowRight' && !ownsKey(event.target, key)) playback.nudge(step)
  else if (key === 'ArrowLeft' && !ownsKey(event.target, key)) playback.nudge(-step)
  else return false
  return true
}

/** Space plays, arrows seek, X switches between masters and originals, L changes the level. */
function useTransportKeys(item: ReleaseItem): void {
  const { playback } = useApp()
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event) || event.defaultPrevented || isCovered() || event.ctrlKey || event.metaKey || event.altKey)
        return
      if (obey(event, playback, item)) event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [playback, item])
}
