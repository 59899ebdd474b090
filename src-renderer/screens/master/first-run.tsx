/** The empty batch: one sentence, one action, three facts. */
import { FolderOpen } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { SampleNote } from '../../components/sample-note.tsx'
import { fetchSampleSong } from '../../sample-song/sample-song.ts'
import { useWords } from '../../text/context.tsx'
import { StemsQuestion } from '../stage/stems/stems-question.tsx'
import './first-run.css'

export interface FirstRunProps {
  isOver: boolean
  note: string | null
  onChoose: () => void
  onFiles: (files: readonly File[]) => void
}

export function FirstRun({ isOver, note, onChoose, onFiles }: FirstRunProps) {
  const { t } = useWords()
  const [isFetching, setFetching] = useState(false)
  const trySample = async () => {
    setFetching(true)
    // The top of the page reports a service that does not answer.
    const song = await fetchSampleSong(t.first.sampleName).catch(() => null)
    setFetching(false)
    if (song) onFiles([song])
  }
  return (
    <main id="content" className="work first" tabIndex={-1}>
      <StemsQuestion />
      <fieldset className={`drop ${isOver ? 'is-over' : ''}`} aria-label={t.drop.label}>
        <div className="say">
          <div>
            <h1>
              {t.first.titleOne}
              <br />
              {t.first.titleTwo}
            </h1>
            <div className="row doors">
              <Button
                look="primary"
                className="big"
                icon={<FolderOpen className="i" aria-hidden="true" />}
                onClick={onChoose}
              >
                {t.drop.choose}
              </Button>
              <Button className="big" busyText={isFetching && t.loading} onClick={() => void trySample()}>
                {t.first.sample}
              </Button>
            </div>
            <SampleNote />
            <p className="label">{note ?? t.drop.limitsLong}</p>
          </div>
          <ol>
            {t.first.points.map(([head, rest]) => (
              <li key={head}>
                <b>{head}</b> {rest}
              </li>
            ))}
          </ol>
        </div>
        <Flatten />
      </fieldset>
    </main>
  )
}

const LINE = 28
const PITCH = 5

/** Heights of a song, 0 to 1, drawn from sines: an illustration, not a measurement. */
const swell = (t: number) =>
  Math.abs(Math.sin(t * 41) * 0.5 + Math.sin(t * 97 + 1) * 0.3 + Math.sin(t * 13 + 2) * 0.35) * 0.8 + 0.2

/** Irregular as beats are, but the same at every start, 0 to 1. */
const scatter = (bar: number) => {
  const wild = Math.sin(bar * 127.1) * 43_758.5453
  return wild - Math.floor(wild)
}

/** The song rises to the line and flattens against it: the steel turns straw there. */
function Flatten() {
  const host = useRef<SVGSVGElement>(null)
  const [size, setSize] = useState({ width: 0, height: 0 })
  useEffect(() => {
    const element = host.current
    if (!element) return
    const observer = new ResizeObserver(([entry]) => {
      const box = entry?.contentRect
      if (box) setSize({ width: Math.floor(box.width), height: Math.floor(box.height) })
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const { width, height } = size
  let before = ''
  let after = ''
  const count = Math.floor(width / PITCH)
  for (let i = 0; i < count; i++) {
    const t = i / count
    const loud = swell(t)
    const worked = Math.min(1, Math.max(0, (t - 0.36) / 0.3))
    const ease = worked * worked * (3 - 2 * worked)
    const beat = scatter(i)
    const raw = loud ** 1.6 * 0.72 * (0.35 + 0.65 * beat)
    const limited = Math.min(1, 0.5 + 0.42 * Math.sqrt(loud) + 0.16 * beat)
    const edge = Math.min(1, t * 26, (1 - t) * 26)
    const reach = (raw + (limited - raw) * ease) * Math.max(0, height - LINE) * edge
    const bar = `M${i * PITCH} ${height}v${-reach.toFixed(1)}h2.5v${reach.toFixed(1)}z`
    if (ease > 0.5) after += bar
    else before += bar
  }
  return (
    <svg ref={host} className="ill" viewBox={`0 0 ${width || 1} ${height || 1}`} aria-hidden="true">
      <path className="w-in-d" d={before} />
      <path className="w-out" d={after} />
      <line x1={0} x2={width} y1={LINE - 5} y2={LINE - 5} className="l-aim" />
      <text className="t e aim" x={width - 16} y={14}>
        −1 dBTP
      </text>
    </svg>
  )
}
