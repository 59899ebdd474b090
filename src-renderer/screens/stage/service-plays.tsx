/** Treatment of a song by services: cells and rows of the tables under "Where it plays". */
import { ChevronDown } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { PLATFORMS } from '../../../src-contract/platforms/index.ts'
import { type PlaybackForecast, serviceFacts } from '../../../src-contract/playback-forecast.ts'
import { unbroken } from '../../../src-contract/text/numbers.ts'
import { CONFIDENCE_WORDS, forecastText } from '../../../src-contract/text/playback-forecast.ts'
import type { ServicePlays } from '../../state/planned-plays.ts'
import { useListenWords } from './context.tsx'
import './service-plays.css'

interface ServiceRowProps {
  readonly plays: ServicePlays
  /** Cells between the name and the playback. */
  readonly children?: ReactNode
  /** Number of columns of the table. */
  readonly columns: number
  /** Cells after the playback. */
  readonly after?: ReactNode
  readonly name?: ReactNode
  readonly className?: string | undefined
  readonly onClick?: (() => void) | undefined
}

/** A service as a row of a table: its name, further cells, and its playback, which opens its details. */
export function ServiceRow({ plays, children, columns, after, name, className, onClick }: ServiceRowProps) {
  const { language } = useListenWords()
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const { service, usual, modes } = plays
  const about = `${usual.source}, ${usual.read}. ${CONFIDENCE_WORDS[usual.confidence][language]}`
  return (
    <>
      <tr className={className} onClick={onClick}>
        {name ?? <th scope="row">{serviceFacts(service).name[language]}</th>}
        {children}
        <td className="dim">
          <button
            type="button"
            className="plays"
            title={about}
            aria-expanded={isOpen}
            aria-controls={id}
            onClick={(event) => {
              event.stopPropagation()
              setOpen(!isOpen)
            }}
          >
            <Playback forecast={usual} />
          </button>
        </td>
        {after}
      </tr>
      <tr id={id} hidden={!isOpen} className="about">
        <td colSpan={columns}>
          {modes.map((one) => (
            <p key={one.mode}>{unbroken(forecastText(one, language))}</p>
          ))}
          <p className="faint">
            {usual.url ? (
              <a href={usual.url} target="_blank" rel="noreferrer" tabIndex={isOpen ? undefined : -1}>
                {usual.source}
              </a>
            ) : (
              usual.source
            )}
            , {usual.read}
          </p>
        </td>
      </tr>
    </>
  )
}

function Playback({ forecast }: { forecast: PlaybackForecast }) {
  const { l, format } = useListenWords()
  const { action, gain_db: gainDb, limiter } = forecast
  const amount = format.level(Math.abs(gainDb))
  const text =
    action === 'turn_down'
      ? l.verdict.playback.turn_down(amount)
      : action === 'turn_up'
        ? l.verdict.playback.turn_up(amount)
        : l.verdict.playback[action]
  return unbroken(limiter ? `${text}, ${l.plays.limiter}` : text)
}

const isPlatform = ({ service }: ServicePlays) => PLATFORMS.some((platform) => platform === service)

/** The services without masters of their own, folded to one row until it is opened. */
export function OtherServices({
  all,
  columns,
  children,
}: {
  readonly all: readonly ServicePlays[]
  readonly columns: number
  /** Returns the row of one service. */
  readonly children: (plays: ServicePlays) => ReactNode
}) {
  const { t, l } = useListenWords()
  const [isOpen, setOpen] = useState(false)
  const others = all.filter((plays) => !isPlatform(plays))
  const file = others[0]?.file
  if (others.length === 0) return null
  return (
    <>
      {isOpen && others.map(children)}
      <tr className="more">
        <td colSpan={columns}>
          <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {l.plays.others(others.length, !file ? '' : file === 'release' ? l.release : t.platforms[file])}
            <ChevronDown className="i s" aria-hidden="true" />
          </button>
        </td>
      </tr>
    </>
  )
}
