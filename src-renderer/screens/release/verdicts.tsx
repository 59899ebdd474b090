/** The receiver of a release and its two verdicts, always visible under the head. */
import { Check, CircleDashed, TriangleAlert } from 'lucide-react'
import { useId } from 'react'
import { DISTRIBUTORS, type Distributor, distributorProfile } from '../../../src-contract/distributors/index.ts'
import type { Release } from '../../../src-contract/releases.ts'
import { Button } from '../../components/button.tsx'
import { useApp, useSelect } from '../../state/app-state.ts'
import { FACTS } from '../../state/release-drafts.ts'
import { type ShownVerdict, verdictsOf } from '../../state/release-readiness.ts'
import { useWords } from '../../text/context.tsx'
import { showPart } from './side.ts'
import './verdicts.css'

/** Returns the chosen receivers as they are checked now, and the certificate of the last export. */
export function useChosenReceivers({ release_id, receivers: ids = [] }: Release) {
  const { readiness: asked, exports } = useApp().releases
  const readiness = useSelect(asked.store, (state) => state.readiness)
  const certificate = useSelect(exports.store, (state) => state.done[release_id]?.certificate ?? null)
  const chosen = ids.flatMap((id) => readiness?.receivers.find(({ receiver }) => receiver === id) ?? [])
  return { readiness, chosen, certificate }
}

export function Verdicts({ release }: { release: Release }) {
  const { editor } = useApp().releases
  const { t, language } = useWords()
  const texts = t.release.upload
  const id = useId()
  const { receivers: [first, ...others] = [] } = release
  const { chosen, certificate } = useChosenReceivers(release)
  const choose = (next: Distributor) =>
    editor.change(FACTS, { receivers: [next, ...others.filter((one) => one !== next)] })
  const verdicts = chosen.length > 0 ? verdictsOf(chosen, release, certificate) : null
  const last = useLastReceiver(release)
  return (
    <section className="row wraps verdicts" aria-label={texts.where} data-field={`${FACTS}.receivers`}>
      <label className="label" htmlFor={id}>
        {texts.where}
      </label>
      <select
        id={id}
        className="input pick"
        value={first ?? ''}
        onChange={(event) => choose(event.currentTarget.value as Distributor)}
      >
        {!first && <option value="">{t.release.choose}</option>}
        {DISTRIBUTORS.map((one) => (
          <option key={one} value={one}>
            {distributorProfile(one).name[language]}
          </option>
        ))}
      </select>
      {!first && last && (
        <Button small onClick={() => choose(last)}>
          {texts.asLast(distributorProfile(last).name[language])}
        </Button>
      )}
      {!first && !last && <span className="faint clip">{texts.unchosen}</span>}
      {verdicts && <Verdict kind="files" verdict={verdicts.files} />}
      {verdicts && <Verdict kind="release" verdict={verdicts.release} />}
    </section>
  )
}

/** Returns the receiver of the newest other release that has one. */
function useLastReceiver({ release_id }: Release): Distributor | undefined {
  const { store } = useApp().releases
  const items = useSelect(store, (state) => state.items)
  return items?.find((one) => one.release_id !== release_id && one.receivers?.[0])?.receivers?.[0]
}

function Verdict({ kind, verdict }: { kind: 'files' | 'release'; verdict: ShownVerdict }) {
  const { t } = useWords()
  const { files, release } = t.release.upload
  const { ready, broken } = kind === 'files' ? files : release
  const glyph = { className: 'i s', 'aria-hidden': true } as const
  return (
    <Button
      small
      look="quiet"
      className={`verdict ${verdict === 'ready' ? 'c-ok' : typeof verdict === 'number' ? 'c-warn' : ''}`}
      icon={
        verdict === 'ready' ? (
          <Check {...glyph} />
        ) : verdict === 'open' ? (
          <CircleDashed {...glyph} />
        ) : (
          <TriangleAlert {...glyph} />
        )
      }
      onClick={() => showPart('upload')}
    >
      {verdict === 'ready' ? ready : verdict === 'open' ? files.open : broken(verdict)}
    </Button>
  )
}
