/** Delivered masters: verdict and numbers per platform, measured on the written files. */
import { Check, Download, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import type { Job } from '../../../src-contract/jobs.ts'
import { resultForecast } from '../../../src-contract/playback-forecast.ts'
import type { MasterResult } from '../../../src-contract/report.ts'
import { isWithoutCost } from '../../../src-contract/text/costs.ts'
import { change, decibels, unbroken } from '../../../src-contract/text/numbers.ts'
import { Button } from '../../components/button.tsx'
import { Modal } from '../../components/dialogs.tsx'
import { useOneTabStop } from '../../components/use-one-tab-stop.ts'
import { useApp } from '../../state/app-state.ts'
import { sharedCosts } from '../../state/costs.ts'
import { byService, type ServicePlays } from '../../state/planned-plays.ts'
import { type Refusal, refusalOf } from '../../state/refusal.ts'
import { useListenWords } from './context.tsx'
import { OtherServices, ServiceRow } from './service-plays.tsx'

const COLUMNS = 7

export interface VerdictProps {
  job: Job
  /** The current version, and the function that changes it; absent when nothing can be played. */
  heard?: string
  onHear?: (platform: string) => void
}

export function Verdict({ job, heard, onHear }: VerdictProps) {
  const { t, l, format, language } = useListenWords()
  const [isOpen, setOpen] = useState(false)
  const stop = useOneTabStop<HTMLTableElement>('button', 'column')
  const all = byService(job.forecast ?? resultForecast(job.results))
  const below = job.results.filter((one) => one.verdict === 'below_target')
  return (
    <section className="verdict" aria-label={l.verdict.title}>
      <header>
        <h2>{l.verdict.title}</h2>
        <Button look="quiet" small onClick={() => setOpen(true)}>
          {l.verdict.numbers}
        </Button>
      </header>
      <div className="scrolls-x">
        <table aria-label={l.verdict.title} {...stop}>
          <thead>
            <tr>
              <th scope="col">{l.verdict.platform}</th>
              <th scope="col" className="wide">
                {l.verdict.measured}
              </th>
              <th scope="col" className="r">
                {l.lufs}
              </th>
              <th scope="col" className="r wide">
                {l.dbtp}
              </th>
              <th scope="col" className="r wide">
                {l.verdict.gain}
              </th>
              <th scope="col">{l.verdict.onPlayback}</th>
              <th scope="col">
                <span className="vh">{l.verdict.save}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {job.results.map((result) => (
              <Row
                key={result.platform}
                job={job}
                result={result}
                plays={all.find(({ service }) => service === result.platform)}
                isHeard={heard === result.platform}
                {...(onHear ? { onHear } : {})}
              />
            ))}
            <OtherServices all={all} columns={COLUMNS}>
              {(plays) => (
                <ServiceRow key={plays.service} plays={plays} columns={COLUMNS} after={<td />}>
                  <td className="wide" />
                  <td className="r" />
                  <td className="r wide" />
                  <td className="r wide" />
                </ServiceRow>
              )}
            </OtherServices>
          </tbody>
        </table>
      </div>
      {[...new Set(below.map((one) => one.verdict_reason))].map((reason) => (
        <p key={reason} className="note">
          {unbroken(
            l.verdict.stops(
              below
                .filter((one) => one.verdict_reason === reason)
                .map((one) => `${t.platforms[one.platform]} ${format.level(one.target_lufs - one.integrated_lufs)} LU`)
                .join(', '),
            ),
          )}{' '}
          {reason && l.verdict.reasons[reason]}
        </p>
      ))}
      {sharedCosts(job.results, language).map(({ text, platforms }) => (
        <p key={text} className="note">
          {unbroken(`${platforms.map((platform) => t.platforms[platform]).join(', ')}: ${text}`)}
        </p>
      ))}
      <Modal title={l.verdict.numbers} isOpen={isOpen} onClose={() => setOpen(false)} shape="wide">
        <Numbers results={job.results} />
      </Modal>
    </section>
  )
}

function Row({
  job,
  result,
  plays,
  isHeard,
  onHear,
}: {
  job: Job
  result: MasterResult
  plays: ServicePlays | undefined
  isHeard: boolean
  onHear?: (platform: string) => void
}) {
  const words = useListenWords()
  const { t, l, say } = words
  const { saver } = useApp()
  const [isSaving, setSaving] = useState(false)
  const [error, setError] = useState<Refusal | null>(null)
  const name = t.platforms[result.platform]
  // In the desktop application a master can be dragged out; the keyboard's equivalent is saving it.
  const desktop = window.loudsmith
  const save = () => {
    setSaving(true)
    setError(null)
    saver
      .saveMaster(job.job_id, result.platform)
      .catch((cause: unknown) => setError(refusalOf(cause)))
      .finally(() => setSaving(false))
  }
  if (!plays) return null
  return (
    <ServiceRow
      plays={plays}
      columns={COLUMNS}
      className={isHeard ? 'on' : undefined}
      onClick={onHear && (() => onHear(result.platform))}
      name={
        <th
          scope="row"
          draggable={desktop !== undefined && !job.expired}
          onDragStart={(event) => {
            event.preventDefault()
            desktop?.dragMasters(job.job_id, [result.platform])
          }}
        >
          {name}
          {!isWithoutCost(result) && <TriangleAlert className="i s c-warn" aria-hidden="true" />}
        </th>
      }
      after={
        <td className="r">
          {error && <span className="c-bad">{say(error)}</span>}
          {job.expired ? null : (
            <Button
              look="quiet"
              small
              label={isSaving ? t.saving : l.verdict.saveOne(name)}
              aria-busy={isSaving || undefined}
              icon={<Download className="i s" aria-hidden="true" />}
              onClick={(event) => {
                event.stopPropagation()
                if (!isSaving) save()
              }}
            />
          )}
        </td>
      }
    >
      <td className="wide">
        {isWithoutCost(result) ? (
          <span className="row c-ok on-target">
            <Check className="i s" aria-hidden="true" />
            <span className="dim">{l.verdict.onTarget}</span>
          </span>
        ) : (
          <span className="tag warn">
            <TriangleAlert className="i" aria-hidden="true" />
            {result.verdict === 'on_target' ? l.verdict.atCost : l.verdict.belowTarget}
          </span>
        )}
      </td>
      <td className="r">{decibels(result.integrated_lufs)}</td>
      <td className="r wide">{decibels(result.true_peak_dbtp)}</td>
      <td className="r wide">{change(result.gain_db)} dB</td>
    </ServiceRow>
  )
}

function Numbers({ results }: { results: readonly MasterResult[] }) {
  const { t, l, format } = useListenWords()
  const { rows } = l.verdict
  const level = (db: number | null, unit: string) => (db === null ? '–' : `${decibels(db)} ${unit}`)
  const lines: [string, (result: MasterResult) => string][] = [
    [
      rows.target,
      (one) => l.verdict.target(format.target(one.target_lufs), l.verdict.confidence[one.target_confidence]),
    ],
    [rows.ceiling, (one) => `${format.target(one.ceiling_dbtp)} dBTP, ${l.verdict.confidence[one.ceiling_confidence]}`],
    [rows.integrated, (one) => level(one.integrated_lufs, 'LUFS')],
    [rows.shortTerm, (one) => level(one.short_term_max_lufs, 'LUFS')],
    [rows.momentary, (one) => level(one.momentary_max_lufs, 'LUFS')],
    [rows.range, (one) => level(one.loudness_range_lu, 'LU')],
    [rows.truePeak, (one) => level(one.true_peak_dbtp, 'dBTP')],
    [rows.plr, (one) => level(one.plr_db, 'dB')],
    [rows.gain, (one) => `${change(one.gain_db)} dB`],
    [rows.mostReduction, (one) => level(Math.abs(one.max_gain_reduction_db), 'dB')],
    [rows.meanReduction, (one) => level(Math.abs(one.mean_gain_reduction_db), 'dB')],
    [rows.format, (one) => `WAV\u00a0${one.bit_depth}/${one.sample_rate_hz / 1000} kHz`],
    [rows.size, (one) => format.bytes(one.size_bytes)],
  ]
  const checks = results.flatMap((one) =>
    (one.codec_checks ?? []).map((check) => ({ platform: t.platforms[one.platform], ...check })),
  )
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls has to be reachable by keyboard
    <section className="scrolls-x numbers" tabIndex={0} aria-label={l.verdict.numbers}>
      <table>
        <thead>
          <tr>
            <td />
            {results.map((one) => (
              <th key={one.platform} scope="col">
                {t.platforms[one.platform]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map(([name, text]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {results.map((one) => (
                <td key={one.platform}>{unbroken(text(one))}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {checks.map((check) => (
        <p key={`${check.platform} ${check.codec}`} className="note">
          {check.platform}: {l.verdict.codec(check.codec, decibels(check.true_peak_dbtp))}
        </p>
      ))}
    </section>
  )
}
