/** Two masters of one song side by side: their settings, their measurements, and the other master in the switch. */

import { useEffect, useId, useState } from 'react'
import { useStore } from 'zustand'
import type { Job } from '../../../src-contract/jobs.ts'
import type { Platform } from '../../../src-contract/platforms/index.ts'
import type { MasterResult, Report } from '../../../src-contract/report.ts'
import {
  DEFAULT_SETTINGS,
  EDGE_NAMES,
  type EdgeName,
  STEERING_NAMES,
  type SteeringName,
} from '../../../src-contract/settings.ts'
import { change, decibels } from '../../../src-contract/text/numbers.ts'
import { rounded } from '../../../src-engine/dsp/units.ts'
import { Button } from '../../components/button.tsx'
import { Modal } from '../../components/dialogs.tsx'
import { useApp } from '../../state/app-state.ts'
import { comparedPlatform, versionNumber, versionsOf } from '../../state/listen-versions.ts'
import { type Refusal, refusalOf } from '../../state/refusal.ts'
import type { Text } from '../../text/en.ts'
import { useMasterAgain } from '../use-master-again.ts'
import { useHere, useListenWords, useMade, useStage } from './context.tsx'

export function CompareSheet({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { l } = useListenWords()
  return (
    <Modal title={l.compareSheet.title} isOpen={isOpen} onClose={onClose} shape="wide">
      <Comparison onClose={onClose} />
    </Modal>
  )
}

function Comparison({ onClose }: { onClose: () => void }) {
  const { t, l, format, say } = useListenWords()
  const { job, report, listen } = useMade()
  const { item } = useStage()
  const { playback } = useApp()
  const siblings = useStore(listen.store, (state) => state.siblings)
  const hasAll = useStore(listen.store, (state) => state.hasAllSiblings)
  const brought = useStore(listen.store, (state) => state.other)
  const heard = useHere((state) => state.lastMaster)
  const others = siblings.filter((one) => one.job_id !== job.job_id)
  const [chosenId, setOtherId] = useState(brought?.job.job_id)
  const otherId = chosenId ?? others.at(0)?.job_id
  const [chosen, setPlatform] = useState<Platform | undefined>(
    brought?.platform ?? job.platforms.find((one) => one === heard),
  )
  const [read, setRead] = useState<{ job: Job; report: Report } | null>(null)
  const [error, setError] = useState<Refusal | null>(null)
  const ids = [useId(), useId()] as const
  useEffect(() => {
    if (!otherId) return
    let isOver = false
    setRead(null)
    setError(null)
    listen.readOther(otherId).then(
      (found) => !isOver && setRead(found),
      (cause: unknown) => !isOver && setError(refusalOf(cause)),
    )
    return () => {
      isOver = true
    }
  }, [otherId, listen])
  useEffect(() => {
    listen.findSiblings().catch((cause: unknown) => setError(refusalOf(cause)))
  }, [listen])
  if (others.length === 0) {
    return hasAll && !error ? <OnlyOne /> : <p className="dim">{error ? say(error) : t.loading}</p>
  }
  const now = new Date()
  const nameOf = (one: Job) =>
    l.compareSheet.version(
      versionNumber(one, siblings).number,
      `${format.day(one.created_at, now)} ${format.time(one.created_at)}`,
    )
  const offered = read?.job.platforms ?? []
  const platform = offered.find((one) => one === chosen) ?? (read && comparedPlatform(job, read.job))
  const theirs = read?.job.results.find((one) => one.platform === platform)
  const mine =
    job.results.find((one) => one.platform === platform) ??
    job.results.find((one) => one.platform === heard) ??
    job.results[0]
  const bring = () => {
    if (!read || !platform) return
    const brought = { ...read, platform, versionNumber: versionNumber(read.job, siblings).number }
    listen.bring(brought)
    const other = versionsOf(job, report, brought).find((one) => one.kind === 'other')
    playback.load(item)
    void playback.open().then(() => playback.late.bring(other ?? null))
    onClose()
  }
  const remove = () => {
    listen.bring(null)
    playback.load(item)
    void playback.late.bring(null)
    onClose()
  }
  return (
    <div className="compare">
      <div className="row wraps">
        <label className="field" htmlFor={ids[0]}>
          <span className="label">{l.compareSheet.with}</span>
          <select
            id={ids[0]}
            className="input pick"
            value={otherId}
            onChange={(event) => setOtherId(event.currentTarget.value)}
          >
            {others.map((one) => (
              <option key={one.job_id} value={one.job_id}>
                {nameOf(one)}
              </option>
            ))}
          </select>
        </label>
        <label className="field" htmlFor={ids[1]}>
          <span className="label">{l.verdict.platform}</span>
          <select
            id={ids[1]}
            className="input pick"
            value={platform ?? ''}
            onChange={(event) => setPlatform(event.currentTarget.value as Platform)}
          >
            {offered.map((one) => (
              <option key={one} value={one}>
                {t.platforms[one]}
              </option>
            ))}
          </select>
        </label>
      </div>
      {error && <p className="c-bad">{say(error)}</p>}
      {read && <Differences mine={mine} theirs={theirs} job={job} other={read.job} />}
      <div className="row end">
        {brought && (
          <Button look="quiet" onClick={remove}>
            {l.compareSheet.remove}
          </Button>
        )}
        <Button onClick={bring} whyNot={!read && error !== null && say(error)} busyText={!read && !error && t.loading}>
          {l.compareSheet.listen}
        </Button>
      </div>
    </div>
  )
}

function OnlyOne() {
  const { t, l, say } = useListenWords()
  const { job } = useMade()
  const [error, setError] = useState<Refusal | null>(null)
  const { canMasterAgain, masterAgain, isBusy } = useMasterAgain((cause) => setError(refusalOf(cause)))
  return (
    <>
      <p className="dim">{l.compareSheet.onlyOne}</p>
      {error && (
        <p className="c-bad" role="alert">
          {say(error)}
        </p>
      )}
      {canMasterAgain(job) && (
        <div className="row end">
          <Button busyText={isBusy && t.loading} onClick={() => masterAgain([job])}>
            {l.masterAgain}
          </Button>
        </div>
      )}
    </>
  )
}

/** Returns the settings of sound and edges used by at least one of two jobs. */
const steeringRows = (...jobs: readonly Job[]) =>
  [...STEERING_NAMES, ...EDGE_NAMES].filter((name) =>
    jobs.some((one) => String(one[name] ?? DEFAULT_SETTINGS[name]) !== String(DEFAULT_SETTINGS[name])),
  )

function steeringText(name: SteeringName | EdgeName, job: Job, t: Text): string {
  if (name === 'fade_in_shape' || name === 'fade_out_shape') return t.settings.fadeShapes[job[name] ?? 'linear']
  if (name === 'style') return t.settings.styles[job.style]
  if (name === 'skip_repairs') return job.skip_repairs.map((kind) => t.settings.repairs[kind]).join(', ') || '–'
  const value = job[name]
  return value === undefined ? '–' : String(value).replace('-', '−')
}

function Differences(props: {
  mine: MasterResult | undefined
  theirs: MasterResult | undefined
  job: Job
  other: Job
}) {
  const { t, l } = useListenWords()
  const { mine, theirs, job, other } = props
  const { rows } = l.verdict
  const levels: [name: string, unit: string, (result: MasterResult) => number][] = [
    [rows.integrated, 'LUFS', (one) => one.integrated_lufs],
    [rows.truePeak, 'dBTP', (one) => one.true_peak_dbtp],
    [rows.range, 'LU', (one) => one.loudness_range_lu],
    [rows.plr, 'dB', (one) => one.plr_db],
    [rows.gain, 'dB', (one) => one.gain_db],
    [rows.mostReduction, 'dB', (one) => one.max_gain_reduction_db],
  ]
  const settings: [string, (one: Job) => string][] = [
    [t.settings.genre, (one) => t.genres[one.genre]],
    [t.settings.madeWith, (one) => t.services[one.ai_service]],
    [t.settings.tier, (one) => t.tiers[one.tier]],
    [t.settings.intensity, (one) => String(one.intensity)],
    [t.settings.loudness, (one) => l.compareSheet.loudness[one.loudness]],
    [t.settings.reference, (one) => one.reference_filename ?? '–'],
    ...steeringRows(job, other).map((name): [string, (one: Job) => string] => [
      t.settings.steering[name],
      (one) => steeringText(name, one, t),
    ]),
  ]
  const isOnePlatform = mine?.platform === theirs?.platform
  const head = (name: string, one: MasterResult | undefined) =>
    one && !isOnePlatform ? `${name}, ${t.platforms[one.platform]}` : name
  return (
    <table>
      <thead>
        <tr>
          <td />
          <th scope="col">{head(l.compareSheet.thisOne, mine)}</th>
          <th scope="col">{head(l.compareSheet.thatOne, theirs)}</th>
          <th scope="col">{l.compareSheet.difference}</th>
        </tr>
      </thead>
      <tbody>
        {levels.map(([name, unit, of]) => (
          <tr key={name}>
            <th scope="row">
              {name} <span className="unit">{unit}</span>
            </th>
            <td>{decibels(mine && of(mine))}</td>
            <td>{decibels(theirs && of(theirs))}</td>
            <td>{change(mine && theirs && rounded(of(theirs), 2) - rounded(of(mine), 2), 2)}</td>
          </tr>
        ))}
        {settings.map(([name, of]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>
              <bdi>{of(job)}</bdi>
            </td>
            <td>
              <bdi>{of(other)}</bdi>
            </td>
            <td>{of(job) === of(other) ? '' : '≠'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
