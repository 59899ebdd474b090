/** Files of an export, and the later check of its folder. */
import { Check, CircleX, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import type { ExportedRelease, VerifiedFolder } from '../../../src-contract/release-exports.ts'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { useApp } from '../../state/app-state.ts'
import { useWords } from '../../text/context.tsx'
import { Problem, useAction } from '../settings/section.tsx'

const glyph = { className: 'i s', 'aria-hidden': true } as const

export function CertificateView({ exported }: { exported: ExportedRelease }) {
  const { t } = useWords()
  const texts = t.release.export
  const { folder, certificate, zip } = exported
  return (
    <div className="certificate">
      <div className="field">
        <span className="label">{texts.done}</span>
        <div className="secret">
          <code className="clip" title={folder}>
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
    </div>
  )
}

/** Verifies the folder, and shows differences. */
function VerifyButton({ folder }: { folder: string }) {
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
