/** The difference alone, while its button or its key is held. */
import { useCallback, useEffect, useRef } from 'react'
import { useWords } from '../text/context.tsx'
import { Button } from './button.tsx'
import { keyOf } from './is-typing.ts'

export const DIFFERENCE_KEY = '\\'

/** Returns the key's handler: it turns the difference on until the key is released or the window loses the keyboard. */
export function useDifferenceKey(hold: (isOn: boolean) => void): () => void {
  const isDown = useRef(false)
  useEffect(() => {
    const letGo = () => {
      if (isDown.current) hold(false)
      isDown.current = false
    }
    const onKeyUp = (event: KeyboardEvent) => keyOf(event) === DIFFERENCE_KEY && letGo()
    addEventListener('keyup', onKeyUp)
    addEventListener('blur', letGo)
    return () => {
      removeEventListener('keyup', onKeyUp)
      removeEventListener('blur', letGo)
    }
  }, [hold])
  return useCallback(() => {
    isDown.current = true
    hold(true)
  }, [hold])
}

interface DifferenceButtonProps {
  readonly isOn: boolean
  readonly hold: (isOn: boolean) => void
  /** Reason why there is no difference now. */
  readonly whyNot: string | false
  /** Sentence describing the current sound. */
  readonly help: string
}

export function DifferenceButton({ isOn, hold, whyNot, help }: DifferenceButtonProps) {
  const { t } = useWords()
  const isDown = useRef(false)
  const press = () => {
    if (whyNot) return
    isDown.current = true
    hold(true)
  }
  const letGo = () => {
    if (isDown.current) hold(false)
    isDown.current = false
  }
  return (
    <Button
      small
      className="difference"
      aria-pressed={isOn}
      title={whyNot ? undefined : help}
      whyNot={whyNot}
      onPointerDown={press}
      onPointerUp={letGo}
      onPointerLeave={letGo}
      onKeyDown={(event) => {
        if ((event.key === ' ' || event.key === 'Enter') && !event.repeat) press()
      }}
      onKeyUp={letGo}
      onBlur={letGo}
    >
      <span className="clip">{t.sound.difference}</span> <kbd>{DIFFERENCE_KEY}</kbd>
    </Button>
  )
}
