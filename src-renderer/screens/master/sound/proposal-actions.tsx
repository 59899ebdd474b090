/** The two ways to act on proposed settings: to hear them, and to use them. */
import type { ReactNode } from 'react'
import { Button } from '../../../components/button.tsx'
import { useOneTabStop } from '../../../components/use-one-tab-stop.ts'
import { useApp, useSelect } from '../../../state/app-state.ts'
import type { ProposedSettings } from '../../../state/proposals.ts'
import type { SongRow } from '../../../state/song-rows.ts'
import { useWords } from '../../../text/context.tsx'
import { itemOf } from '../song-item.ts'

interface ProposalActionsProps {
  /** Settings that the songs do not have yet. */
  readonly settings: ProposedSettings
  /** The song that plays with them; undefined without one on the stage. */
  readonly row: SongRow | undefined
  /** The songs that get them; empty for all. */
  readonly rowIds: readonly string[]
  readonly label: string
  readonly hotkey?: string
  readonly onUsed?: () => void
  readonly children?: ReactNode
}

export function ProposalActions({ settings, row, rowIds, label, hotkey, onUsed, children }: ProposalActionsProps) {
  const { batch, proposals, notices } = useApp()
  const { t } = useWords()
  const tools = useOneTabStop('button', 'row')
  const item = row ? itemOf(row) : null
  const own = useSelect(batch.store, (state) => row?.song?.settings ?? state.batch?.settings)
  useSelect(proposals.store, (state) => state.heard)
  const isHeard = item !== null && proposals.isHeard(item.id, settings)
  const use = () => {
    batch.changeSettings(settings, rowIds)
    notices.announce(t.sound.proposal.used)
    onUsed?.()
  }
  return (
    <div className="row tight proposal-actions" role="toolbar" aria-label={label} {...tools}>
      <Button
        small
        className="hear"
        aria-pressed={isHeard}
        whyNot={(!item || !row?.song?.analysis) && t.sound.proposal.onlyShown}
        onClick={() => item && own && proposals.toggle(item, own, settings)}
      >
        {t.sound.proposal.hear} {hotkey && <kbd>{hotkey}</kbd>}
      </Button>
      <Button small onClick={use}>
        {t.sound.proposal.use}
      </Button>
      {children}
    </div>
  )
}
