/** A field of a form for one line of text, with what is wrong with it. */
import { CircleX } from 'lucide-react'
import { type InputHTMLAttributes, type Ref, useId } from 'react'

export interface TextFieldProps
  extends Pick<
    InputHTMLAttributes<HTMLInputElement>,
    'maxLength' | 'placeholder' | 'inputMode' | 'spellCheck' | 'onBlur'
  > {
  label: string
  value: string
  onChange: (value: string) => void
  /** Fault of the value, in words; false without one. */
  problem: string | false
  /** The field may stay empty. */
  isOptional?: boolean
  ref?: Ref<HTMLInputElement>
}

export function TextField({ label, value, onChange, problem, isOptional, ...rest }: TextFieldProps) {
  const id = useId()
  const problemId = useId()
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        {label}
      </label>
      <span className="input" aria-invalid={problem ? true : undefined}>
        <input
          {...rest}
          id={id}
          value={value}
          aria-required={isOptional ? undefined : true}
          {...(problem ? { 'aria-invalid': true, 'aria-describedby': problemId } : {})}
          onChange={(event) => onChange(event.target.value)}
        />
      </span>
      {problem && (
        <p className="problem" id={problemId} role="alert">
          <CircleX className="i s" aria-hidden="true" />
          <span>{problem}</span>
        </p>
      )}
    </div>
  )
}
