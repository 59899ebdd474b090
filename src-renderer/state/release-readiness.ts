/** Readiness of the open release for its receivers, and the faults to fix for one of them. */
import { createStore } from 'zustand/vanilla'
import type { Client } from '../../src-contract/client.ts'
import type { RuleName } from '../../src-contract/distributors/rules.ts'
import type { Certificate, FieldCheck, ReceiverCheck, ReleaseReadiness } from '../../src-contract/release-exports.ts'
import type { Release } from '../../src-contract/releases.ts'
import { FACTS } from './release-drafts.ts'

/** A field of a release (`FACTS`) or of a track. */
export interface MendField {
  readonly part: string
  readonly member: string
}

/** A field or rule of a receiver, with the place to fix it. */
export interface MendRow extends Pick<FieldCheck, 'source' | 'url' | 'read' | 'dated'> {
  /** Required and missing or broken; asked for or advised; answered by the receiver; or unknown. */
  readonly weight: 'needed' | 'advised' | 'assigned' | 'unknown'
  readonly verdict: 'files' | 'release'
  readonly name: FieldCheck['field'] | RuleName
  readonly title: string
  readonly messages: readonly string[]
  readonly ageNote?: string | undefined
  /** Absent if nothing on this screen can fix it. */
  readonly field?: MendField | undefined
}

/** Members that satisfy a rule; null for rules that only a different recording can satisfy. */
const MEMBER_OF: Readonly<Record<RuleName, string | null>> = {
  file_type: 'formats',
  bit_depth: 'formats',
  sample_rate: 'formats',
  least_sample_rate: 'formats',
  channels: null,
  format_code: 'formats',
  chunk_order: 'formats',
  no_tags: 'formats',
  silence_start: 'trim_start_seconds',
  silence_end: 'trim_end_seconds',
  length: null,
  mean_length: null,
  name_characters: 'formats',
  name_of_title: 'formats',
  name_without: 'formats',
  loudness: 'loudness_mode',
  true_peak: 'loudness_mode',
  true_peak_after_rate: 'loudness_mode',
  true_peak_after_codec: 'loudness_mode',
  cover: 'cover',
  cover_type: 'cover',
  cover_color: 'cover',
}

const IN_TRACK: readonly string[] = ['composers', 'lyricists', 'isrc', 'explicit', 'disclosure']

function fieldRow(check: FieldCheck, release: Release): MendRow[] {
  const { field: name, title, need, state, message, tracks = [] } = check
  if (state === 'given') return []
  const weight = need === 'required' ? 'needed' : need === 'asked' ? 'advised' : need
  const track = IN_TRACK.includes(name) ? release.tracks[(tracks[0] ?? 1) - 1] : undefined
  const field = { part: track?.track_id ?? FACTS, member: name }
  return [{ ...check, weight, verdict: 'release', name, title, messages: [message], field }]
}

type RuleCheck = ReceiverCheck['checks'][number]

function ruleRow(check: RuleCheck, release: Release, files: Certificate['files']): MendRow[] {
  if (check.outcome !== 'remedy') return []
  const { rule: name, remedies, confidence, age_note: ageNote } = check
  const member = MEMBER_OF[name]
  const trackNumber = files.find((file) => file.name === remedies[0]?.file)?.sound?.track ?? 1
  const part = member?.startsWith('trim_') ? (release.tracks[trackNumber - 1]?.track_id ?? FACTS) : FACTS
  return [
    {
      ...check,
      ...{ name, verdict: 'files', weight: confidence === 'published' ? 'needed' : 'advised', ageNote },
      messages: [...new Set(remedies.map(({ message }) => message))],
      field: member === null ? undefined : { part, member },
    },
  ]
}

/**
 * Returns the fields and rules to fix, to answer or unknown at a receiver, the required ones first. `certificate` is that of the last
 * export: it has the figures that only written files have. Pure.
 */
export function mendRowsOf(receiver: ReceiverCheck, release: Release, certificate: Certificate | null): MendRow[] {
  const written = certificate?.receivers.find((one) => one.receiver === receiver.receiver)
  const measured = (check: RuleCheck) =>
    (check.outcome === 'not_measured' && written?.checks.find(({ title }) => title === check.title)) || check
  const rows = [
    ...(receiver.fields ?? []).flatMap((check) => fieldRow(check, release)),
    ...receiver.checks.flatMap((check) => ruleRow(measured(check), release, certificate?.files ?? [])),
    ...(receiver.unknown_rules ?? []).map(
      ({ rule: name, title, searched }): MendRow => ({
        ...{ weight: 'unknown', verdict: 'files', name, title, messages: [searched] },
      }),
    ),
  ]
  const weights = ['needed', 'advised', 'assigned', 'unknown']
  return rows.toSorted((a, b) => weights.indexOf(a.weight) - weights.indexOf(b.weight))
}

/** Displayed verdict: ready, a number of things to fix, or ready as far as known before the files are written. */
export type ShownVerdict = 'ready' | 'open' | number

/** Returns both verdicts over the chosen receivers: the number of things that any of them requires. Pure. */
export function verdictsOf(
  chosen: readonly ReceiverCheck[],
  release: Release,
  certificate: Certificate | null,
): { readonly files: ShownVerdict; readonly release: ShownVerdict } {
  const needed = chosen.flatMap((one) => mendRowsOf(one, release, certificate)).filter((row) => row.weight === 'needed')
  const count = (verdict: MendRow['verdict']) =>
    new Set(needed.flatMap((row) => (row.verdict === verdict ? `${row.name} ${row.messages.join()}` : []))).size
  const isMeasured = (one: ReceiverCheck) =>
    one.verdicts?.files !== 'not_measured' ||
    certificate?.receivers.some(({ receiver, verdicts }) => receiver === one.receiver && verdicts?.files === 'ready')
  return {
    files: count('files') || (chosen.every(isMeasured) ? 'ready' : 'open'),
    release: count('release') || 'ready',
  }
}

/** Pause after a change before the readiness is requested, ms. */
const SETTLE_MS = 300

export class Readiness {
  readonly store = createStore<{ readonly readiness: ReleaseReadiness | null }>(() => ({ readiness: null }))
  readonly #client: Pick<Client, 'call'>
  #asking: AbortController | null = null
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(client: Pick<Client, 'call'>) {
    this.#client = client
  }

  /** Requests the readiness of a release as stored; the last one stays until then. Never throws. */
  follow({ release_id }: Pick<Release, 'release_id'>): void {
    this.#asking?.abort()
    clearTimeout(this.#timer)
    const known = this.store.getState().readiness
    if (known && known.release_id !== release_id) this.store.setState({ readiness: null })
    this.#timer = setTimeout(() => void this.#ask(release_id), known?.release_id === release_id ? SETTLE_MS : 0)
  }

  leave(): void {
    this.#asking?.abort()
    clearTimeout(this.#timer)
    this.store.setState({ readiness: null })
  }

  async #ask(release_id: string): Promise<void> {
    this.#asking = new AbortController()
    const { signal } = this.#asking
    // Without an answer the last one stays; the next change asks again.
    await this.#client.call('readReadiness', { params: { release_id }, signal }).then(
      (readiness) => this.store.setState({ readiness }),
      () => undefined,
    )
  }
}
