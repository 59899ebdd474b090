/** Advice on listening to the sample song, shown wherever it can be played. */
import { Ear } from 'lucide-react'
import { useWords } from '../text/context.tsx'
import './sample-note.css'

export function SampleNote() {
  const { t } = useWords()
  return (
    <p className="sample-note">
      <Ear className="i s" aria-hidden="true" />
      <span>{t.first.sampleNote}</span>
    </p>
  )
}
