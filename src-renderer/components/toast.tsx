/** Message about an action that can still be undone. Its timer runs ten seconds and pauses on hover and focus. */
import { Undo2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useWords } from '../text/context.tsx'
import { Button } from './button.tsx'
import './toast.css'

export interface ToastProps {
  text: string
  seconds: number
  onUndo?: (() => void) | undefined
  onOver: () => void
}

const TICK_MS = 250

/** Rendered with the toast's id as key, which gives each its full time. */
export function ToastView({ text, seconds, onUndo, onOver }: ToastProps) {
  const { t } = useWords()
  const [left, setLeft] = useState(seconds)
  const [isUnderPointer, setUnderPointer] = useState(false)
  const [hasFocus, setFocus] = useState(false)
  const isResting = isUnderPointer || hasFocus
  useEffect(() => {
    if (isResting) return
    const timer = setInterval(() => setLeft((value) => Math.max(0, value - TICK_MS / 1000)), TICK_MS)
    return () => clearInterval(timer)
  }, [isResting])
  useEffect(() => {
    if (left <= 0) onOver()
  }, [left, onOver])
  const pointer = { onMouseEnter: () => setUnderPointer(true), onMouseLeave: () => setUnderPointer(false) }
  const focus = { onFocus: () => setFocus(true), onBlur: () => setFocus(false) }
  return (
    <div className="toast" role="status" {...pointer} {...focus}>
      <span className="toast-line" style={{ transform: `scaleX(${left / seconds})` }} />
      <span className="two-lines">{text}</span>
      {onUndo && (
        <Button small icon={<Undo2 className="i s" aria-hidden="true" />} onClick={onUndo}>
          {t.undo}{' '}
          <span className="faint num" aria-hidden="true">
            {t.seconds(Math.ceil(left))}
          </span>
        </Button>
      )}
    </div>
  )
}
