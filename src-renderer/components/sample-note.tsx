/** Advice on what to listen for in the sample song, wherever it can be heard. */
import { Ear } from 'lucide-react'
import { useWords } from '../text/context.tsx'

export function SampleNote() {
  const { t } = useWords()
  return (
    <p className="sample-note">
      <Ear className="i s" aria-hidden="true" />
      <span>{t.first.sampleNote}</span>
    </p>
  )
}
