import type { AiService } from '../../src-contract/settings.ts'
import type { ClickRanges } from '../../src-contract/stages/declick.ts'
import type { Whistle } from '../../src-contract/stages/whistle-notch.ts'
import { type Audio, allocateBlock, samplePeak, sliceBlock } from '../dsp/block.ts'
import { type Curves, curveStepSeconds, curvesOf, measureWaveform, type Waveform } from '../dsp/meters/dynamics.ts'
import { createLoudnessMeter, type Loudness } from '../dsp/meters/loudness.ts'
import {
  activeFrames,
  type BandFrames,
  type BandLevels,
  comparedEvery,
  frameGrid,
  longTermSpectrum,
  measureBandFrames,
  octaveBands,
  thirdOctaves,
} from '../dsp/meters/spectrum.ts'
import { sideToMidDb } from '../dsp/meters/stereo.ts'
import { measureTruePeak } from '../dsp/meters/true-peak.ts'
import { createRumbleFilter } from '../dsp/rumble-filter.ts'
import { dbToGain, finiteOrNull, gainToDb } from '../dsp/units.ts'
import { findCutoff, fineBandsPerOctave } from './bandwidth.ts'
import { type BassStereo, measureBassStereo } from './bass-stereo.ts'
import { findClicks } from './clicks.ts'
import { type Clipping, findClipping } from './clipping.ts'
import { type Flutter, findFlutter } from './flutter.ts'
import { halvesOfFrames, measureWithHalves } from './halves.ts'
import { describePeakRelief, type PeakRelief } from './peak-relief.ts'
import { findResonances, type Resonance } from './resonance.ts'
import { measureSibilance, type Sibilance } from './sibilance.ts'
import { measureSubsonic, mostPeakRiseDb, rumbleFilterFor, type Subsonic } from './subsonic.ts'
import { measureTimeline, type Timeline } from './timeline.ts'
import {
  describeTone,
  type FaultPlace,
  type PlacedFault,
  placeOfFault,
  type ToneEvidence,
  toneDeviation,
} from './tone-evidence.ts'
import { measureTreble, type Treble } from './treble-fall.ts'
import { hasVoiceBursts } from './voice-bursts.ts'
import { createWhistleMeter } from './whistles.ts'
import { describeWidth, type WidthEvidence } from './width-evidence.ts'

/** Evidence of faults of tone and width. */
export interface HalfEvidence {
  readonly tone: ToneEvidence
  readonly width: WidthEvidence
  readonly peakRelief: PeakRelief
}

