/** Versions and forms added to a loaded item: coded copies of its masters, auditions, and a master of another job. */
import { COPY_CODEC_NAMES, type CopyCodec } from '../../src-contract/codecs.ts'
import { refusalOf } from '../state/refusal.ts'
import { AS_UPLOADED, formTrack, type MasterForm } from './forms.ts'
import type { PlaybackSession } from './session.ts'
import { type PlaybackState, type PlaybackVersion, withOther, withVersion } from './state.ts'

/** Parts of the playback that they use. */
export interface LateVersionsDeps {
  readonly state: () => PlaybackState
  readonly change: (next: Partial<PlaybackState>) => void
  readonly session: () => PlaybackSession
}

export class LateVersions {
  readonly #deps: LateVersionsDeps

  constructor(deps: LateVersionsDeps) {
    this.#deps = deps
  }

  /** Plays a master through a codec, or as uploaded with null; the current form plays until the copy is there. */
  hearCopy(id: string, codec: CopyCodec | null): void {
    const { state, change, session } = this.#deps
    const version = state().versions.find((one) => one.id === id)
    const next = withVersion(state(), id)
    if (!version?.platform || !next) return
    change(next)
    const { codec: heard, making } = this.#formOf(id)
    if (codec !== null && codec === making) return
    this.#giveUp(id)
    if (codec === null || codec === heard || session().hasForm(formTrack(id, codec))) {
      this.#put(id, { codec, making: null, failed: null })
      return
    }
    this.#put(id, { making: codec, failed: null })
    const { platform, jobId = '' } = version
    void session().loadForm(formTrack(id, codec), version, { kind: 'copy', jobId, platform, codec })
  }

  /** Call when the form of a version is open. */
  ready(id: string, form: string): void {
    const { making } = this.#formOf(id)
    if (making !== form) return
    this.#deps.session().settleForm(formTrack(id, form))
    this.#put(id, { codec: making, making: null })
  }

  /** Call when the form of a version cannot be opened or read; playback continues with another form. */
  fail(id: string, form: string, error: unknown): void {
    const { codec, making } = this.#formOf(id)
    this.#deps.session().forgetForm(formTrack(id, form))
    const refusal = refusalOf(error)
    if (making === form) this.#put(id, { making: null, failed: { codec: making, refusal } })
    else if (codec === form) this.#put(id, { codec: null, failed: { codec, refusal } })
  }

  /**
   * Replaces the audition at the same position; null removes it. Resolves once it can play. An audition for an item
   * that is no longer loaded is dropped.
   */
  async setAudition(audition: PlaybackVersion | null): Promise<void> {
    const { state, change } = this.#deps
    const session = this.#deps.session()
    if (audition?.track && audition.source) await session.loadForm(audition.track, audition, audition.source)
    if (session.signal.aborted) return
    if (audition?.track) session.settleForm(audition.track)
    const { versions, item, readiness } = state()
    const next = audition ?? item?.versions.find((one) => one.kind === 'audition')
    if (!next) return
    const { audition: _before, ...known } = readiness
    change({
      versions: versions.map((one) => (one.kind === 'audition' ? next : one)),
      readiness: audition ? { ...known, audition: 'ready' } : known,
    })
  }

  /** Adds a master of another job to the versions and plays it; null removes it. */
  async bring(other: PlaybackVersion | null): Promise<void> {
    const { state, change, session } = this.#deps
    const { versions, version, item } = state()
    if (version === 'other' && !other) change({ version: 'source' })
    if (versions.some((one) => one.kind === 'other')) {
      this.#forgetCopies('other')
      session().graph?.drop('other')
    }
    change(withOther(state(), other, item?.first.version ?? 'source'))
    if (!other) return
    await session().load([other])
    const now = state()
    if (!now.versions.includes(other)) return
    if (now.readiness.other === 'ready') change({ version: 'other', lastHeard: 'other', lastMaster: 'other' })
    else if (now.version === 'other') change({ version: now.lastMaster })
  }

  /** Drops the copies of a version that was removed: another version may get its name. */
  #forgetCopies(id: string): void {
    const { state, change, session } = this.#deps
    for (const track of COPY_CODEC_NAMES.map((codec) => formTrack(id, codec)))
      if (session().hasForm(track)) session().dropForm(track)
    const { [id]: _gone, ...copies } = state().copies
    change({ copies })
  }

  /** Abandons the copy of a version that is still being made. */
  #giveUp(id: string): void {
    const { making } = this.#formOf(id)
    if (making) this.#deps.session().dropForm(formTrack(id, making))
  }

  #formOf(id: string): MasterForm {
    return this.#deps.state().copies[id] ?? AS_UPLOADED
  }

  #put(id: string, next: Partial<MasterForm>): void {
    const { state, change } = this.#deps
    change({ copies: { ...state().copies, [id]: { ...this.#formOf(id), ...next } } })
  }
}
