import type { StageKind } from '../../src-contract/stages/index.ts'
import { dbToPower } from '../dsp/units.ts'
import type { Planning } from './stage.ts'

/** Power of mid and side in a third octave while the song sounds, full scale 1. */
export interface BandPower {
  readonly hz: number
  readonly mid: number
  readonly side: number
}

/** Returns the third octaves of a song after the filters that run before a kind of stage; level-dependent stages are ignored. */
export function powerBefore(song: Planning, kind: StageKind): BandPower[] {
  const { spectrum, activeShare } = song.analysis
  const before = song.stagesBefore(kind)
  return spectrum.bandHz.map((hz, b) => {
    const gains = before.map((stage) => song.responseDb(stage, hz))
    const after = (levelDb: number, part: 'mid' | 'side') =>
      dbToPower(gains.reduce((sum, gain) => sum + gain[part], levelDb)) / activeShare
    return { hz, mid: after(spectrum.midDb[b]!, 'mid'), side: after(spectrum.sideDb[b]!, 'side') }
  })
}
