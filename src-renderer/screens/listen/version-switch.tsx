/** The switch: every version of the song in one row, the heard one under the straw line. */
import { useId } from 'react'
import { useListenWords, usePlayer, useVersionName, useVisit } from './context.tsx'

export function VersionSwitch() {
  const { l, format } = useListenWords()
  const { player } = useVisit()
  const nameOf = useVersionName()
  const group = useId()
  const versions = usePlayer((state) => state.versions)
  const chosen = usePlayer((state) => state.version)
  const readiness = usePlayer((state) => state.readiness)
  return (
    <div className="vers" role="radiogroup" aria-label={l.versions}>
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
