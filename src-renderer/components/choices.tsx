/** Choices: a segmented row, two cards, a fader, all built on native radios and ranges. */
import { type CSSProperties, type ReactNode, useId } from 'react'

export interface Option<Value extends string> {
  readonly value: Value
  readonly text: ReactNode
  readonly whyNot?: string | undefined
  /** Describes the effect of choosing it. */
  readonly hint?: string
}

export interface ChoiceProps<Value extends string, Kind = Option<Value>> {
  label: string
  options: readonly Kind[]
  /** null without a choice, as when the rows differ. */
  value: Value | null
  onChoose: (value: Value) => void
}

/** A block of at most six parts, one of them chosen. `columns` breaks it into rows. */
export function Segmented<Value extends string>(props: ChoiceProps<Value> & { columns?: 3; className?: string }) {
  const { label, options, value, onChoose, columns, className = '' } = props
  const name = useId()
  return (
    <div className={`seg ${columns === 3 ? 'g3' : ''} ${className}`} role="radiogroup" aria-label={label}>
      {options.map((option) => (
        <label key={option.value} title={option.whyNot ?? option.hint} className={option.whyNot ? 'off' : undefined}>
          <input
            type="radio"
            className="vh"
            name={name}
            checked={option.value === value}
            disabled={option.whyNot !== undefined}
            onChange={() => onChoose(option.value)}
          />
          <span className="clip">{option.text}</span>
        </label>
      ))}
    </div>
  )
}

/** Two cards with a title and a sentence each. */
export function Cards<Value extends string>({
  label,
  options,
  value,
  onChoose,
}: ChoiceProps<Value, { value: Value; text: string; sentence: string }>) {
  const name = useId()
  return (
    <div className="choice" role="radiogroup" aria-label={label}>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            className="vh"
            name={name}
            checked={option.value === value}
            onChange={() => onChoose(option.value)}
          />
          <b>{option.text}</b>
          <span>{option.sentence}</span>
        </label>
      ))}
    </div>
  )
}

/** A range, from 0 to 100 by default, with its value displayed; a double click resets it to `standard`. */
export function Fader({
  label,
  value,
  standard,
  onChange,
  between,
  children,
  range: { minimum, maximum, step } = { minimum: 0, maximum: 100, step: 1 },
  valueText = String(value),
}: {
  label: string
  value: number
  standard: number
  onChange: (value: number) => void
  between?: readonly [string, string]
  children?: ReactNode
  range?: { readonly minimum: number; readonly maximum: number; readonly step: number }
  /** The value as displayed and read out. */
  valueText?: string
}) {
  const id = useId()
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        {label} <output htmlFor={id}>{valueText}</output>
      </label>
      {children}
      <input
        id={id}
        type="range"
        min={minimum}
        max={maximum}
        step={step}
        value={value}
        title={valueText}
        aria-valuetext={valueText}
        style={{ '--v': (100 * (value - minimum)) / (maximum - minimum) } as CSSProperties}
        onChange={(event) => onChange(event.currentTarget.valueAsNumber)}
        onDoubleClick={() => onChange(standard)}
      />
      {between && (
        <div className="scale tick" aria-hidden="true">
          <span>{between[0]}</span>
          <span>{between[1]}</span>
        </div>
      )}
    </div>
  )
}
