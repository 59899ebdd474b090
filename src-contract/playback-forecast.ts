/** Forecast of playback: the effect of twelve services on one master, from its measurements. Pure. */
import Type, { type Static } from 'typebox'
import { exactly, oneOf } from './common.ts'
import { type MasterName, playbackGainDb, RELEASE } from './delivery-target.ts'
import { PLATFORMS, type Platform, platformFacts } from './platforms/index.ts'
import {
  OBSERVED,
  PLAYBACK_CONFIDENCES,
  PLAYBACK_MODES,
  type PlatformFacts,
  type PlaybackModeRule,
  unpublishedPlayback,
} from './platforms/platform.ts'

/** Services without masters of their own, with their names and the known facts of their playback. */
const OTHERS = {
  youtube_music: {
    name: { en: 'YouTube Music', ko: 'YouTube Music' },
    modes: [
      {
        ...{ mode: 'standard', referenceLufs: -7, up: 'never', confidence: 'measured_by_others', read: '2026-11-29' },
        source: 'Production Advice, "YouTube Music"',
        url: 'https://productionadvice.co.uk/youtube-music/',
      },
    ],
  },
  tidal: {
    name: { en: 'TIDAL', ko: 'TIDAL' },
    modes: [{ mode: 'standard', referenceLufs: -14, up: 'never', ...OBSERVED }],
  },
  amazon_music: {
    name: { en: 'Amazon Music', ko: 'Amazon Music' },
    modes: [
      {
        ...{ mode: 'standard', referenceLufs: -14, up: 'never', confidence: 'measured_by_others', read: '2026-11-29' },
        source: 'APU Software, "Amazon Music Loudness"',
        url: 'https://apu.software/amazon-music-loudness',
      },
    ],
  },
  deezer: {
    name: { en: 'Deezer', ko: 'Deezer' },
    modes: [{ mode: 'standard', referenceLufs: -15, up: 'never', ...OBSERVED }],
  },
  tiktok: {
    name: { en: 'TikTok, Reels', ko: 'TikTok, Reels' },
    modes: [
      {
        ...{ mode: 'standard', referenceLufs: -16, up: 'never', confidence: 'low_trust', read: '2026-11-28' },
        source: 'one vendor of plug-ins, for TikTok and Reels',
      },
    ],
  },
  genie: { name: { en: 'Genie', ko: '지니' }, modes: unpublishedPlayback('Genie') },
  flo_bugs: { name: { en: 'FLO, Bugs', ko: '플로, 벅스' }, modes: unpublishedPlayback('FLO and Bugs') },
} as const satisfies Readonly<Record<string, Pick<PlatformFacts, 'name' | 'modes'>>>

type Other = keyof typeof OTHERS
export type Service = Platform | Other
/** Services in display order: the platforms, which have their own masters, then the ones that get the master for all services. */
export const SERVICES: readonly [Service, ...Service[]] = [...PLATFORMS, ...(Object.keys(OTHERS) as Other[])]

/** Returns the name of a service and the known facts of its playback. */
export function serviceFacts(service: Service): Pick<PlatformFacts, 'name' | 'modes'> {
  return service in OTHERS ? OTHERS[service as Other] : platformFacts(service as Platform)
}

/** Highest peak to which Spotify's limiter lets a track rise in the mode Loud, dBFS. */
const LIMITER_DBFS = -1
/** Smallest gain that counts as one, dB. */
const LEAST_GAIN_DB = 0.05

const ACTIONS = ['turn_down', 'turn_up', 'leave', 'unknown'] as const

/** Effect of one service on a track in one mode. */
export const PlaybackForecast = exactly({
  service: oneOf(SERVICES, 'Service.'),
  mode: oneOf(PLAYBACK_MODES, 'Setting of the listener or player; `standard` for the usual one.'),
  file: Type.Optional(
    oneOf([...PLATFORMS, RELEASE] as const, 'Master that goes there; absent in the analysis of a song.'),
  ),
  reference_lufs: Type.Union([Type.Number(), Type.Null()], {
    description: 'Loudness that it normalises to, LUFS; null where it does not, or nothing is known.',
  }),
  action: oneOf(ACTIONS, 'Direction; `leave` for no gain, `unknown` where nothing is published.'),
  gain_db: Type.Number({ description: 'Gain on playback, dB.' }),
  limiter: Type.Boolean({ description: 'True where its limiter acts on the peaks of this track.' }),
  confidence: oneOf(PLAYBACK_CONFIDENCES, 'Foundation.'),
  source: Type.String({ description: 'Page or party that says so.' }),
  url: Type.Optional(Type.String({ description: 'Address of that page.' })),
  read: Type.String({ description: 'Day on which it was read.' }),
})
export type PlaybackForecast = Static<typeof PlaybackForecast>

/** Loudness and peak of a track. */
export interface PlayedTrack {
  readonly integratedLufs: number
  readonly truePeakDbtp: number
}

/** Returns what every service does to a track, mode by mode. Never throws. */
export function forecastOf(track: PlayedTrack, services: readonly Service[] = SERVICES): PlaybackForecast[] {
  return services.flatMap((service) => serviceFacts(service).modes.map((rule) => modeForecast(service, rule, track)))
}

function modeForecast(
  service: Service,
  { mode, referenceLufs, up, confidence, ...source }: PlaybackModeRule,
  track: PlayedTrack,
): PlaybackForecast {
  const isLimited = up === 'limited' && referenceLufs !== null
  const wantedDb = isLimited
    ? referenceLufs - track.integratedLufs
    : playbackGainDb({ referenceLufs, turnsUp: up === 'to_peak' }, track)
  const gainDb = Math.abs(wantedDb) < LEAST_GAIN_DB ? 0 : Math.round(wantedDb * 100) / 100
  const direction = gainDb < 0 ? 'turn_down' : gainDb > 0 ? 'turn_up' : 'leave'
  return {
    ...{ service, mode, reference_lufs: referenceLufs, gain_db: gainDb, confidence, ...source },
    action: confidence === 'nothing_published' ? 'unknown' : direction,
    limiter: isLimited && gainDb > 0 && track.truePeakDbtp + gainDb > LIMITER_DBFS,
  }
}

/** Measurements of a master in a result. */
interface MeasuredMaster {
  readonly integrated_lufs: number
  readonly true_peak_dbtp: number
}

/**
 * Returns the forecast for the masters of a job: of each platform its own master, of every other service the one for all services, else
 * the first. Empty without masters. Never throws.
 */
export function resultForecast(
  masters: readonly (MeasuredMaster & { readonly platform: MasterName })[],
  release?: MeasuredMaster,
): PlaybackForecast[] {
  const named = [...(release ? [{ ...release, platform: RELEASE }] : []), ...masters]
  const [forAll] = named
  if (!forAll) return []
  return SERVICES.flatMap((service) => {
    const master = named.find(({ platform }) => platform === service) ?? forAll
    const track = { integratedLufs: master.integrated_lufs, truePeakDbtp: master.true_peak_dbtp }
    return forecastOf(track, [service]).map((one) => ({ ...one, file: master.platform }))
  })
}
