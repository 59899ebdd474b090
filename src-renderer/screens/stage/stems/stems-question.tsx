/** Asks in place whether dropped files are stems, before any is sent. */
import { Layers } from 'lucide-react'
import { useEffect, useId, useRef } from 'react'
import { stemCountOf } from '../../../api/stem-files.ts'
import { Button } from '../../../components/button.tsx'
import { useApp, useSelect } from '../../../state/app-state.ts'
import { useWords } from '../../../text/context.tsx'
import './stems-question.css'

export function StemsQuestion() {
  const { stems } = useApp()
  const { t } = useWords()
  const id = useId()
  const first = useRef<HTMLButtonElement>(null)
  const question = useSelect(stems.store, (state) => state.questions[0])
  useEffect(() => {
    if (question) first.current?.focus()
  }, [question])
  if (!question) return null
  const { files, of } = question
  const count = files.length
  return (
    <section className="stems-question" role="alertdialog" aria-label={t.stems.question} aria-describedby={id}>
      <p id={id}>
        <Layers className="i s" aria-hidden="true" /> {of ? t.stems.askOf(count, of.title) : t.stems.ask(count)}
        {of && <span className="dim"> {t.stems.replaces}</span>}
      </p>
      <div className="answers">
        <Button ref={first} small onClick={() => stems.answer('stems')}>
          {t.stems.one(stemCountOf(files))}
        </Button>
        {!of && (
          <Button small onClick={() => stems.answer('songs')}>
            {t.stems.many(count)}
          </Button>
        )}
        <Button look="quiet" small onClick={() => stems.answer('none')}>
          {t.cancel}
        </Button>
      </div>
    </section>
  )
}
