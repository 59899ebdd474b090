/** Preview of the names in an export. */
import { useEffect, useState } from 'react'
import type { ExportNames } from '../../../src-contract/release-exports.ts'
import { useApp, useSelect } from '../../state/app-state.ts'
import type { ExportWish } from '../../state/release-exports.ts'
import { useWords } from '../../text/context.tsx'

/** Number of names shown; the rest are counted. */
const SHOWN_NAMES = 3
/** Pause in typing before the names are requested, ms. */
const TYPING_MS = 250

interface WishedNamesProps {
  releaseId: string
  /** Request of the export; null if it is invalid, such as with a broken pattern. */
  wish: Omit<ExportWish, 'folder'> | null
}

export function WishedNames({ releaseId, wish }: WishedNamesProps) {
  const { t } = useWords()
  const names = useNames(releaseId, wish)
  const texts = t.release.export
  if (!names) return null
  const others = names.files.length - SHOWN_NAMES
  return (
    <div className="field wished-names">
      <span className="label">{texts.names}</span>
      <p className="clip">{names.folder}/</p>
      <ul aria-label={texts.names}>
        {names.files.slice(0, SHOWN_NAMES).map((name) => (
          <li key={name} className="clip" title={name}>
            {name}
          </li>
        ))}
        {others > 0 && <li className="faint">{texts.furtherNames(others)}</li>}
      </ul>
    </div>
  )
}

/** Returns the names for a request; the previous ones until they arrive, null before any. */
function useNames(release_id: string, wish: WishedNamesProps['wish']): ExportNames | null {
  const { client, releases } = useApp()
  const stored = useSelect(releases.editor.store, (state) => state.stored)
  const [names, setNames] = useState<ExportNames | null>(null)
  const key = wish && JSON.stringify(wish)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the stored release determines the names too
  useEffect(() => {
    if (key === null) return
    const asking = new AbortController()
    const ask = () =>
      client
        .call('nameExport', { params: { release_id }, body: JSON.parse(key) as ExportWish, signal: asking.signal })
        .then(setNames)
        // The export itself reports the reason.
        .catch(() => asking.signal.aborted || setNames(null))
    const timer = setTimeout(() => void ask(), TYPING_MS)
    return () => {
      clearTimeout(timer)
      asking.abort()
    }
  }, [client, release_id, key, stored])
  return names
}