/** Measurements of one piece of audio: plain data, the planner's only view of it. Levels of silence are null. */
export interface SourceAnalysis {
  /** True for a lossily encoded file, as far as its format tells. */
  readonly isLossy: boolean
  /** Rate of the analysed audio; {@link SampleFacts} may come from another rate. */
  readonly sampleRateHz: number
  readonly frames: number
  readonly durationSeconds: number
  readonly isSilent: boolean
  /** Both channels hold the same samples. */
  readonly isMono: boolean
  /** A channel more than 60 dB below the other. */
  readonly deadChannel: 'left' | 'right' | null
  readonly integratedLufs: number | null
  readonly shortTermMaxLufs: number | null
  readonly momentaryMaxLufs: number | null
  readonly loudnessRangeLu: number
  /** Never below the sample peak, even one measured at a higher rate. */
  readonly truePeakDbtp: number | null
  readonly samplePeakDbfs: number | null
  /** True peak minus integrated loudness. */
  readonly plrDb: number | null
  readonly crestFactorDb: number | null
  /**
   * Largest sample after offset and rumble are filtered out and clicks bridged, since these are not peaks of the music. A lower bound if
   * filtering would raise it by more than allowed.
   */
  readonly musicPeakDbfs: number | null
  readonly correlation: number
  readonly sideToMidDb: number | null
  /** Third octaves, 25 Hz to 20 kHz. */
  readonly spectrum: BandLevels
  /** The same over the frames used to compare the song with its masters; see {@link comparedEvery}. */
  readonly comparedSpectrum: BandLevels
  /** Sixth octaves, for matching. */
  readonly fineSpectrum: BandLevels
  /** Share of the piece within 40 dB of its loudest moment, 0 to 1; the rest is pauses and silent edges. */
  readonly activeShare: number
  /** Mean of each channel, full scale 1. */
  readonly dcOffsets: readonly number[]
  /** Movement of the offset with the music, full scale 1; see {@link Waveform}. */
  readonly dcDrift: number
  /** Offset common to every second of a channel, per channel, full scale 1. */
  readonly dcStanding: readonly number[]
  readonly subsonic: Subsonic
  readonly bassStereo: BassStereo
  readonly clipping: Clipping
  /** Clicks per channel, in frames at the rate of the examined samples. */
  readonly clicks: readonly ClickRanges[]
  /** In order of their start. */
  readonly whistles: readonly Whistle[]
  readonly flutter: Flutter | null
  readonly resonances: readonly Resonance[]
  readonly sibilance: Sibilance
  readonly tone: ToneEvidence
  /** Place and width of each fault of tone that the spectrum shows. */
  readonly tonePlaces: Readonly<Record<PlacedFault, FaultPlace>>
  readonly treble: Treble
  readonly width: WidthEvidence
  readonly peakRelief: PeakRelief
  /** Evidence of faults in each half, alternate blocks of 10 s: a fault found in only one is not the song's. */
  readonly halves: readonly [HalfEvidence, HalfEvidence]
  /** Frequency above which there is no music; null without a cutoff. */
  readonly bandwidthHz: number | null
  /** The same for the side, which a codec's joint stereo may cut off lower. */
  readonly sideBandwidthHz: number | null
  readonly leadingSilenceSeconds: number
  readonly trailingSilenceSeconds: number
  /**
   * Level of the last second of sound, and of its last 0.1 to 0.2 s, below the highest peak of the ten seconds before, or below 20 dB under
   * the peak of the whole piece if those are quieter still, dB. A fade falls by 40 dB or more, an abrupt ending does not. Null for silence
   * and for an ending no louder than offset and rumble.
   */
  readonly endDropDb: number | null
  readonly curves: Curves
  /** Height of the attacks in the loud parts, dB: the loudest 10 ms against the 100 ms around them. Null for silence. */
  readonly attackCrestDb: number | null
  readonly timeline: Timeline
}

/** Measurements of a song to be planned, and its AI service as its owner states it, a prior on its faults. */
export interface PlannedSong extends SourceAnalysis {
  readonly aiService: AiService
}

/**
 * Shift that a song applies to thresholds in dBFS, dB: 0 while its highest sample lies between −12 and +6 dBFS, as in ordinary songs, and
 * the excess beyond. The faults of a quiet song rise with its level, and floats without a scale are not an offset.
 */
export function thresholdShiftDb(samplePeakDbfs: number | null): number {
  if (samplePeakDbfs === null || samplePeakDbfs === Number.NEGATIVE_INFINITY) return 0
  return Math.min(0, samplePeakDbfs + 12) + Math.max(0, samplePeakDbfs - 6)
}

/** Level below which the edges count as silent, dBFS. */
const edgeSilenceDbfs = -60
/** Level difference that marks a dead channel, dB. */
const deadChannelDb = 60

/** Share of the work done after each of its long parts, profiled on four minutes of stereo. */
const workBehind = { clicks: 0.05, musicPeak: 0.25, clipping: 0.41, loudness: 0.52, truePeak: 0.68, spectrum: 0.97 }

