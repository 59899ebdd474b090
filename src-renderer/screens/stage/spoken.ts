/** Effects of the stage's keys, announced to screen readers. */
import { useEffect } from 'react'
import { copyCodecName } from '../../../src-contract/codecs.ts'
import { clock } from '../../../src-contract/text/numbers.ts'
import type { BlindTest } from '../../playback/blind-test.ts'
import { AS_UPLOADED } from '../../playback/forms.ts'
import {
  heardDifference,
  heardVersion,
  isLoaded,
  type PlaybackState,
  type PlaybackVersion,
  shownService,
} from '../../playback/state.ts'
import { useApp } from '../../state/app-state.ts'
import { lengthOf } from '../../state/time-view.ts'
import type { ListenText } from '../../text/listen.en.ts'
import { useListenWords, useStage, useTrackName, useVersionName } from './context.tsx'

/** Announces the result of a key: version, level, loop or step of the blind test. Continuous changes are silent. */
export function useSpokenChanges(): void {
  const { t, l } = useListenWords()
  const { notices, playback } = useApp()
  const { item } = useStage()
  const nameOf = useVersionName()
  const nameOfTrack = useTrackName()
  useEffect(() => {
    const ofTest = ({ versions, blindTest: now }: PlaybackState, before: BlindTest | null) => {
      if (!now || now === before || now.isOver) return null
      if (!before || before.isOver) return l.blind.intro(nameOfTrack(versions, now.a), nameOfTrack(versions, now.b))
      if (now.trials !== before.trials) return l.blind.trial(now.trials.length + 1)
      return l.live.hearing(l.blind[now.heard])
    }
    const ofSound = (now: PlaybackState, before: PlaybackState) => {
      const version = now.versions.find((one) => one.id === heardVersion(now))
      if (version) {
        const said = formWords(now, version, nameOf(version), l)
        if (said !== formWords(before, version, nameOf(version), l) || now.version !== before.version) return said
      }
      if (now.levelMode !== before.levelMode || now.service !== before.service) {
        const names = {
          matched: t.transport.matched,
          service: t.transport.asOn(t.platforms[shownService(now)]),
          file: t.transport.file,
        }
        return l.live.level(names[now.levelMode])
      }
      const { loop, isLooping } = now
      if (isLooping === before.isLooping && !(isLooping && loop !== before.loop)) return null
      return isLooping && loop ? l.live.loopOn(clock(loop.startSeconds), clock(loop.endSeconds)) : l.live.loopOff
    }
    return playback.store.subscribe((now, before) => {
      if (!isLoaded(now, item) || !isLoaded(before, item)) return
      const said = now.blindTest ? ofTest(now, before.blindTest) : ofSound(now, before)
      if (said) notices.announce(said)
    })
  }, [playback, notices, item, l, t, nameOf, nameOfTrack])
}

/** Returns the sentence for the current or pending form of a version. */
function formWords(state: PlaybackState, { id }: PlaybackVersion, name: string, l: ListenText): string {
  const { codec, making } = state.copies[id] ?? AS_UPLOADED
  if (making) return l.copies.isEncoding(name, copyCodecName(making).full)
  const form = codec && copyCodecName(codec).full
  if (heardDifference(state)) return form ? l.difference.hearingCodec(name, form) : l.difference.hearing(name)
  return form ? l.copies.hearing(name, form) : l.live.hearing(name)
}

/** Least change of the visible duration that is a zoom rather than rounding, s. */
const ZOOM_SECONDS = 1e-6

/** Announces the visible part of the song after a zoom; scrolling and following are silent. */
export function useSpokenZoom(): void {
  const { l } = useListenWords()
  const { notices } = useApp()
  const { view } = useStage()
  useEffect(
    () =>
      view.store.subscribe((now, before) => {
        if (Math.abs(lengthOf(now) - lengthOf(before)) < ZOOM_SECONDS) return
        notices.announce(l.timeView.shown(clock(now.startSeconds), clock(now.endSeconds)))
      }),
    [view, notices, l],
  )
}
