/**
 * The long-term spectrum of original and version against the target curve, with its finding in words and as a table.
 */

import { ChartLine, Table2 } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import { frequency, nominalHz, nominalName, unbroken } from '../../../src-contract/text/numbers.ts'
import { Button } from '../../components/button.tsx'
import { setAttribute, useFrames, useSize } from '../../components/frames.ts'
import {
  type Band,
  compareSpectra,
  FREQUENCY_TICKS,
  LEVEL_TICKS,
  liveBands,
  spectrumAxes,
  spectrumLayout,
  spectrumPath,
  tiltedBands,
} from '../../drawing/spectrum.ts'
import type { PlaybackState } from '../../playback/state.ts'
import { useApp } from '../../state/app-state.ts'
import type { Format } from '../../text/format.ts'
import type { ListenText } from '../../text/listen.en.ts'
import { useHere, useListenWords, useStage, useVersionName } from './context.tsx'

const LIVE_MS = 66
/** A curve that stays this close to its target is described by its largest distance, another by its mean. */
const CLOSE_DB = 3
/** Distances are rounded to a tenth: a smaller one is given as within one. */
const LEAST_DB = 0.1

/** Tells whether the live spectrum is drawn too: not in a blind test, where it would reveal X. */
const isHeardLive = (state: PlaybackState) => state.isPlaying && state.blindTest === null

interface Curves {
  readonly original: readonly Band[]
  readonly version: readonly Band[]
  readonly aim: readonly Band[]
  readonly isReference: boolean
}

function useCurves(): Curves & { name: string; isOriginal: boolean } {
  const { audition, facts } = useStage()
  const nameOf = useVersionName()
  const heard = useHere((state) => {
    const id = state.version === 'source' || state.blindTest ? state.lastHeard : state.version
    return state.versions.find((one) => one.id === id)
  })
  const version = heard?.kind === 'audition' ? (audition ?? undefined) : heard
  return useMemo(() => {
    const bandsOf = (spectrum: { band_hz: number[]; mid_db: (number | null)[] } | undefined) =>
      spectrum ? tiltedBands(spectrum.band_hz, spectrum.mid_db) : []
    const isReference = facts.referenceSpectrum !== undefined
    const isOriginal = version === undefined || version.kind === 'source'
    return {
      original: bandsOf(facts.spectrum),
      version: isOriginal || version.kind === 'reference' ? [] : bandsOf(version.spectrum),
      aim: bandsOf(facts.referenceSpectrum ?? facts.targetSpectrum),
      isReference,
      isOriginal,
      name: version ? nameOf(version) : '',
    }
  }, [facts, version, nameOf])
}

/** The finding in words: the version against its target or, without one, against the original. */
function findingOf({ original, version, aim, isReference }: Curves, l: ListenText, format: Format): string {
  const hasVersion = version.length > 0
  const finding = compareSpectra(hasVersion ? version : original, aim.length > 0 ? aim : original)
  if (!finding || (!hasVersion && aim.length === 0)) return l.spectrum.noAim
  const who = hasVersion ? l.spectrum.theMaster : l.spectrum.theOriginal
  const aims = isReference ? l.spectrum.theReference : l.spectrum.theTarget
  const what = aim.length > 0 ? aims : l.spectrum.theOriginal
  const { meanDb, withinDb, fromHz, toHz, worstHz, worstDb } = finding
  const span = [nominalName(fromHz), nominalName(toHz)] as const
  if (withinDb <= CLOSE_DB) return l.spectrum.within(who, format.level(Math.max(LEAST_DB, withinDb)), what, ...span)
  const worst = l.spectrum.worst(format.signed(worstDb), nominalName(worstHz))
  return l.spectrum.mean(who, format.level(meanDb), what, ...span) + worst
}

export function SpectrumPanel() {
  const { l, format } = useListenWords()
  const curves = useCurves()
  const [isTable, setTable] = useState(false)
  const isLive = useHere(isHeardLive)
  const finding = findingOf(curves, l, format)
  const sentence = unbroken(finding.charAt(0).toUpperCase() + finding.slice(1))
  const aimName = curves.isReference ? l.reference : l.spectrum.target
  const Icon = isTable ? ChartLine : Table2
  return (
    <section className="spectrum" aria-label={l.spectrum.title}>
      <header>
        <h2>{l.spectrum.title}</h2>
        <span className="keyline">
          {isLive && !isTable && (
            <span>
              <i className="n" />
              {l.spectrum.now}
            </span>
          )}
          <span>
            <i />
            {l.original}
          </span>
          {curves.version.length > 0 && (
            <span>
              <i className="o" />
              {l.spectrum.master}
            </span>
          )}
          {curves.aim.length > 0 && (
            <span>
              <i className="a" />
              {aimName}
            </span>
          )}
        </span>
      </header>
      {isTable ? (
        <SpectrumTable curves={curves} aimName={aimName} />
      ) : (
        <Plot curves={curves} label={l.spectrum.label(finding)} />
      )}
      <p className="finding">
        <span aria-hidden={!isTable}>{sentence}</span>
        <Button
          look="quiet"
          small
          label={isTable ? l.spectrum.plot : l.spectrum.table}
          icon={<Icon className="i s" aria-hidden="true" />}
          onClick={() => setTable(!isTable)}
        />
      </p>
    </section>
  )
}

