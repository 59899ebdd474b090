/** The transport of the Master screen: play, time, what is heard, and the one choice of level. */
import { ChevronDown } from 'lucide-react'
import { useEffect, useId, useState } from 'react'
import { PLATFORMS, platformFacts } from '../../../src-contract/platforms/index.ts'
import { playingTime } from '../../../src-contract/text/numbers.ts'
import { Menu } from '../../components/dialogs.tsx'
import { Clock, PlayButton } from '../../components/transport.tsx'
import type { LevelMode } from '../../player/levels.ts'
import { useApp, useSelect } from '../../state/app-state.ts'
import { type HeardSong, heardSide, hearingGainsDb } from '../../state/hearing.ts'
import { useWords } from '../../text/context.tsx'
import { type TransportSong, useHearing } from './use-heard.ts'

/** Time that reading takes before it is said, ms. */
const UNNOTICED_MS = 300

export function MasterTransport({ song }: { song: TransportSong }) {
  const { hearing } = useApp()
  const { t } = useWords()
  const isThis = useHearing((state) => state.song?.rowId === song.rowId)
  const isPlaying = useHearing((state) => state.isPlaying) && isThis
  const hasFailed = useHearing((state) => state.hasFailed) && isThis
  return (
    <fieldset className="transport" aria-label={t.transport.label}>
      <PlayButton isPlaying={isPlaying} onToggle={() => hearing.toggle(song)} />
      <div className="sounding">
        <bdi className="clip" title={song.title}>
          {song.title}
        </bdi>
        <SongClock durationSeconds={song.durationSeconds} isThis={isThis} hasFailed={hasFailed} />
      </div>
      <HeardSwitch isThis={isThis} />
      <Level song={song} isThis={isThis} />
    </fieldset>
  )
}

/** Tells whether something is read for so long that it must be said. */
function useLongWait(isOn: boolean): boolean {
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    if (!isOn) return
    const timer = setTimeout(() => setLong(true), UNNOTICED_MS)
    return () => {
      clearTimeout(timer)
      setLong(false)
    }
  }, [isOn])
  return isLong
}

interface SongClockProps {
  durationSeconds: number
  isThis: boolean
  hasFailed: boolean
}

function SongClock({ durationSeconds, isThis, hasFailed }: SongClockProps) {
  const { hearing } = useApp()
  const { t } = useWords()
  const isLong = useLongWait(useHearing((state) => state.isPlaying && state.isWaiting) && isThis)
  const length = `/ ${playingTime(durationSeconds)}`
  return (
    <Clock
      position={() => (isThis ? hearing.position() : 0)}
      note={hasFailed ? t.transport.failed : isLong ? t.transport.reading : length}
      hasFailed={hasFailed}
    />
  )
}

/** Switch between the original and the sound as a platform gets it. */
function HeardSwitch({ isThis }: { isThis: boolean }) {
  const { hearing, auditions } = useApp()
  const { t } = useWords()
  const group = useId()
  const platform = useHearing((state) => state.platform)
  const sound = useHearing((state) => state.sound)
  const side = useHearing(heardSide)
  const isAsking = useSelect(auditions.store, (state) => state.isAsking)
  const hasSound = isThis && sound !== null
  const isEstimate = hasSound && (isAsking || !sound.isExact)
  const name = `${t.platforms[platform]}${isEstimate ? ' ≈' : ''}`
  return (
    <div className="heard vers" role="radiogroup" aria-label={t.transport.heard}>
      <label>
        <input
          type="radio"
          className="vh"
          name={group}
          checked={side === 'original'}
          onChange={() => hearing.choose('original')}
        />
        <span>{t.transport.original}</span>
        <span aria-hidden="true">
          <kbd>0</kbd>
        </span>
      </label>
      <span className="level-part">
        <label className={hasSound ? undefined : 'off'} title={hasSound ? t.transport.swap : t.transport.noSoundYet}>
          <input
            type="radio"
            className="vh"
            name={group}
            checked={side === 'sound'}
            disabled={!hasSound}
            aria-describedby={isEstimate ? `${group}-estimate` : undefined}
            onChange={() => hearing.choose('sound')}
          />
          <span className="clip sound-name">{name}</span>
          {isEstimate && (
            <span id={`${group}-estimate`} className="vh">
              {t.transport.estimate}
            </span>
          )}
        </label>
        <PlatformMenu />
      </span>
    </div>
  )
}

/** The platform as which the sound is heard. */
function PlatformMenu() {
  const { hearing } = useApp()
  const { t } = useWords()
  const platform = useHearing((state) => state.platform)
  return (
    <Menu
      label={t.transport.platform}
      trigger={
        <button type="button" className="chevron" aria-label={t.transport.platform}>
          <ChevronDown className="i s" aria-hidden="true" />
        </button>
      }
      items={PLATFORMS.map((one) => ({
        text: t.platforms[one],
        isChosen: one === platform,
        onChoose: () => hearing.setPlatform(one),
      }))}
    />
  )
}

const print = (db: number, format: (value: number) => string) =>
  `${Math.abs(db) < 0.05 ? '0.0' : db > 0 ? `+${format(db)}` : format(db)} dB`

function Level({ song, isThis }: { song: HeardSong; isThis: boolean }) {
  const { hearing } = useApp()
  const { t, format } = useWords()
  const group = useId()
  const heard = useHearing((all) => all)
  const state = isThis ? heard : { ...heard, song }
  const noteOf = (mode: LevelMode) => print(hearingGainsDb(state, mode)[heardSide(state)], format.level)
  const parts: readonly { mode: LevelMode; text: string; note?: string; hint: string }[] = [
    { mode: 'matched', text: t.transport.matched, note: noteOf('matched'), hint: t.transport.matchedHint },
    {
      mode: 'service',
      text: t.transport.asOn(t.platforms[state.platform]),
      note: platformFacts(state.platform).playback.referenceLufs === null ? t.transport.noRule : noteOf('service'),
      hint: t.transport.asOnHint,
    },
    { mode: 'file', text: t.transport.file, hint: t.transport.fileHint },
  ]
  return (
    <div className="level">
      <div className="seg fit" role="radiogroup" aria-label={t.transport.level}>
        {parts.map(({ mode, text, note, hint }) => (
          <label key={mode} title={hint} className="level-part">
            <input
              type="radio"
              className="vh"
              name={group}
              checked={state.levelMode === mode}
              onChange={() => hearing.setLevelMode(mode)}
            />
            <span>{text}</span>
            {note && <small>{note}</small>}
          </label>
        ))}
      </div>
    </div>
  )
}
