/** Names that an export would give, shown while it is asked for. */
import { useEffect, useState } from 'react'
import type { ExportNames } from '../../../src-contract/release-exports.ts'
import { useApp, useSelect } from '../../state/app-state.ts'
import type { ExportWish } from '../../state/release-exports.ts'
import { useWords } from '../../text/context.tsx'

/** Names that are shown; the others are counted. */
const SHOWN_NAMES = 3
/** Rest after the last key before the names are asked for, ms. */
const TYPING_MS = 250

interface WishedNamesProps {
  releaseId: string
  /** Request of the export; null where there can be none, such as with a broken pattern. */
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

/** Returns the names for what is wished; those before until others are known, null before any. */
function useNames(release_id: string, wish: WishedNamesProps['wish']): ExportNames | null {
  const { client, releases } = useApp()
  const stored = useSelect(releases.editor.store, (state) => state.stored)
  const [names, setNames] = useState<ExportNames | null>(null)
  const key = wish && JSON.stringify(wish)
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is stored of the release makes the names as well
  useEffect(() => {
    if (key === null) return
    const asking = new AbortController()
    const ask = () =>
      client
        .call('nameExport', { params: { release_id }, body: JSON.parse(key) as ExportWish, signal: asking.signal })
        .then(setNames)
        // The export itself says what stands against it.
        .catch(() => asking.signal.aborted || setNames(null))
    const timer = setTimeout(() => void ask(), TYPING_MS)
    return () => {
      clearTimeout(timer)
      asking.abort()
    }
  }, [client, release_id, key, stored])
  return names
}
