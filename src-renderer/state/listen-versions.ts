/** The versions of a song to compare, from its job and report. Pure. */
import { RELEASE } from '../../src-contract/delivery-target.ts'
import { masterSeconds, masterStartSeconds } from '../../src-contract/edges.ts'
import type { Job } from '../../src-contract/jobs.ts'
import { PLATFORMS, type Platform } from '../../src-contract/platforms/index.ts'
import type { Report } from '../../src-contract/report.ts'
import { WHOLE_SONG } from '../../src-contract/settings.ts'
import type { VersionLevel } from '../playback/levels.ts'
import type { PlaybackItem, PlaybackVersion } from '../playback/state.ts'

/** A master of another job of the same song, added for comparison. */
export interface OtherMaster {
  readonly job: Job
  readonly report: Report
  readonly platform: Platform
  /** Its number among the jobs of the song, counted from 1. */
  readonly versionNumber?: number
}

const UNKNOWN: VersionLevel = { integratedLufs: null, truePeakDbtp: null }
const levelOf = ({ integrated_lufs, true_peak_dbtp }: Report['source']['measurement']): VersionLevel => ({
  integratedLufs: integrated_lufs,
  truePeakDbtp: true_peak_dbtp,
})

const fileOf = ({ job_id: jobId }: Job, file: Platform | typeof RELEASE | 'source' | 'reference') => ({
  jobId,
  source: { kind: 'master', jobId, file } as const,
})

function masterVersion(job: Job, report: Report, platform: Platform): Omit<PlaybackVersion, 'id' | 'key' | 'kind'> {
  const place = { platform, ...fileOf(job, platform) }
  const master = report.masters.find(({ result }) => result.platform === platform)
  if (!master) return { ...place, level: UNKNOWN, missing: 'not_ordered' }
  const { result, measurement, spectrum, curves } = master
  return { ...place, level: levelOf(measurement), result, spectrum, curves }
}

/** The master for all services, where the job made one. */
function releaseVersion(job: Job, { release }: Report): PlaybackVersion {
  const place = { id: RELEASE, kind: 'release', key: '6', ...fileOf(job, RELEASE) } as const
  if (!release) return { ...place, level: UNKNOWN, missing: 'not_ordered' }
  const { result, measurement, spectrum, curves } = release
  return { ...place, level: levelOf(measurement), result, spectrum, curves }
}

/** Returns the length of the masters of a report, s. */
export const heardSeconds = ({ settings, source }: Pick<Report, 'settings' | 'source'>): number =>
  masterSeconds({ ...WHOLE_SONG, ...settings }, source.duration_seconds)

/** Returns a finished job as a playback item: its masters, their originals, and a master of another job. */
export function jobItem(job: Job, report: Report, other: OtherMaster | null): PlaybackItem {
  const versions = versionsOf(job, report, other)
  const first = versions.find((one) => one.kind === 'platform' && !one.missing)?.id ?? 'source'
  return {
    kind: 'job',
    id: job.job_id,
    title: job.title,
    songId: job.source_id,
    durationSeconds: heardSeconds(report),
    rateHz: commonRateHz(report),
    versions,
    first: { version: first, lastHeard: first, levelMode: 'matched', service: null },
    keeps: [],
  }
}

/** Returns the versions in the order of the switch. A platform keeps its place and key on every song. */
export function versionsOf(job: Job, report: Report, other: OtherMaster | null): PlaybackVersion[] {
  const { source, reference } = report
  const begins = masterStartSeconds(report.settings)
  const versions: PlaybackVersion[] = [
    {
      id: 'source',
      kind: 'source',
      ...fileOf(job, 'source'),
      key: '0',
      level: levelOf(source.measurement),
      startSeconds: 0 - begins,
      spectrum: source.spectrum,
      curves: source.curves,
    },
    ...PLATFORMS.map((platform, i) => ({
      id: platform,
      kind: 'platform' as const,
      key: String(i + 1),
      ...masterVersion(job, report, platform),
    })),
    releaseVersion(job, report),
    {
      id: 'reference',
      kind: 'reference',
      ...fileOf(job, 'reference'),
      key: 'R',
      ...(reference
        ? {
            level: levelOf(reference.measurement),
            spectrum: reference.spectrum,
            ...(reference.curves ? { curves: reference.curves } : {}),
          }
        : { level: UNKNOWN, missing: 'no_reference' as const }),
    },
  ]
  if (other) {
    const startSeconds = masterStartSeconds(other.report.settings) - begins
    const master = masterVersion(other.job, other.report, other.platform)
    const { versionNumber } = other
    versions.push({
      id: 'other',
      kind: 'other',
      key: 'C',
      startSeconds,
      ...master,
      ...(versionNumber === undefined ? {} : { versionNumber }),
    })
  }
  return versions
}

/** Returns the platform of `other` to compare with `job`: a shared one, else its first; undefined if it has none. */
export function comparedPlatform(job: Job, other: Job): Platform | undefined {
  return PLATFORMS.find((one) => [job, other].every(({ platforms }) => platforms.includes(one))) ?? other.platforms[0]
}

/** Returns the rate of most masters, Hz; 48 kHz without masters. */
export function commonRateHz(report: Report): number {
  const counts = new Map<number, number>()
  for (const { result } of report.masters) {
    counts.set(result.sample_rate_hz, (counts.get(result.sample_rate_hz) ?? 0) + 1)
  }
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best), [48_000, 0] as [number, number])[0]
}

/** Returns the jobs of the same song, oldest first, and which of them this one is, counted from 1. */
export function versionNumber(job: Job, siblings: readonly Job[]): { readonly number: number; readonly of: number } {
  const sorted = [...siblings].sort((a, b) => a.created_at.localeCompare(b.created_at))
  return { number: sorted.findIndex((one) => one.job_id === job.job_id) + 1, of: sorted.length }
}
