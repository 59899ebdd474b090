/**
 * The response curve over the song's spectrum: the planned part shaded, the user's own as a line with four points to
 * drag.
 */

import { type PointerEvent, useMemo, useRef, useState } from 'react'
import type { AnalysisSummary } from '../../../../src-contract/app.ts'
import type { ToneSettings } from '../../../../src-engine/dsp/tone-law.ts'
import { useSize } from '../../../components/frames.ts'
import {
  joined,
  levelPath,
  ownToneDb,
  RESPONSE_TICKS,
  type ResponseLayout,
  responseAxes,
  responsePath,
  TONE_POINTS,
  type ToneName,
  thirdOctaveHz,
  toneValue,
} from '../../../drawing/response.ts'
import { type Band, tiltedBands, topOf } from '../../../drawing/spectrum.ts'
import { useWords } from '../../../text/context.tsx'
import { printedDb } from './sound-knobs.tsx'

const HEIGHT_PX = 122
/** Scale of pointer movement with Shift. */
const FINE = 0.2

export interface ResponseCurveProps {
  settings: ToneSettings
  /** Settings with what is suggested and not in use; undefined without. */
  suggested: ToneSettings | undefined
  toneDb: AnalysisSummary['tone_db'] | undefined
  /** Planned gain and target spectrum, if known. */
  planned: readonly Band[]
  aim: readonly Band[]
  onChange: (change: Partial<ToneSettings>) => void
}

export function ResponseCurve({ settings, suggested, toneDb, planned, aim, onChange }: ResponseCurveProps) {
  const { t } = useWords()
  const host = useRef<HTMLDivElement>(null)
  const [width] = useSize(host, [306, HEIGHT_PX])
  const layout = useMemo(() => ({ width, height: HEIGHT_PX }), [width])
  const { toX, toY } = responseAxes(layout)
  const back = useMemo(() => {
    const bands = toneDb
      ? tiltedBands(
          toneDb.map((_, band) => thirdOctaveHz(band)),
          toneDb,
        )
      : []
    const topDb = topOf([bands, aim])
    return {
      area: levelPath(bands, layout, topDb, true),
      line: levelPath(bands, layout, topDb),
      aim: levelPath(aim, layout, topDb),
      planned: planned.length > 0 ? responsePath(joined(planned), layout, true) : '',
    }
  }, [toneDb, aim, planned, layout])
  const values = TONE_POINTS.map(({ name }) => `${t.settings.steering[name]} ${printedDb(settings[name])}`).join(', ')
  return (
    <div className="curve" ref={host}>
      <svg
        viewBox={`0 0 ${width} ${HEIGHT_PX}`}
        width={width}
        height={HEIGHT_PX}
        role="img"
        aria-label={t.sound.curve(values)}
      >
        {[-6, 6].map((db) => (
          <line key={db} className="g" x1={0} x2={width} y1={toY(db)} y2={toY(db)} />
        ))}
        {RESPONSE_TICKS.map((hz) => (
          <line key={hz} className="g" x1={toX(hz)} x2={toX(hz)} y1={0} y2={HEIGHT_PX} />
        ))}
        <path className="a-in" d={back.area} />
        <path className="l-in" d={back.line} />
        <line className="zero" x1={0} x2={width} y1={toY(0)} y2={toY(0)} />
        <path className="a-plan" d={back.planned} />
        <path className="l-aim" d={back.aim} />
        {suggested && <path className="l-suggested" d={responsePath((hz) => ownToneDb(suggested, hz), layout)} />}
        <path className="l-own" d={responsePath((hz) => ownToneDb(settings, hz), layout)} />
        <Points settings={settings} layout={layout} onChange={onChange} />
      </svg>
      <div className="ax" aria-hidden="true">
        {RESPONSE_TICKS.map((hz) => (
          <span key={hz} style={{ left: toX(hz) }}>
            {hz >= 1000 ? `${hz / 1000}k` : hz}
          </span>
        ))}
      </div>
    </div>
  )
}

interface PointsProps {
  settings: ToneSettings
  layout: ResponseLayout
  onChange: ResponseCurveProps['onChange']
}

interface Grip {
  readonly name: ToneName
  readonly y: number
  readonly db: number
}

/** The four points. Their keyboard equivalents are the faders below. */
function Points({ settings, layout, onChange }: PointsProps) {
  const { t } = useWords()
  const [near, setNear] = useState<ToneName | null>(null)
  const grip = useRef<Grip | null>(null)
  const { toX, toY, dbPerPixel } = responseAxes(layout)
  const move = (event: PointerEvent) => {
    const held = grip.current
    if (!held) return
    const way = (held.y - event.clientY) * dbPerPixel * (event.shiftKey ? FINE : 1)
    const next = toneValue(held.name, held.db + way)
    if (next !== settings[held.name]) onChange({ [held.name]: next })
  }
  const letGo = () => {
    grip.current = null
    setNear(null)
  }
  return TONE_POINTS.map(({ name, hz }) => {
    const [x, y] = [toX(hz), toY(ownToneDb(settings, hz))]
    const isRight = x > layout.width * 0.6
    return (
      // biome-ignore lint/a11y/noStaticElementInteractions: the keyboard's equivalent is the fader of the same name
      <g
        key={name}
        className={`point ${near === name ? 'near' : ''}`}
        data-point={name}
        onPointerEnter={() => !grip.current && setNear(name)}
        onPointerLeave={() => !grip.current && setNear(null)}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          grip.current = { name, y: event.clientY, db: settings[name] }
          setNear(name)
        }}
        onPointerMove={move}
        onPointerUp={letGo}
        onPointerCancel={letGo}
        onDoubleClick={() => onChange({ [name]: 0 })}
      >
        <circle className="hit" cx={x} cy={y} r={13} />
        <circle className="dot" cx={x} cy={y} r={5.5} />
        {near === name && (
          <text className={`t value ${isRight ? 'e' : ''}`} x={x + (isRight ? -12 : 12)} y={y < 24 ? y + 18 : y - 9}>
            {t.settings.steering[name]} {printedDb(settings[name])}
          </text>
        )}
      </g>
    )
  })
}
