/** A fader with a notch at its neutral value: pointer, wheel, keys, double click to reset; built on a native range. */
import { type CSSProperties, type KeyboardEvent, memo, useEffect, useId, useRef } from 'react'
import { Hint } from './button.tsx'

/** Time after scrolling of the column during which the wheel keeps scrolling, ms. */
const SCROLLING_MS = 400

export interface KnobRange {
  readonly minimum: number
  readonly maximum: number
  readonly neutral: number
  /** Smallest step, with Shift; an arrow key without it takes `coarse`. */
  readonly fine: number
  readonly coarse: number
}

export interface KnobProps {
  label: string
  value: number
  range: KnobRange
  /** The value as displayed and read out. */
  valueText: string
  /** Describes its effect, use and cost. */
  help: string
  isDisabled?: boolean
  onChange: (value: number) => void
}

/** Rounds a value to the steps of a range. Pure. */
export function onStep(value: number, { minimum, maximum, fine }: KnobRange): number {
  const steps = Math.round(1 / fine)
  return Math.round(Math.max(minimum, Math.min(maximum, value)) * steps) / steps + 0
}

/** Returns the value after a key; undefined for a key without a function here. Pure. */
export function valueAfter(
  { key, shiftKey }: Pick<KeyboardEvent, 'key' | 'shiftKey'>,
  value: number,
  range: KnobRange,
): number | undefined {
  const step = shiftKey ? range.fine : range.coarse
  const page = 4 * range.coarse
  const moves: Readonly<Record<string, number>> = {
    ...{ ArrowUp: value + step, ArrowRight: value + step, ArrowDown: value - step, ArrowLeft: value - step },
    ...{ PageUp: value + page, PageDown: value - page, Home: range.minimum, End: range.maximum },
    ...{ Delete: range.neutral, Backspace: range.neutral },
  }
  const next = moves[key]
  return next === undefined ? undefined : onStep(next, range)
}

export const Knob = memo(function Knob({
  label,
  value,
  range,
  valueText,
  help,
  isDisabled = false,
  onChange,
}: KnobProps) {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  useWheel(field, value, range, onChange)
  const { minimum, maximum, neutral, fine } = range
  const place = (at: number) => (at - minimum) / (maximum - minimum)
  return (
    <Hint text={help} side="left">
      <div className={`knob ${value === neutral ? 'is-neutral' : ''}`}>
        <label className="label" htmlFor={id}>
          <span className="clip">{label}</span> <output htmlFor={id}>{valueText}</output>
        </label>
        <input
          ref={field}
          id={id}
          type="range"
          className="notched"
          min={minimum}
          max={maximum}
          step={fine}
          value={value}
          disabled={isDisabled}
          aria-valuetext={valueText}
          aria-describedby={`${id}-help`}
          style={{ '--at': place(value), '--zero': place(neutral) } as CSSProperties}
          onChange={(event) => onChange(onStep(event.currentTarget.valueAsNumber, range))}
          onDoubleClick={() => onChange(neutral)}
          onKeyDown={(event) => {
            const next = event.altKey || event.ctrlKey || event.metaKey ? undefined : valueAfter(event, value, range)
            if (next === undefined) return
            event.preventDefault()
            if (next !== value) onChange(next)
          }}
        />
        <span id={`${id}-help`} className="vh">
          {help}
        </span>
      </div>
    </Hint>
  )
})

/** The wheel turns the control under the pointer, except while the column is being scrolled. */
function useWheel(
  field: React.RefObject<HTMLInputElement | null>,
  value: number,
  range: KnobRange,
  onChange: (value: number) => void,
): void {
  const now = useRef({ value, range, onChange })
  now.current = { value, range, onChange }
  useEffect(() => {
    const element = field.current
    const scroller = element?.closest('.side, .modal')
    if (!element) return
    let scrolledAt = Number.NEGATIVE_INFINITY
    const onScroll = (event: Event) => {
      scrolledAt = event.timeStamp
    }
    const onWheel = (event: WheelEvent) => {
      if (element.disabled || event.ctrlKey || event.deltaY === 0 || event.timeStamp - scrolledAt < SCROLLING_MS) return
      event.preventDefault()
      const { value, range, onChange } = now.current
      const step = (event.shiftKey ? range.fine : range.coarse) * -Math.sign(event.deltaY)
      const next = onStep(value + step, range)
      if (next !== value) onChange(next)
    }
    scroller?.addEventListener('scroll', onScroll)
    element.addEventListener('wheel', onWheel, { passive: false })
    return () => {
      scroller?.removeEventListener('scroll', onScroll)
      element.removeEventListener('wheel', onWheel)
    }
  }, [field])
}
