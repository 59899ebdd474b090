/** The button. Icon-only buttons need a `label`; a disabled one gives its reason. */
import { Tooltip } from 'radix-ui'
import {
  type ButtonHTMLAttributes,
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type Ref,
  useId,
  useState,
} from 'react'
import { isByPointer } from './input-modality.ts'

export interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled'> {
  look?: 'plain' | 'primary' | 'quiet' | 'danger'
  small?: boolean
  icon?: ReactNode
  /** Name of an icon-only button; shown as its tooltip too. */
  label?: string
  /** The progressive form of the text, shown while the action runs; a second press is ignored. */
  busyText?: string | false | undefined
  /** Reason why it is disabled. It stays focusable, so that the reason can be found. */
  whyNot?: string | false | undefined
  ref?: Ref<HTMLButtonElement>
}

const classOf = ({ look = 'plain', small, isIconOnly }: { look?: string; small?: boolean; isIconOnly: boolean }) =>
  ['btn', look === 'danger' ? 'quiet danger' : look !== 'plain' && look, small && 'sm', isIconOnly && 'icon']
    .filter(Boolean)
    .join(' ')

export function Button({
  look,
  small,
  icon,
  label,
  busyText,
  whyNot,
  onClick,
  onKeyDown,
  children,
  className,
  ...rest
}: ButtonProps) {
  const reasonId = useId()
  const isIconOnly = children === undefined
  const button = (
    <button
      type="button"
      {...rest}
      className={`${classOf({ ...(look ? { look } : {}), ...(small ? { small } : {}), isIconOnly })} ${className ?? ''}`}
      onClick={busyText ? passOver : whyNot ? undefined : onClick}
      onKeyDown={(event) => {
        pressOnce(event)
        onKeyDown?.(event)
      }}
      {...(label ? { 'aria-label': label } : {})}
      {...(busyText ? { 'aria-busy': true } : {})}
      {...(whyNot ? { 'aria-disabled': true, 'aria-describedby': reasonId } : {})}
    >
      {icon}
      {busyText ? (
        <span className="swap">
          <span>{busyText}</span>
          <span aria-hidden="true">{children}</span>
        </span>
      ) : (
        children
      )}
      {whyNot && (
        <span id={reasonId} className="vh">
          {whyNot}
        </span>
      )}
    </button>
  )
  return <Hint text={whyNot || (isIconOnly && label)}>{button}</Hint>
}

/**
 * Ignores a second press, or Enter in a field of the form, while the action runs: this also prevents submitting a form
 * twice.
 */
function passOver(event: MouseEvent): void {
  event.preventDefault()
}

/** A held Enter counts as one press: the button may have been replaced by another by then. */
function pressOnce(event: KeyboardEvent): void {
  if (event.key === 'Enter' && event.repeat) event.preventDefault()
}

/**
 * A focus returned after a pointer press, from a menu or a dialog, shows no tooltip: it would stay over the content
 * below.
 */
function keepHidden(event: FocusEvent): void {
  if (isByPointer()) event.preventDefault()
}

/**
 * A tooltip for the focusable element inside, which keeps its identity and focus with or without a text. It only
 * repeats the element's name or description.
 */
export function Hint({
  text,
  side = 'top',
  children,
}: {
  text: string | false | undefined
  side?: 'top' | 'left'
  children: ReactNode
}) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Tooltip.Root open={isOpen && Boolean(text)} onOpenChange={setOpen}>
      <Tooltip.Trigger asChild onFocus={keepHidden}>
        {children}
      </Tooltip.Trigger>
      <Tooltip.Portal container={document.getElementById('content')}>
        <Tooltip.Content className="hint" side={side} sideOffset={side === 'left' ? 18 : 6} collisionPadding={8}>
          {text}
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip.Root>
  )
}
