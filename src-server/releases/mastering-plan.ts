/** Mastering plans of releases: the request, and the forecast before anything is charged. Pure. */
import { type MasterTargets, RELEASE, releaseTarget, targetsOf } from '../../src-contract/delivery-target.ts'
import type { Corrections, ReleasePlan } from '../../src-contract/release-mastering.ts'
import { DEFAULT_SETTINGS, type JobSettings, jobSettings } from '../../src-contract/settings.ts'
import { withStyle } from '../../src-contract/styles.ts'
import { placeRecord } from '../../src-engine/album/album-plan.ts'
import { type Coherence, levelGenerated, planCoherence } from '../../src-engine/album/coherence.ts'
import {
  integratedLufs,
  type LoudnessSteps,
  loudPartLufs,
  recordLufs,
  trimmedSteps,
} from '../../src-engine/album/record-loudness.ts'
import { finiteOrNull, rounded } from '../../src-engine/dsp/units.ts'
import { effortBudget, marginDb } from '../../src-engine/finalise/finalise.ts'
import type { StoredSong } from '../../src-worker/mastering/work-order.ts'
import { generatorIn, ofManifest } from '../../src-worker/media/provenance.ts'
import { decodeSteps } from '../../src-worker/result/loudness-steps.ts'
import { goOver, joinedWith } from './continuous.ts'
import { fullTitle } from './export-plan.ts'
import { joinedSound } from './joined-sound.ts'
import {
  anchoredUnits,
  type MeasuredUnit,
  type ReleaseRun,
  type RunPart,
  type RunTrack,
  unitsIn,
} from './mastering-run.ts'
import { loudnessModeOf, type ReleaseFacts, type ReleaseRecord, type TrackFacts, type TrackRecord } from './release.ts'
import type { SongMeasure } from './run-store.ts'

type Named = Partial<JobSettings>

/** Returns the settings of the whole record: the release's over the defaults, with a master for all services. */
function recordSettings({ settings = {} }: Pick<ReleaseFacts, 'settings'>): JobSettings {
  return jobSettings({ ...DEFAULT_SETTINGS, ...withStyle(settings as Named), release_master: true })
}

/** Returns the targets of the record, by the name of the master. */
function recordTargets(settings: JobSettings): MasterTargets {
  return {
    ...Object.fromEntries(targetsOf(settings).map(({ platform, targetLufs }) => [platform, targetLufs])),
    [RELEASE]: releaseTarget(settings).targetLufs,
  }
}

/** Trailing silence in a track's file, s: the gap before the next track, if that is rendered. */
function silenceBehind(next: TrackRecord | undefined): number {
  return next?.facts.gap_in_file ? next.facts.gap_before_seconds : 0
}

/** Settings for the trims, fades and trailing silence of a song. */
function edgesOf(facts: TrackFacts, silenceSeconds: number): Partial<JobSettings> {
  const { trim_start_seconds, trim_end_seconds, fade_in_seconds, fade_out_seconds } = facts
  const { fade_in_shape, fade_out_shape } = facts
  const fades = { fade_in_seconds, fade_in_shape, fade_out_seconds, fade_out_shape }
  return { trim_start_seconds, trim_end_seconds, ...fades, pad_end_seconds: silenceSeconds }
}

/** Returns the initial mastering run of a release; `songs` are those of its tracks, in their order. */
export function newRun(
  { facts, tracks, keyId }: Pick<ReleaseRecord, 'facts' | 'tracks' | 'keyId'>,
  songs: readonly RunSong[],
  masters: ReleaseRun['masters'],
): ReleaseRun {
  const mode = loudnessModeOf(facts)
  const settings = recordSettings(facts)
  const { anchor_track_id: anchorTrackId } = facts
  const isLevelling = mode === 'album' && facts.level_generated !== false
  const goesOver = goOver(tracks)
  const partOf = (track: TrackRecord, index: number): RunPart => {
    const silenceSeconds = silenceBehind(tracks[index + 1])
    const own = withStyle((track.facts.settings ?? {}) as Named)
    const edges = edgesOf(track.facts, silenceSeconds)
    // In a record, the level of a track follows from the others, and the record has one level.
    const level = mode === 'album' ? ({ target_lufs: null, release_level: 'fixed' } as const) : {}
    const trackSettings = jobSettings({ ...settings, ...own, ...edges, ...level, release_master: true })
    return {
      tracks: [songs[index]!.track],
      ...(goesOver[index] ? { goesOver: true } : {}),
      ...(isLevelling && isGenerated(songs[index]!.song, trackSettings) ? { isLevelled: true } : {}),
      request: {
        settings: trackSettings,
        title: fullTitle(track.facts),
        artist: track.facts.artists.join(', ') || facts.artist,
      },
      silenceSeconds,
      state: 'waiting',
      targets: {},
      corrections: {},
    }
  }
  return {
    state: 'mastering',
    ...(keyId === undefined ? {} : { keyId }),
    mode,
    coherence: facts.coherence,
    ...(anchorTrackId === undefined ? {} : { anchorTrackId }),
    targets: recordTargets(settings),
    phase: mode === 'album' || facts.coherence ? 'measuring' : 'plain',
    round: 1,
    parts: withJoined(tracks.map(partOf), songs),
    masters,
  }
}