/** Measurements of single samples, at the original rate: a conversion rounds flat tops and clicks and moves the highest sample. */
export interface SampleFacts {
  readonly waveform: Waveform
  readonly subsonic: Subsonic
  /** Clicks per channel, in frames of the examined piece. */
  readonly clicks: readonly ClickRanges[]
  /** See {@link SourceAnalysis}; −Infinity for silence. */
  readonly musicPeakDbfs: number
  readonly clipping: Clipping
}

/**
 * Returns the measurements of the single samples of two channels, at any rate. Silence has levels of −Infinity and no faults; never throws.
 * NaN must have been refused before. `onProgress` gets shares of the work of {@link analyseSource}, which includes this one.
 */
export function examineSamples(audio: Audio, onProgress?: (share: number) => void): SampleFacts {
  const waveform = measureWaveform(audio)
  const subsonic = measureSubsonic(audio)
  const clicks = findClicks(audio)
  onProgress?.(workBehind.clicks)
  const musicPeakDbfs = musicPeak(audio, waveform, subsonic, clicks)
  onProgress?.(workBehind.musicPeak)
  const clipping = findClipping(audio)
  onProgress?.(workBehind.clipping)
  return { waveform, subsonic, clicks, musicPeakDbfs, clipping }
}

export const matchBands = octaveBands(6, 25, 20_000)
const fineBands = octaveBands(fineBandsPerOctave, 1200, 22_000)

/**
 * Returns the analysis of two channels of audio. If their rate was converted, `samples` holds the facts examined before the conversion.
 * Works on silence and on any length from one sample, at rates above 12 kHz; throws a RangeError for others. NaN must have been refused
 * before. Takes about a second of one core for four minutes and keeps no copy of the audio. `onProgress` gets the share of the work done
 * after each long part, 0 to 1, rising.
 */
export function analyseSource(
  audio: Audio,
  context: { readonly lossy: boolean; readonly samples?: SampleFacts },
  onProgress?: (share: number) => void,
): SourceAnalysis {
  const { waveform, subsonic, clicks, musicPeakDbfs, clipping } = context.samples ?? examineSamples(audio, onProgress)
  const meter = createLoudnessMeter(audio.sampleRateHz)
  meter.push(audio)
  onProgress?.(workBehind.loudness)
  const loudness = meter.read()
  const isSilent = loudness.integratedLufs === Number.NEGATIVE_INFINITY && !(waveform.samplePeakDbfs > -70)
  const truePeakDbtp = Math.max(measureTruePeak(audio).truePeakDbtp, waveform.samplePeakDbfs)
  onProgress?.(workBehind.truePeak)
  const grid = frameGrid(audio.frames, audio.sampleRateHz)
  const whistles = createWhistleMeter(grid, audio.sampleRateHz)
  const bandSets = [thirdOctaves, matchBands, fineBands]
  const [thirds, sixths, fine] = measureBandFrames(audio, bandSets, whistles.push) as [
    BandFrames,
    BandFrames,
    BandFrames,
  ]
  onProgress?.(workBehind.spectrum)
  const spectrum = longTermSpectrum(thirds)
  const comparedSpectrum = longTermSpectrum(thirds, comparedEvery(thirds.frameCount))
  const fineSpectrum = longTermSpectrum(sixths)
  const fineLevels = longTermSpectrum(fine)
  const bandwidthHz = findCutoff(fineLevels, audio.sampleRateHz)
  const evidence = faultEvidence(audio, thirds, sixths, bandwidthHz, waveform)
  return {
    isLossy: context.lossy,
    sampleRateHz: audio.sampleRateHz,
    frames: audio.frames,
    durationSeconds: audio.frames / audio.sampleRateHz,
    isSilent,
    isMono: waveform.isDualMono,
    deadChannel: deadChannelOf(waveform),
    ...levelsOf(loudness, waveform, truePeakDbtp),
    musicPeakDbfs: finiteOrNull(musicPeakDbfs),
    correlation: waveform.correlation,
    sideToMidDb: finiteOrNull(sideToMidDb(comparedSpectrum)),
    spectrum,
    comparedSpectrum,
    fineSpectrum,
    activeShare: activeFrames(thirds).reduce((sum, isActive) => sum + isActive, 0) / thirds.frameCount,
    dcOffsets: waveform.offsets,
    dcDrift: waveform.offsetDrift,
    dcStanding: waveform.standingOffsets,
    subsonic,
    bassStereo: measureBassStereo(audio),
    clipping,
    clicks,
    whistles: isSilent ? [] : whistles.read(),
    flutter: isSilent ? null : findFlutter(audio),
    resonances: isSilent ? [] : findResonances(fine, audio.frames / audio.sampleRateHz),
    sibilance: measureSibilance(thirds, () => hasVoiceBursts(audio)),
    ...evidence,
    treble: measureTreble(fineSpectrum),
    bandwidthHz,
    sideBandwidthHz: findCutoff({ ...fineLevels, midDb: fineLevels.sideDb }, audio.sampleRateHz),
    ...edgesOf(waveform, subsonic),
    curves: curvesOf(meter.shortTermLufs(), waveform.peakDbfs, waveform.correlations),
    attackCrestDb: meter.attackCrestDb(),
    timeline: measureTimeline(thirds, grid, audio.sampleRateHz),
  }
}

