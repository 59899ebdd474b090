/** Buttons of a song by its state, on the stage and in the table of all songs. */
import { Download, RotateCcw, X } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import type { SongRow } from '../../state/song-rows.ts'
import { useWords } from '../../text/context.tsx'
import type { RowActions } from './use-row-actions.ts'

const glyph = { className: 'i s', 'aria-hidden': true } as const

interface RowButtonsProps {
  readonly row: SongRow
  readonly actions: RowActions
  readonly title: string
}

/**
 * Buttons of a song by its state. Each has a React key: a button that replaces another must not inherit its focus and
 * thus the next press.
 */
export function RowButtons(props: RowButtonsProps) {
  const { row, actions } = props
  switch (row.kind) {
    case 'warning':
      return (
        <>
          <ReplaceButton key="replace" {...props} />
          <UseButton key="use" {...props} />
        </>
      )
    case 'repeated':
      return <UseButton key="use" {...props} />
    case 'interrupted':
      return <ChooseButton key="choose" {...props} />
    case 'waiting':
    case 'queued':
    case 'rendering':
      return <CancelButton key="cancel" {...props} />
    case 'done':
    case 'below':
      return row.job?.expired ? null : <ZipButton key="zip" {...props} />
    case 'failed':
    case 'cancelled':
      return actions.canRetry(row) ? (
        <PaidRetryButton key="retry" {...props} />
      ) : (
        <ReplaceButton key="replace" {...props} />
      )
    case 'refused':
      return (
        <>
          {actions.canRetry(row) && <RetryButton key="retry" {...props} />}
          {row.song && !actions.canRetry(row) && <ReplaceButton key="replace" {...props} />}
        </>
      )
    default:
      return null
  }
}

function CancelButton({ row, actions, title }: RowButtonsProps) {
  const { t } = useWords()
  return (
    <Button
      look="quiet"
      small
      label={`${t.cancel}: ${title}`}
      icon={<X {...glyph} />}
      onClick={() => actions.cancel(row)}
    />
  )
}

function ReplaceButton({ row, actions, title }: RowButtonsProps) {
  const { t } = useWords()
  return (
    <Button small onClick={() => actions.replace(row)} aria-label={`${t.row.replace}: ${title}`}>
      {t.row.replace}
    </Button>
  )
}

function UseButton({ row, actions, title }: RowButtonsProps) {
  const { t } = useWords()
  return (
    <Button small onClick={() => actions.accept(row)} aria-label={`${t.row.useIt}: ${title}`}>
      {t.row.useIt}
    </Button>
  )
}

function ChooseButton({ actions, title }: RowButtonsProps) {
  const { t } = useWords()
  return (
    <Button small onClick={actions.giveAgain} aria-label={`${t.drop.choose}: ${title}`}>
      {t.drop.choose}
    </Button>
  )
}

function RetryButton({ row, actions, title }: RowButtonsProps) {
  const { t } = useWords()
  return (
    <Button small onClick={() => actions.retry([row])} aria-label={`${t.retry}: ${title}`}>
      {t.retry}
    </Button>
  )
}

function PaidRetryButton({ row, actions, title }: RowButtonsProps) {
  const { t } = useWords()
  return (
    <Button
      small
      icon={<RotateCcw {...glyph} />}
      onClick={() => actions.retry([row])}
      aria-label={`${t.retry} ${t.actionBar.credits(1)}: ${title}`}
    >
      {t.retry} <span className="faint">{t.actionBar.credits(1)}</span>
    </Button>
  )
}

function ZipButton({ row, actions, title }: RowButtonsProps) {
  const { t } = useWords()
  return (
    <Button
      look="quiet"
      small
      label={`${t.row.saveZip}: ${title}`}
      icon={<Download {...glyph} />}
      onClick={() => actions.saveZip(row)}
    />
  )
}
