/** Readiness of a release for a receiver: its fields, both verdicts, and the files that an export would write. Pure. */

import { isAnswered, trackDisclosure } from '../../src-contract/disclosure-answers.ts'
import type { Ask, ReleaseField } from '../../src-contract/distributors/fields.ts'
import { RELEASE_FIELDS } from '../../src-contract/distributors/fields.ts'
import type {
  DeliveredRelease,
  DeliveryCheck,
  DistributorProfile,
  FileFacts,
} from '../../src-contract/distributors/rules.ts'
import { masterSeconds } from '../../src-contract/edges.ts'
import { formatFacts } from '../../src-contract/formats.ts'
import type { ExportRequest, FieldCheck, FileSet, Verdicts } from '../../src-contract/release-exports.ts'
import type { Language } from '../../src-contract/text/language.ts'
import { FIELD_WORDS, fieldText } from '../../src-contract/text/release-fields.ts'
import { asciiName } from '../../src-worker/result/romanise.ts'
import type { CoverRow } from '../uploads/cover-row.ts'
import { fileNames, fullTitle, hasPlainNames, masterOf } from './export-plan.ts'
import type { SongMasters } from './export-sounds.ts'
import type { ReleaseRecord } from './release.ts'

type Facts = Pick<ReleaseRecord, 'facts' | 'tracks'>

/** Format codes of WAV (Microsoft, mmreg.h). */
const PCM_CODE = 0x0001
const FLOAT_CODE = 0x0003
const CD_RATE_HZ = 44_100

/** Returns the numbers of the tracks that lack a field, or whether the release itself does; empty if it is given. */
function blanksOf(field: ReleaseField, { facts, tracks }: Facts): readonly number[] | 'release' {
  const ofTracks = (isGiven: (track: (typeof tracks)[number]['facts']) => boolean) =>
    tracks.flatMap(({ facts: own }, index) => (isGiven(own) ? [] : [index + 1]))
  switch (field) {
    case 'composers':
    case 'lyricists':
      return ofTracks((own) => own[field].length > 0)
    case 'isrc':
      return ofTracks((own) => own.isrc !== undefined)
    case 'explicit':
      return []
    case 'disclosure':
      if (tracks.length === 0) return isAnswered(facts.disclosure ?? {}) ? [] : 'release'
      return ofTracks((own) => isAnswered(trackDisclosure(facts.disclosure, own.disclosure)))
    case 'artist':
      return facts.artist === '' ? 'release' : []
    default:
      return facts[field] === undefined || facts[field] === '' ? 'release' : []
  }
}

/** Returns the state of every field at a receiver, with sentences in `language`. */
export function fieldChecks(profile: DistributorProfile, release: Facts, language: Language): FieldCheck[] {
  return RELEASE_FIELDS.map((field) => {
    const ask: Ask | undefined = profile.asks?.[field]
    const { need, ...foundation } = ask ?? { need: 'unknown' as const }
    const blanks = blanksOf(field, release)
    const state = blanks !== 'release' && blanks.length === 0 ? 'given' : need === 'assigned' ? 'assigned' : 'missing'
    const tracks = blanks === 'release' ? [] : blanks
    return {
      field,
      title: FIELD_WORDS[field][language],
      need,
      state,
      ...(tracks.length > 0 ? { tracks: [...tracks] } : {}),
      message: fieldText({ need, state, receiver: profile.name[language], tracks }, language),
      ...foundation,
    }
  })
}

/** Returns both verdicts: only rules that the receiver itself publishes speak against its files. */
export function verdictsOf(checks: readonly DeliveryCheck[], fields: readonly FieldCheck[]): Verdicts {
  const outcomes = checks.flatMap(({ confidence, outcome }) => (confidence === 'published' ? [outcome] : []))
  const files = outcomes.includes('remedy') ? 'not_ready' : outcomes.includes('not_measured') ? 'not_measured' : 'ready'
  const isLacking = fields.some(({ need, state }) => need === 'required' && state === 'missing')
  return { files, release: isLacking ? 'not_ready' : 'ready' }
}

/** Returns the facts that the exported cover will have: one that could be decoded becomes a JPEG in sRGB of at most `mostPx` a side. */
export function expectedCover(
  { media_type: mediaType, width_px: widthPx, height_px: heightPx, color_model, changes }: Omit<CoverRow, 'bytes'>,
  mostPx = Number.POSITIVE_INFINITY,
): NonNullable<DeliveredRelease['cover']> {
  const colorModel = color_model ?? 'rgb'
  // A cover still in other colours after conversion could not be decoded.
  if (colorModel !== 'rgb' && changes !== null) return { mediaType, widthPx, heightPx, colorModel }
  const scale = Math.min(1, mostPx / Math.max(widthPx, heightPx))
  const [width, height] = [widthPx, heightPx].map((side) => Math.round(side * scale))
  return { mediaType: 'image/jpeg', widthPx: width!, heightPx: height!, colorModel: 'rgb' }
}

/**
 * Returns the facts that the files of a set will have, as far as they are known before they are written: silence, and the peaks of copies
 * and of conversions, are not.
 */
export function expectedFiles(
  set: FileSet,
  sets: readonly FileSet[],
  songs: readonly SongMasters[],
  {
    release,
    request,
    nowMs,
  }: { readonly release: ReleaseRecord; readonly request: ExportRequest; readonly nowMs: number },
): FileFacts[] {
  const { container, bitDepth, rateHz } = formatFacts(set.format)
  const names = fileNames(set, sets, release, request, nowMs)
  return songs.map((song, index) => {
    const master = masterOf(song, set.master)!
    const title = fullTitle(release.tracks[index]!.facts)
    const sampleRateHz = rateHz ?? master.sample_rate_hz
    const isSame = sampleRateHz === master.sample_rate_hz && bitDepth !== undefined
    const peakDbtp = isSame ? master.true_peak_dbtp : null
    return {
      fileName: names[index]!.split('/').at(-1)!,
      title,
      ...(hasPlainNames(request, nowMs) ? { plainTitle: asciiName(title) } : {}),
      type: container,
      formatCode: container !== 'wav' ? null : set.format === 'wav32f' ? FLOAT_CODE : PCM_CODE,
      hasBytesAfterAudio: false,
      hasTags: set.labels !== 'none',
      bitDepth: bitDepth ?? null,
      sampleRateHz,
      channels: 2,
      durationSeconds: masterSeconds(song.edges, song.song.facts.durationSeconds),
      silenceStartSeconds: null,
      silenceEndSeconds: null,
      integratedLufs: master.integrated_lufs,
      truePeakDbtp: peakDbtp,
      truePeakAfterRateDbtp: sampleRateHz === CD_RATE_HZ ? peakDbtp : null,
      truePeakAfterCodecDbtp: null,
    }
  })
}