/** Evidence of faults of a piece and of its halves, from third and sixth octaves and from the heights of its peaks. */
function faultEvidence(
  audio: Audio,
  thirds: BandFrames,
  sixths: BandFrames,
  bandwidthHz: number | null,
  { peakDbfs }: Waveform,
) {
  const halfOfFrame = halvesOfFrames(audio.frames, audio.sampleRateHz)
  const topHz = Math.min(bandwidthHz ?? Number.POSITIVE_INFINITY, audio.sampleRateHz / 2)
  const deviation = measureWithHalves(sixths, halfOfFrame, (frames) => toneDeviation(frames, topHz))
  const width = measureWithHalves(thirds, halfOfFrame, describeWidth)
  const relief = describePeakRelief(audio, peakDbfs, curveStepSeconds)
  const [first, second] = ([0, 1] as const).map(
    (half): HalfEvidence => ({
      tone: describeTone(deviation.halves[half]),
      width: width.halves[half],
      peakRelief: relief.halves[half],
    }),
  ) as [HalfEvidence, HalfEvidence]
  return {
    tone: describeTone(deviation.whole),
    tonePlaces: {
      mud: placeOfFault(deviation.whole, 'mud'),
      harshness: placeOfFault(deviation.whole, 'harshness'),
    },
    width: width.whole,
    peakRelief: relief.whole,
    halves: [first, second] as const,
  }
}

function levelsOf(loudness: Loudness, waveform: Waveform, truePeakDbtp: number) {
  const hasLoudness = Number.isFinite(loudness.integratedLufs)
  return {
    integratedLufs: finiteOrNull(loudness.integratedLufs),
    shortTermMaxLufs: finiteOrNull(loudness.shortTermMaxLufs),
    momentaryMaxLufs: finiteOrNull(loudness.momentaryMaxLufs),
    loudnessRangeLu: loudness.loudnessRangeLu,
    truePeakDbtp: finiteOrNull(truePeakDbtp),
    samplePeakDbfs: finiteOrNull(waveform.samplePeakDbfs),
    plrDb: hasLoudness ? finiteOrNull(truePeakDbtp - loudness.integratedLufs) : null,
    crestFactorDb: hasLoudness ? waveform.crestFactorDb : null,
  }
}

function deadChannelOf({ rmsDbfs, isDualMono }: Waveform): 'left' | 'right' | null {
  const [left, right] = rmsDbfs as [number, number]
  if (isDualMono || Math.max(left, right) < -70) return null
  if (right - left > deadChannelDb) return 'left'
  return left - right > deadChannelDb ? 'right' : null
}

