/** A choice of yes or no with its consequence. */
import { useId } from 'react'

interface CheckBoxProps {
  label: string
  /** A sentence below: the effect of a check. */
  hint?: string
  isOn: boolean
  onChange: (isOn: boolean) => void
}

export function CheckBox({ label, hint, isOn, onChange }: CheckBoxProps) {
  const hintId = useId()
  return (
    <div>
      <label className="row check-box">
        <input
          type="checkbox"
          checked={isOn}
          aria-describedby={hint ? hintId : undefined}
          onChange={() => onChange(!isOn)}
        />
        <span className="clip">{label}</span>
      </label>
      {hint && (
        <p className="me" id={hintId}>
          {hint}
        </p>
      )}
    </div>
  )
}
