/** Words about the sound: the settings understood from them can be heard and used like a suggestion. */
import { CornerDownLeft } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { MAX_WORDS_LENGTH } from '../../../../src-contract/limits.ts'
import type { MasterSettings } from '../../../../src-contract/settings.ts'
import { unbroken } from '../../../../src-contract/text/numbers.ts'
import type { WordsAnswer } from '../../../../src-contract/words.ts'
import { useApp } from '../../../state/app-state.ts'
import { openSettings } from '../../../state/proposals.ts'
import { type Refusal, refusalOf } from '../../../state/refusal.ts'
import type { SongRow } from '../../../state/song-rows.ts'
import { useWords } from '../../../text/context.tsx'
import { ProposalActions } from './proposal-actions.tsx'
import './words-box.css'

interface WordsBoxProps {
  /** The song on the stage. */
  readonly row: SongRow | undefined
  /** Settings of the songs in scope, from which comparatives start. */
  readonly settings: MasterSettings
  /** Songs in scope; empty for all. */
  readonly rowIds: readonly string[]
}

export function WordsBox({ row, settings, rowIds }: WordsBoxProps) {
  const { client } = useApp()
  const { t, say, language } = useWords()
  const [words, setWords] = useState('')
  const [answer, setAnswer] = useState<WordsAnswer | null>(null)
  const [failure, setFailure] = useState<Refusal | null>(null)
  const type = (next: string) => {
    setWords(next)
    setAnswer(null)
    setFailure(null)
  }
  const ask = async (event: FormEvent) => {
    event.preventDefault()
    if (!words.trim()) return
    const { recipe: _recipe, reference_source_id: _reference, stem_mix: _mix, ...said } = settings
    try {
      setAnswer(await client.call('readWords', { body: { words, language, settings: said } }))
    } catch (error) {
      setFailure(refusalOf(error))
    }
  }
  const open = answer && openSettings(answer.settings, settings)
  return (
    <form className="words-box" onSubmit={ask}>
      <span className="input">
        <input
          value={words}
          maxLength={MAX_WORDS_LENGTH}
          aria-label={t.sound.proposal.words}
          placeholder={t.sound.proposal.wordsExample}
          onChange={(event) => type(event.target.value)}
        />
        <button type="submit" tabIndex={-1} aria-label={t.sound.proposal.understand}>
          <CornerDownLeft className="i s" aria-hidden="true" />
        </button>
      </span>
      <p className="said" role="status">
        {answer && unbroken(answer.summary)}
      </p>
      {open && Object.keys(open).length > 0 && (
        <ProposalActions
          settings={open}
          row={row}
          rowIds={rowIds}
          label={t.sound.proposal.words}
          onUsed={() => type('')}
        />
      )}
      {failure && (
        <p className="problem" role="alert">
          {say(failure)}
        </p>
      )}
    </form>
  )
}