function Plot({ curves, label }: { curves: Curves; label: string }) {
  const { l, format } = useListenWords()
  const { playback } = useApp()
  const host = useRef<HTMLDivElement>(null)
  const now = useRef<SVGPathElement>(null)
  const [width, height] = useSize(host, [380, 172])
  const layout = useMemo(
    () => spectrumLayout(width, height, [curves.original, curves.version, curves.aim]),
    [width, height, curves],
  )
  const { toX, toY } = spectrumAxes(layout)
  const { cutoffHz } = useStage().facts
  const isLive = useHere(isHeardLive)
  const lastDraw = useRef(0)
  useFrames((time) => {
    const path = now.current
    if (!path || time - lastDraw.current < LIVE_MS) return
    lastDraw.current = time
    const live = isLive ? playback.graph?.spectrum() : null
    setAttribute(path, 'd', live ? spectrumPath(liveBands(live.bins, live.binHz), layout) : '')
  })
  const paths = useMemo(
    () => ({
      area: spectrumPath(curves.version.length > 0 ? curves.version : curves.original, layout, true),
      original: spectrumPath(curves.original, layout),
      version: spectrumPath(curves.version, layout),
      aim: spectrumPath(curves.aim, layout),
    }),
    [curves, layout],
  )
  return (
    <div ref={host} className="plotbox">
      <svg className="plot" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
        {FREQUENCY_TICKS.map(([hz, text]) => (
          <g key={hz}>
            <line className="g" x1={toX(hz)} x2={toX(hz)} y1={4} y2={layout.bottom} />
            {/* In a narrow plot 100 and 200 would touch. */}
            {(hz !== 200 || toX(200) - toX(100) > 22) && (
              <text className="t m" x={toX(hz)} y={height - 4}>
                {text}
              </text>
            )}
          </g>
        ))}
        {cutoffHz !== undefined && (
          <g>
            <path className="l-cutoff" d={`M${toX(cutoffHz).toFixed(1)} 4V${layout.bottom}`} />
            <text className="t e" x={toX(cutoffHz) - 4} y={14}>
              {l.spectrum.cutoff(frequency(cutoffHz))}
            </text>
          </g>
        )}
        {LEVEL_TICKS.filter((db) => db <= layout.topDb - 2 && toY(db) < layout.bottom).map((db) => (
          <g key={db}>
            <line className="g" x1={layout.left} x2={layout.right} y1={toY(db)} y2={toY(db)} />
            {/* The lowest label is hidden behind the unit. */}
            {toY(db) < layout.bottom - 16 && (
              <text className="t e" x={layout.left - 5} y={toY(db) + 4}>
                {format.target(db)}
              </text>
            )}
          </g>
        ))}
        <text className="t e" x={layout.right} y={height - 4}>
          {l.spectrum.frequency}
        </text>
        <text className="t e" x={layout.left - 5} y={layout.bottom}>
          {l.db}
        </text>
        <path className={curves.version.length > 0 ? 'a-out' : 'a-in'} d={paths.area} />
        <path ref={now} className="l-now" />
        <path className="l-in" d={paths.original} />
        <path className="l-out" d={paths.version} />
        <path className="l-aim" d={paths.aim} />
      </svg>
    </div>
  )
}

function SpectrumTable({ curves, aimName }: { curves: Curves; aimName: string }) {
  const { l, format } = useListenWords()
  const at = (bands: readonly Band[], hz: number) =>
    format.level(bands.find((band) => Math.abs(band.hz / hz - 1) < 0.01)?.db)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls has to be reachable by keyboard
    <section className="plotbox scrolls" tabIndex={0} aria-label={l.spectrum.title}>
      <table>
        <thead>
          <tr>
            <th className="r" scope="col">
              {l.spectrum.frequency}
            </th>
            <th className="r" scope="col">
              {l.original}
            </th>
            {curves.version.length > 0 && (
              <th className="r" scope="col">
                {l.spectrum.master}
              </th>
            )}
            {curves.aim.length > 0 && (
              <th className="r" scope="col">
                {aimName}
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {curves.original.map(({ hz }) => (
            <tr key={hz}>
              <th className="r" scope="row">
                {nominalHz(hz)}
              </th>
              <td className="r">{at(curves.original, hz)}</td>
              {curves.version.length > 0 && <td className="r">{at(curves.version, hz)}</td>}
              {curves.aim.length > 0 && <td className="r">{at(curves.aim, hz)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
