/** A form field for one line of text, with its error. */
import { CircleX } from 'lucide-react'
import { type InputHTMLAttributes, type Ref, useId } from 'react'
import { Hint } from './button.tsx'

export interface TextFieldProps
  extends Pick<
    InputHTMLAttributes<HTMLInputElement>,
    'type' | 'maxLength' | 'placeholder' | 'inputMode' | 'spellCheck' | 'onBlur'
  > {
  label: string
  value: string
  onChange: (value: string) => void
  /** Error of the value in words; false without one. */
  problem: string | false
  /** Purpose of the field, shown on hover and focus, and read by screen readers. */
  help?: string
  /** The field may stay empty. */
  isOptional?: boolean
  ref?: Ref<HTMLInputElement>
}

export function TextField({ label, value, onChange, problem, help, isOptional, ...rest }: TextFieldProps) {
  const id = useId()
  const problemId = useId()
  const helpId = useId()
  const described = [...(problem ? [problemId] : []), ...(help ? [helpId] : [])].join(' ')
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        {label}
      </label>
      <span className="input" aria-invalid={problem ? true : undefined}>
        <Hint text={help} side="left">
          <input
            {...rest}
            id={id}
            value={value}
            aria-required={isOptional ? undefined : true}
            aria-invalid={problem ? true : undefined}
            aria-describedby={described || undefined}
            onChange={(event) => onChange(event.target.value)}
          />
        </Hint>
      </span>
      {help && (
        <span className="vh" id={helpId}>
          {help}
        </span>
      )}
      {problem && (
        <p className="problem" id={problemId} role="alert">
          <CircleX className="i s" aria-hidden="true" />
          <span>{problem}</span>
        </p>
      )}
    </div>
  )
}
