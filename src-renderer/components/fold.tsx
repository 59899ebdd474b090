/** A part of a column, collapsed to one line until it is opened. */
import { ChevronDown } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import './fold.css'

interface FoldProps {
  title: string
  /** Settings inside, in one line. */
  summary: string
  children: ReactNode
}

/** A section collapsed to one line until it is opened. */
export function Fold({ title, summary, children }: FoldProps) {
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  return (
    <section className="fold">
      <button type="button" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
        <b>{title}</b>
        <span className="grow clip" title={summary}>
          {isOpen ? '' : summary}
        </span>
        <ChevronDown className="i s" aria-hidden="true" />
      </button>
      <div id={id} hidden={!isOpen}>
        {isOpen && children}
      </div>
    </section>
  )
}
