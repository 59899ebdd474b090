/** Copying: a button that reports its result and keeps the focus, a value in one line, a block of code. */
import { Check, Copy, X } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useWords } from '../text/context.tsx'
import { Button, type ButtonProps } from './button.tsx'
import './copy.css'

const SHOWN_MS = 2000

/** Copies `value` when pressed. Without children it is an icon with `label` as its name. */
export function CopyButton({ value, children, ...look }: ButtonProps & { value: string }) {
  const { t } = useWords()
  const [outcome, setOutcome] = useState<'copied' | 'notCopied' | null>(null)
  useEffect(() => {
    if (!outcome) return
    const timer = setTimeout(() => setOutcome(null), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [outcome])
  const said = outcome && t[outcome]
  const Icon = outcome === null ? Copy : outcome === 'copied' ? Check : X
  const copy = () =>
    navigator.clipboard.writeText(value).then(
      () => setOutcome('copied'),
      () => setOutcome('notCopied'),
    )
  return (
    <Button
      {...look}
      {...(look.label ? { label: said ?? look.label } : {})}
      icon={<Icon className="i s" aria-hidden="true" />}
      onClick={() => void copy()}
    >
      {children === undefined ? undefined : (
        <span className="swap">
          <span>{said ?? children}</span>
          <span aria-hidden="true">{children}</span>
        </span>
      )}
    </Button>
  )
}

/** Lines of code that scroll and never wrap; reachable by keyboard. Quoted parts and comments are highlighted. */
export function CodeBlock({ code, label }: { code: string; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls has to be reachable by keyboard
    <section className="code" tabIndex={0} aria-label={label}>
      <pre>{code.split(/(^\s*(?:#|\/\/).*$|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')/m).map(colour)}</pre>
    </section>
  )
}

function colour(part: string, index: number): ReactNode {
  const kind = /^\s*(#|\/\/)/.test(part) ? 'c' : /^["']/.test(part) ? 's' : null
  return kind ? (
    <span key={index} className={kind}>
      {part}
    </span>
  ) : (
    part
  )
}
