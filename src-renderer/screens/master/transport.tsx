/** The transport of the Master screen: play, time, original or sound, and the level. */
import { ChevronDown } from 'lucide-react'
import { useId } from 'react'
import { PLATFORMS } from '../../../src-contract/platforms/index.ts'
import { playingTime } from '../../../src-contract/text/numbers.ts'
import { Menu } from '../../components/dialogs.tsx'
import { useApp, usePlayback, useSelect } from '../../state/app-state.ts'
import { useWords } from '../../text/context.tsx'
import { Clock, Level, PlayButton } from '../transport.tsx'
import { auditionOf, type TransportSong } from './transport-song.ts'

export function MasterTransport({ song: { item, title } }: { song: TransportSong }) {
  const { t } = useWords()
  return (
    <fieldset className="transport" aria-label={t.transport.label}>
      <PlayButton item={item} />
      <div className="sounding">
        <bdi className="clip" title={title}>
          {title}
        </bdi>
        <Clock item={item} length={playingTime(item.durationSeconds)} />
      </div>
      <SoundSwitch />
      <Level item={item} />
    </fieldset>
  )
}

/** Switch between the original and the sound for a platform. */
function SoundSwitch() {
  const { playback, auditions } = useApp()
  const { t } = useWords()
  const group = useId()
  const service = usePlayback((state) => state.service) ?? PLATFORMS[0]
  const audition = usePlayback(auditionOf)
  const isOriginal = usePlayback((state) => state.version === 'source') || !audition
  const isAsking = useSelect(auditions.store, (state) => state.isAsking)
  const isEstimate = audition && (isAsking || !audition.isExact)
  const name = `${t.platforms[service]}${isEstimate ? ' ≈' : ''}`
  return (
    <div className="heard vers" role="radiogroup" aria-label={t.transport.heard}>
      <label>
        <input
          type="radio"
          className="vh"
          name={group}
          checked={isOriginal}
          onChange={() => playback.choose('source')}
        />
        <span>{t.transport.original}</span>
        <span aria-hidden="true">
          <kbd>0</kbd>
        </span>
      </label>
      <span className="level-part">
        <label className={audition ? undefined : 'off'} title={audition ? t.transport.swap : t.transport.noSoundYet}>
          <input
            type="radio"
            className="vh"
            name={group}
            checked={!isOriginal}
            disabled={!audition}
            aria-describedby={isEstimate ? `${group}-estimate` : undefined}
            onChange={() => playback.choose('audition')}
          />
          <span className="clip sound-name">{name}</span>
          {isEstimate && (
            <span id={`${group}-estimate`} className="vh">
              {t.transport.estimate}
            </span>
          )}
        </label>
        <Menu
          label={t.transport.platform}
          trigger={
            <button type="button" className="chevron" aria-label={t.transport.platform}>
              <ChevronDown className="i s" aria-hidden="true" />
            </button>
          }
          items={PLATFORMS.map((one) => ({
            text: t.platforms[one],
            isChosen: one === service,
            onChoose: () => playback.adjust({ service: one }),
          }))}
        />
      </span>
    </div>
  )
}
