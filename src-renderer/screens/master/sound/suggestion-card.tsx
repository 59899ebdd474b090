/** Suggestion for the song on the stage: settings, the figures behind them, and the price of loudness. */
import { Gauge } from 'lucide-react'
import type { MasterSettings } from '../../../../src-contract/settings.ts'
import type { Suggestion } from '../../../../src-contract/suggestion.ts'
import { suggestionLine, suggestionText } from '../../../../src-contract/text/suggestion.ts'
import { Button } from '../../../components/button.tsx'
import { useApp, useSelect } from '../../../state/app-state.ts'
import { openSettings, type PricedSuggestion, suggestionOf } from '../../../state/proposals.ts'
import type { SongRow } from '../../../state/song-rows.ts'
import { useWords } from '../../../text/context.tsx'
import { SUGGESTION_KEY } from '../use-workspace-keys.ts'
import { ProposalActions } from './proposal-actions.tsx'
import './suggestion-card.css'

interface SuggestionCardProps {
  /** The song on the stage. */
  readonly row: SongRow
  /** Its settings. */
  readonly own: MasterSettings
}

export function SuggestionCard({ row, own }: SuggestionCardProps) {
  const { proposals } = useApp()
  const { t, say } = useWords()
  const suggestion = useSelect(proposals.store, (state) => suggestionOf(row.song, state))
  const priced = useSelect(proposals.store, (state) => state.priced[row.rowId])
  // Its room stays, so that the faders below keep their place.
  if (!suggestion) return <div className="suggestion" />
  const open = openSettings(suggestion.settings, own)
  const isOpen = Object.keys(open).length > 0
  const price = <PriceButton row={row} own={own} state={priced?.state} />
  const { proposal } = t.sound
  return (
    <section className={`suggestion ${isOpen ? 'is-open' : ''}`} aria-label={proposal.suggested}>
      {isOpen && <h3 className="label">{proposal.suggested}</h3>}
      <Reasons suggestion={suggestion} open={open} />
      {isOpen ? (
        <ProposalActions
          settings={open}
          row={row}
          rowIds={[row.rowId]}
          label={proposal.suggested}
          hotkey={SUGGESTION_KEY.toUpperCase()}
        >
          {price}
        </ProposalActions>
      ) : (
        price
      )}
      {priced?.state === 'failed' && (
        <p className="problem" role="alert">
          {say(priced.refusal)}
        </p>
      )}
    </section>
  )
}

/** The reasons, one line each; a single line where nothing is open. */
function Reasons({ suggestion, open }: { suggestion: Suggestion; open: Partial<MasterSettings> }) {
  const { t, language } = useWords()
  const isOpen = Object.keys(open).length > 0
  const told = suggestion.reasons.filter(({ code, values }) => {
    const { what } = suggestionLine({ code, values })
    return isOpen
      ? code !== 'WITHIN_RANGE'
      : what === null && (code !== 'WITHIN_RANGE' || suggestion.reasons.length === 1)
  })
  if (told.length === 0) return <p className="grow">{t.sound.proposal.inUse}</p>
  return (
    <ul className="grow">
      {told.map(({ code, values }, index) => {
        const { what, why } = suggestionLine({ code, values })
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: reasons of one kind differ in nothing but their place
          <li key={index} title={suggestionText({ code, values })[language]}>
            {what && <b>{what[language]}</b>} {why[language]}
          </li>
        )
      })}
    </ul>
  )
}

interface PriceButtonProps extends SuggestionCardProps {
  readonly state: PricedSuggestion['state'] | undefined
}

function PriceButton({ row, own, state }: PriceButtonProps) {
  const { proposals } = useApp()
  const { t } = useWords()
  const isAsking = state === 'asking'
  return (
    <Button
      look="quiet"
      small
      className="price"
      label={isAsking ? t.sound.proposal.pricing : t.sound.proposal.price}
      aria-busy={isAsking || undefined}
      whyNot={state === 'found' && t.sound.proposal.priced}
      icon={<Gauge className="i s" aria-hidden="true" />}
      onClick={() => row.song && !isAsking && void proposals.price(row.song, own)}
    />
  )
}
