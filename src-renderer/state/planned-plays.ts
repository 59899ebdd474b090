/** Forecast of services for the masters that a song's settings ask for. Pure. */
import type { Audition } from '../../src-contract/auditions.ts'
import { releaseTarget, type SongLevel, targetsOf } from '../../src-contract/delivery-target.ts'
import { type PlaybackForecast, resultForecast, SERVICES, type Service } from '../../src-contract/playback-forecast.ts'
import type { MasterSettings } from '../../src-contract/settings.ts'

/** Level of a master that is planned, or of the audition where it is that master. */
export interface PlannedMaster {
  readonly platform: NonNullable<PlaybackForecast['file']>
  readonly integrated_lufs: number
  readonly true_peak_dbtp: number
}

/** Returns the masters of a song's settings: at their targets, one that is auditioned at its own level. */
export function plannedMasters(
  settings: MasterSettings,
  level: SongLevel | undefined,
  audition: Pick<Audition, 'platform' | 'loudness_lufs' | 'true_peak_dbtp'> | null,
): { readonly masters: readonly PlannedMaster[]; readonly release: PlannedMaster | undefined } {
  const masters = targetsOf(settings).map(({ platform, targetLufs, ceilingDbtp }) => {
    const heard = audition?.platform === platform ? audition : null
    return {
      platform,
      integrated_lufs: heard?.loudness_lufs ?? targetLufs,
      true_peak_dbtp: heard?.true_peak_dbtp ?? ceilingDbtp,
    }
  })
  const { targetLufs, ceilingDbtp } = releaseTarget(settings, {}, level)
  const release = { platform: 'release' as const, integrated_lufs: targetLufs, true_peak_dbtp: ceilingDbtp }
  return { masters, release: settings.release_master ? release : undefined }
}

/** Treatment of a master by one service, by setting of the listener, the usual one first. */
export interface ServicePlays {
  readonly service: Service
  readonly file: PlaybackForecast['file']
  readonly usual: PlaybackForecast
  readonly modes: readonly PlaybackForecast[]
}

/** Returns a forecast by service. */
export function byService(forecast: readonly PlaybackForecast[]): readonly ServicePlays[] {
  return SERVICES.flatMap((service) => {
    const modes = forecast.filter((one) => one.service === service)
    const [usual] = modes
    return usual ? [{ service, file: usual.file, usual, modes }] : []
  })
}

export const plannedForecast = ({ masters, release }: ReturnType<typeof plannedMasters>): PlaybackForecast[] =>
  resultForecast(masters, release)