/** Returns whether a song was generated, by its settings, its tags or its manifest. */
function isGenerated({ facts: { tags, claimGenerator = '' } }: StoredSong, { ai_service }: JobSettings): boolean {
  return ai_service !== 'other' || [tags, ofManifest(claimGenerator)].some((texts) => generatorIn(texts) !== undefined)
}

/** A track with its song at the start of a run. */
export interface RunSong {
  readonly track: RunTrack
  readonly song: StoredSong
}

function withJoined(parts: readonly RunPart[], songs: readonly RunSong[]): RunPart[] {
  return unitsIn(parts).places.flatMap((unit) => {
    const joinable = unit.map((place) => ({
      song: songs[place]!.song,
      settings: parts[place]!.request.settings,
    }))
    return unit.map((place, within): RunPart => {
      const part = parts[place]!
      const joined = joinedWith(joinable, within)
      return joined ? { ...part, request: { ...part.request, joined } } : part
    })
  })
}

/** The song of a part, or of joined parts, with its sound in the record before mastering. */
interface KnownUnit {
  readonly steps: LoudnessSteps
  readonly coherence: Coherence
  readonly levelledLu: number
  readonly plrDb: number | null
}

/** Returns the measured units of a record, trimmed and joined. */
function knownUnits({ parts, coherence }: ReleaseRun, measures: readonly SongMeasure[]): KnownUnit[] {
  const { places } = unitsIn(parts)
  const units = places.map((unit) =>
    joinedSound(
      unit.map((place) => {
        const { spectrum, sideToMidDb, truePeakDbtp } = measures[place]!
        return { steps: cutSteps(parts[place]!, measures[place]!), spectrum, sideToMidDb, truePeakDbtp }
      }),
    ),
  )
  const sounds = units.map(({ steps, ...sound }, i) => ({
    ...sound,
    loudPartsLufs: finiteOrNull(loudPartLufs(steps)),
    isGenerated: places[i]!.every((place) => parts[place]!.isLevelled),
  }))
  const levelled = levelGenerated(sounds)
  const found = planCoherence(
    sounds.map(({ loudPartsLufs, ...sound }, i) => ({
      ...sound,
      loudPartsLufs: loudPartsLufs === null ? null : loudPartsLufs + levelled[i]!,
    })),
  )
  return units.map(({ steps, truePeakDbtp }, i) => {
    const lufs = integratedLufs(steps)
    return {
      steps,
      coherence: coherence ? found[i]! : { outliers: [], corrections: {} },
      levelledLu: levelled[i]!,
      plrDb: truePeakDbtp === null || !Number.isFinite(lufs) ? null : truePeakDbtp - lufs,
    }
  })
}

/** Returns the loudness steps of a trimmed song. */
function cutSteps({ request }: RunPart, { loudnessSteps }: SongMeasure): LoudnessSteps {
  const { trim_start_seconds, trim_end_seconds } = request.settings
  return trimmedSteps(decodeSteps(loudnessSteps), trim_start_seconds, trim_end_seconds)
}

/** Returns the measurements that determine the first targets of a run. */
export function measuredUnits(run: ReleaseRun, measures: readonly SongMeasure[]): MeasuredUnit[] {
  return knownUnits(run, measures).map(({ steps, coherence, levelledLu }) => ({
    ...{ steps, levelledLu },
    corrections: coherence.corrections,
  }))
}

/** Returns the plan before all songs are measured; `measures` are undefined for unmeasured ones. */
export function incompletePlan(
  run: ReleaseRun,
  measures: readonly (SongMeasure | undefined)[],
  facts: PlanFacts,
): ReleasePlan {
  return {
    ...planFacts(run, facts),
    is_complete: false,
    tracks: run.parts.map((part, index) => {
      const known = measures[index]
      const steps = known && cutSteps(part, known)
      return {
        ...trackFacts(part, index, facts),
        is_measured: known !== undefined,
        source_lufs: steps ? finiteOrNull(rounded(integratedLufs(steps), 2)) : null,
        outliers: [],
      }
    }),
  }
}

