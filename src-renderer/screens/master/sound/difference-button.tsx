/** Lets only what the sound takes away or adds be heard, for as long as it is held. */
import { Button } from '../../../components/button.tsx'
import { useApp } from '../../../state/app-state.ts'
import { useWords } from '../../../text/context.tsx'
import { useHearing } from '../use-heard.ts'

export function DifferenceButton() {
  const { hearing } = useApp()
  const { t } = useWords()
  const isHeld = useHearing((state) => state.isDifference)
  const canHear = useHearing((state) => state.sound !== null && state.isPlaying)
  const hold = (isOn: boolean) => () => hearing.holdDifference(isOn)
  return (
    <Button
      small
      className="difference"
      aria-pressed={isHeld}
      title={t.sound.help.difference}
      whyNot={!canHear && t.sound.differenceWhyNot}
      onPointerDown={canHear ? hold(true) : undefined}
      onPointerUp={hold(false)}
      onPointerLeave={hold(false)}
      onKeyDown={(event) => {
        if (canHear && (event.key === ' ' || event.key === 'Enter') && !event.repeat) hearing.holdDifference(true)
      }}
      onKeyUp={hold(false)}
      onBlur={hold(false)}
    >
      {t.sound.difference} <kbd>{'\\'}</kbd>
    </Button>
  )
}