function edgesOf(waveform: Waveform, rumble: Subsonic) {
  const { peakDbfs, samplePeakDbfs } = waveform
  const silentDbfs = edgeSilenceDbfs + thresholdShiftDb(samplePeakDbfs)
  const first = peakDbfs.findIndex((level) => level > silentDbfs)
  const last = peakDbfs.findLastIndex((level) => level > silentDbfs)
  if (first < 0) return { leadingSilenceSeconds: 0, trailingSilenceSeconds: 0, endDropDb: null }
  return {
    leadingSilenceSeconds: first * curveStepSeconds,
    trailingSilenceSeconds: (peakDbfs.length - 1 - last) * curveStepSeconds,
    endDropDb: endDrop(waveform, rumble, peakDbfs.slice(0, last + 1)),
  }
}

/** Lowest reference of an ending below the piece's peak, dB: hiss alone at the end is not music. */
const quietEndDb = 20

/** Returns {@link SourceAnalysis.endDropDb}; `peakDbfs` ends with the piece. */
function endDrop(
  { samplePeakDbfs, offsets, offsetDrift }: Waveform,
  rumble: Subsonic,
  peakDbfs: readonly number[],
): number | null {
  const lastSeconds = (seconds: number) => peakDbfs.slice(-Math.round(seconds / curveStepSeconds))
  const lastSecond = lastSeconds(1).sort((a, b) => a - b)
  // Two steps, since the sound may end early in the last one. The median of the last second, since a click after a fade is not an abrupt
  // ending.
  const endDbfs = Math.min(Math.max(...lastSeconds(0.2)), lastSecond[lastSecond.length >> 1]!)
  const standing = Math.max(...offsets.map(Math.abs)) + offsetDrift + Math.SQRT2 * dbToGain(rumble.levelDbfs)
  if (dbToGain(endDbfs) <= 2 * standing) return null
  return Math.max(...lastSeconds(10), samplePeakDbfs - quietEndDb) - endDbfs
}

/** Highest level of offset and rumble that does not noticeably change a peak, dBFS. */
const harmlessDbfs = -40
const blockFrames = 4096

function musicPeak(audio: Audio, waveform: Waveform, subsonic: Subsonic, clicks: readonly ClickRanges[]): number {
  const offset = Math.max(...waveform.offsets.map(Math.abs), waveform.offsetDrift)
  const noticedDbfs = harmlessDbfs + thresholdShiftDb(waveform.samplePeakDbfs)
  const isHarmless = subsonic.levelDbfs < noticedDbfs && offset < dbToGain(noticedDbfs)
  if (isHarmless && clicks.every((ranges) => ranges.length === 0)) return waveform.samplePeakDbfs
  const { frequencyHz, order } = rumbleFilterFor(subsonic, thresholdShiftDb(waveform.samplePeakDbfs))
  const filter = isHarmless ? null : createRumbleFilter(frequencyHz, order, audio.sampleRateHz)
  const total = audio.frames + (filter?.latencySamples ?? 0)
  const scratch = allocateBlock(2, blockFrames)
  // A higher peak rules out filtering, so the search ends there.
  const mostPeak = dbToGain(waveform.samplePeakDbfs + mostPeakRiseDb)
  let peak = 0
  for (let start = 0; start < total && peak <= mostPeak; start += blockFrames) {
    const block = sliceBlock(scratch, 0, total - start)
    const { frames } = block
    for (const [c, samples] of block.channels.entries()) {
      const own = audio.channels[c]!
      const here = own.subarray(start, start + frames)
      samples.set(here)
      samples.fill(0, here.length)
      for (const [first, end] of clicks[c]!) {
        if (end > start && first < start + frames)
          samples.fill(own[first - 1]!, Math.max(0, first - start), end - start)
      }
    }
    filter?.process(block)
    peak = Math.max(peak, samplePeak(block))
  }
  return gainToDb(peak)
}