function planFacts({ mode, coherence, targets }: ReleaseRun, { needsCredit, balance }: PlanFacts) {
  return {
    loudness_mode: mode,
    coherence,
    target_lufs: targets[RELEASE]!,
    credits_needed: needsCredit.filter(Boolean).length,
    credits_available: balance,
  }
}

function trackFacts({ tracks, goesOver }: RunPart, index: number, { titles, needsCredit }: PlanFacts) {
  return {
    track_id: tracks[0]!.trackId,
    continuous_with_next: goesOver === true,
    position: index + 1,
    title: titles[index]!,
    needs_credit: needsCredit[index]!,
  }
}

/** Returns the plan of a run with measured songs and set targets. */
export function planOf(run: ReleaseRun, measures: readonly SongMeasure[], facts: PlanFacts): ReleasePlan {
  const known = knownUnits(run, measures)
  const targetLufs = run.targets[RELEASE]!
  const { places, of } = unitsIn(run.parts)
  const isAnchored = anchoredUnits(run)
  const tracks = run.parts.map((part, index) => {
    const { coherence, levelledLu, plrDb } = known[of[index]!]!
    const corrections = isAnchored[of[index]!] ? {} : appliedCorrections(run, coherence.corrections)
    const own = part.targets[RELEASE] ?? ownTarget(part)
    const planned = own + (corrections.offset_lu ?? 0)
    const mostLufs = plrDb === null ? undefined : mostAllowedLufs(part, planned, plrDb)
    return {
      ...trackFacts(part, index, facts),
      is_measured: true,
      source_lufs: finiteOrNull(rounded(integratedLufs(cutSteps(part, measures[index]!)), 2)),
      ...(levelledLu === 0 ? {} : { levelled_lu: rounded(levelledLu, 2) }),
      target_lufs: rounded(planned, 3),
      offset_lu: rounded(planned - targetLufs, 3),
      ...(mostLufs === undefined ? {} : { most_lufs: rounded(mostLufs, 1) }),
      outliers: coherence.outliers.map(({ kind, distanceDb, limitDb }) => ({
        kind,
        distance_db: rounded(distanceDb, 2),
        limit_db: rounded(limitDb, 2),
      })),
      ...(Object.keys(corrections).length > 0 ? { corrections } : {}),
    }
  })
  const firsts = places.map((unit) => tracks[unit[0]!]!)
  const placed = known.map(({ steps }, i) => {
    const own = integratedLufs(steps)
    return { steps, gainDb: Number.isFinite(own) ? firsts[i]!.target_lufs - own : 0 }
  })
  const heldBack = run.mode === 'album' ? expectedHeldBack(run, known, firsts) : undefined
  return {
    ...planFacts(run, facts),
    is_complete: true,
    planned_lufs: rounded(finiteOrNull(recordLufs(placed)) ?? targetLufs, 2),
    ...(heldBack ? { expected_held_back: heldBack } : {}),
    tracks,
  }
}

/** Facts of the tracks and the account besides the measurements. */
export interface PlanFacts {
  readonly titles: readonly string[]
  /** True for each track with an uncharged song. */
  readonly needsCredit: readonly boolean[]
  readonly balance: number
}

/** A separately mastered track keeps its own level. */
function appliedCorrections({ mode }: ReleaseRun, found: Corrections): Corrections {
  const { offset_lu, ...sound } = found
  return mode === 'album' && offset_lu !== undefined ? { ...sound, offset_lu } : sound
}

const ownTarget = ({ request }: RunPart) => releaseTarget(request.settings).targetLufs

/** Loudness that the peaks of a song allow within the budget of effort, LUFS. */
function mostAllowedLufs({ request }: RunPart, targetLufs: number, plrDb: number): number {
  const { ceilingDbtp } = releaseTarget(request.settings, { [RELEASE]: targetLufs })
  return ceilingDbtp - marginDb - plrDb + effortBudget(request.settings.intensity).plrLostLu
}

function expectedHeldBack(
  run: ReleaseRun,
  known: readonly KnownUnit[],
  tracks: readonly { readonly track_id: string; readonly target_lufs: number; readonly most_lufs?: number }[],
): ReleasePlan['expected_held_back'] {
  const { heldBack } = placeRecord(
    known.map(({ steps }, i) => {
      const { target_lufs: relationLu, most_lufs: mostLufs } = tracks[i]!
      return { steps, relationLu, ...(mostLufs === undefined ? {} : { mostLufs }) }
    }),
    run.targets[RELEASE]!,
  )
  return heldBack && { track_id: tracks[heldBack.index]!.track_id, down_lu: rounded(heldBack.downLu, 2) }
}
