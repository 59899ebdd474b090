/** The switch: every version of the song in one row, the heard one under the straw line. */

import { useEffect, useId, useRef } from 'react'
import { useSize } from '../../components/frames.ts'
import { useListenWords, usePlayer, useVersionName, useVisit } from './context.tsx'

export function VersionSwitch() {
  const { l, format } = useListenWords()
  const { player } = useVisit()
  const nameOf = useVersionName()
  const group = useId()
  const row = useRef<HTMLDivElement>(null)
  const versions = usePlayer((state) => state.versions)
  const chosen = usePlayer((state) => state.version)
  const readiness = usePlayer((state) => state.readiness)
  const [width] = useSize(row, [0, 0])
  // In a small window the row scrolls, and keys choose what is out of view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: version and width are signs, not ingredients
  useEffect(() => {
    const label = row.current?.querySelector('input:checked')?.parentElement
    if (!row.current || !label) return
    const [whole, part] = [row.current.getBoundingClientRect(), label.getBoundingClientRect()]
    row.current.scrollLeft += Math.min(0, part.left - whole.left) + Math.max(0, part.right - whole.right)
  }, [chosen, width])
  return (
    <div className="vers" ref={row} role="radiogroup" aria-label={l.versions}>
      {versions.map((version) => {
        const { id, kind, key, level, missing } = version
        const isGone = readiness[id] === 'failed'
        const reason = missing ? l.missing[missing] : isGone ? l.versionFailed : undefined
        const isOpening = readiness[id] === 'opening'
        return (
          <label
            key={id}
            className={`${kind === 'reference' || kind === 'other' ? 'split' : ''} ${reason ? 'off' : ''} ${isOpening ? 'opening' : ''}`}
            title={reason ?? (isOpening ? l.versionOpening : undefined)}
          >
            <input
              type="radio"
              className="vh"
              name={group}
              value={id}
              checked={chosen === id}
              disabled={reason !== undefined}
              onChange={() => player.choose(id)}
            />
            <span className="clip">{nameOf(version)}</span>
            {!reason && (
              <small>
                {format.level(level.integratedLufs)}
                <span className="vh"> {l.lufs}</span>
              </small>
            )}
            {reason && <span className="vh">{reason}</span>}
            <span aria-hidden="true">
              <kbd>{key}</kbd>
            </span>
          </label>
        )
      })}
    </div>
  )
}
