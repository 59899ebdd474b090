/** The certificate of an export: each receiver with its rules, and the remedies. */
import { Check, CircleX, Minus, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { DISTRIBUTORS } from '../../../src-contract/distributors/index.ts'
import { formatFacts } from '../../../src-contract/formats.ts'
import type { ExportedRelease, ReceiverCheck, VerifiedFolder } from '../../../src-contract/release-exports.ts'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { useApp } from '../../state/app-state.ts'
import { useWords } from '../../text/context.tsx'
import { Problem, useAction } from '../settings/section.tsx'

const glyph = { className: 'i s', 'aria-hidden': true } as const

type Outcome = ReceiverCheck['outcome']

function OutcomeMark({ outcome }: { outcome: Outcome }) {
  if (outcome === 'pass') return <Check {...glyph} className="i s c-ok" />
  return outcome === 'remedy' ? (
    <TriangleAlert {...glyph} className="i s c-warn" />
  ) : (
    <Minus {...glyph} className="i s" />
  )
}

export function CertificateView({ exported }: { exported: ExportedRelease }) {
  const { t } = useWords()
  const texts = t.release.export
  const { folder, certificate, zip } = exported
  return (
    <div className="certificate">
      <div className="field">
        <span className="label">{texts.done}</span>
        <div className="secret">
          <code className="clip">
            <bdi>{folder}</bdi>
          </code>
          <CopyButton small value={folder}>
            {texts.copyPath}
          </CopyButton>
        </div>
      </div>
      {zip && (
        <p className="me">
          {texts.zipped} <bdi>{zip}</bdi>
        </p>
      )}
      <VerifyButton folder={folder} />
      {certificate.unapplied_tracks.length > 0 && (
        <p className="note c-warn">
          <TriangleAlert {...glyph} /> {texts.unapplied(certificate.unapplied_tracks.join(', '))}
        </p>
      )}
      <ToMend receivers={certificate.receivers} />
      <ul className="receiver-list">
        {certificate.receivers.map((receiver) => (
          <li key={receiver.receiver}>
            <Receiver receiver={receiver} />
          </li>
        ))}
      </ul>
    </div>
  )
}

/** A fault to fix, its files, and the receivers that require it. */
interface Remedy {
  readonly message: string
  readonly files: readonly string[]
  readonly receivers: readonly string[]
}

/** Returns the remedies, each once with all of its files, sorted by the number of receivers that require them. Pure. */
export function remediesOf(receivers: readonly ReceiverCheck[]): Remedy[] {
  const told = receivers.flatMap(({ name, checks }) =>
    checks.flatMap(({ remedies }) => remedies.map(({ file, message }) => ({ name, file, message }))),
  )
  return [...Map.groupBy(told, ({ message }) => message)]
    .map(([message, all]) => ({
      message,
      files: [...new Set(all.flatMap(({ file }) => file ?? []))],
      receivers: [...new Set(all.map(({ name }) => name))],
    }))
    .sort((one, other) => other.receivers.length - one.receivers.length)
}

function ToMend({ receivers }: { receivers: readonly ReceiverCheck[] }) {
  const { t } = useWords()
  const texts = t.release.export
  const remedies = remediesOf(receivers)
  if (remedies.length === 0) return null
  return (
    <section className="to-mend" aria-label={texts.outcomes.remedy}>
      <h3>{texts.outcomes.remedy}</h3>
      {receivers.length === DISTRIBUTORS.length && <p className="me">{texts.onlyChecked}</p>}
      <ul>
        {remedies.map(({ message, files, receivers: names }) => (
          <li key={message}>
            <span>
              {files.length > 0 && (
                <span title={files.join('\n')}>{files.length > 1 ? texts.files(files.length) : files[0]}: </span>
              )}
              {message}
            </span>
            <span className="tick">{names.join(', ')}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Receiver({ receiver }: { receiver: ReceiverCheck }) {
  const { t } = useWords()
  const texts = t.release.export
  const { checks, name, outcome, edition, upload } = receiver
  const kept = checks.filter((check) => check.outcome === 'pass').length
  return (
    <details>
      <summary>
        <OutcomeMark outcome={outcome} />
        <b className="grow">{name}</b>
        <span className="vh">{texts.outcomes[outcome]}</span>
        <span className="faint">{texts.kept(kept, checks.length)}</span>
      </summary>
      <ul className="checks">
        {checks.map((check) => (
          <li key={check.title}>
            <OutcomeMark outcome={check.outcome} />
            <div className="grow">
              <b>{check.title}</b> <span className="vh">{texts.outcomes[check.outcome]}</span>
              {check.remedies.map((remedy) => (
                <p key={`${remedy.file} ${remedy.message}`} className="c-warn">
                  {remedy.file && <bdi>{remedy.file}: </bdi>}
                  {remedy.message}
                </p>
              ))}
            </div>
          </li>
        ))}
      </ul>
      <p className="tick">
        {texts.upload(formatFacts(upload.format).name, upload.folder)} · {texts.edition(edition)}
      </p>
    </details>
  )
}

/** Verifies the folder, and shows differences. */
export function VerifyButton({ folder }: { folder: string }) {
  const { releases } = useApp()
  const { t } = useWords()
  const texts = t.release.export
  const { isBusy, problem, run } = useAction()
  const [found, setFound] = useState<VerifiedFolder | null>(null)
  const verify = () => void run(async () => setFound(await releases.exports.verify(folder)))
  return (
    <div className="field">
      <div className="row">
        <Button small busyText={isBusy && texts.verifying} onClick={verify}>
          {texts.verify}
        </Button>
      </div>
      {found && <Verified found={found} />}
      <Problem problem={problem} />
    </div>
  )
}

function Verified({ found }: { found: VerifiedFolder }) {
  const { t } = useWords()
  const texts = t.release.export
  const lists = [
    [texts.changed, found.changed],
    [texts.missing, found.missing],
    [texts.added, found.added],
  ] as const
  return (
    <div role="status" className="verified">
      <p className={found.is_intact ? 'c-ok' : 'c-bad'}>
        {found.is_intact ? <Check {...glyph} /> : <CircleX {...glyph} />}{' '}
        <b>{found.is_intact ? texts.intact : texts.notIntact}</b>
      </p>
      {!found.is_intact && <p>{texts.signatures[found.signature]}</p>}
      {lists.map(
        ([name, files]) =>
          files.length > 0 && (
            <p key={name}>
              {name}: <bdi>{files.join(', ')}</bdi>
            </p>
          ),
      )}
    </div>
  )
}
