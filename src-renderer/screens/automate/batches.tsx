/** Batches of scripts: progress, reason for waiting, and actions. */
import { useCallback, useEffect, useState } from 'react'
import type { Manifest } from '../../../src-contract/batches.ts'
import { saveAnswer } from '../../api/save.ts'
import { Button } from '../../components/button.tsx'
import { useApp } from '../../state/app-state.ts'
import { useWords } from '../../text/context.tsx'
import { ActionDialog, Problem, useAction } from '../settings/section.tsx'
import { Table } from '../settings/table.tsx'

/** Polling interval, ms: batches have no live event. */
const READ_EVERY_MS = 3000
const MOST_SHOWN = 10

/** The newest batches; renders nothing without any. */
export function Batches() {
  const { client } = useApp()
  const { t, format } = useWords()
  const text = t.automate.batches
  const [batches, setBatches] = useState<readonly Manifest[]>([])
  const [cancelled, setCancelled] = useState<Manifest | null>(null)
  const { problem, run } = useAction()
  const read = useCallback(
    () =>
      client.call('listBatches', {}).then(
        (answer) => setBatches(answer.batches),
        () => undefined,
      ),
    [client],
  )
  useEffect(() => {
    void read()
    const timer = setInterval(() => void read(), READ_EVERY_MS)
    return () => clearInterval(timer)
  }, [read])
  if (batches.length === 0) return null
  const now = new Date()
  const act = (action: () => Promise<unknown>) => void run(() => action().then(read))
  return (
    <section className="prefs batches" aria-labelledby="batches">
      <h2 id="batches" className="label">
        {text.title}
      </h2>
      <Table
        aria-labelledby="batches"
        rows={batches.slice(0, MOST_SHOWN)}
        idOf={({ batch_id }) => batch_id}
        columns={[
          { name: text.columns.begun, cellClass: 'dim', cell: ({ created_at }) => format.ago(created_at, now) },
          { name: text.columns.state, cell: (batch) => <State batch={batch} /> },
          { name: text.columns.songs, cell: (batch) => <Songs batch={batch} /> },
          {
            name: text.columns.actions,
            isNameHidden: true,
            cellClass: 'r',
            cell: (batch) => (
              <Actions batch={batch} begun={format.ago(batch.created_at, now)} onAct={act} onCancel={setCancelled} />
            ),
          },
        ]}
      />
      {batches.length > MOST_SHOWN && <p className="note">{text.more(batches.length - MOST_SHOWN)}</p>}
      <Problem problem={problem} />
      {cancelled && (
        <ActionDialog
          title={text.cancelTitle}
          description={text.cancelText(cancelled.songs.waiting + cancelled.songs.queued)}
          verb={text.cancelVerb}
          doing={text.cancelling}
          look="danger"
          act={() => client.call('cancelBatch', { params: { batch_id: cancelled.batch_id } }).then(read)}
          onClose={() => setCancelled(null)}
        />
      )}
    </section>
  )
}

function State({ batch }: { batch: Manifest }) {
  const { status, paused_because, credits_needed, credits_remaining } = batch
  const { t } = useWords()
  const text = t.automate.batches
  const isInNeed = paused_because !== undefined && paused_because !== 'caller'
  return (
    <>
      <span className={isInNeed ? 'tag warn' : 'tag'}>{text.states[status]}</span>
      {paused_because && <div className="me">{text.paused[paused_because](credits_needed, credits_remaining)}</div>}
    </>
  )
}

function Songs({ batch: { songs, progress } }: { batch: Manifest }) {
  const { t } = useWords()
  const text = t.automate.batches
  const done = text.done(songs.done, songs.total)
  return (
    <>
      {done}
      <progress max={100} value={progress} aria-label={done} />
      {songs.failed > 0 && <div className="me c-bad">{text.failed(songs.failed)}</div>}
    </>
  )
}

interface ActionsProps {
  batch: Manifest
  begun: string
  onAct: (action: () => Promise<unknown>) => void
  onCancel: (batch: Manifest) => void
}

function Actions({ batch, begun, onAct, onCancel }: ActionsProps) {
  const { client } = useApp()
  const { t } = useWords()
  const text = t.automate.batches
  const { batch_id, status, songs } = batch
  const params = { batch_id }
  const button = (verb: string, onClick: () => void, look?: 'danger') => (
    <Button small {...(look ? { look } : {})} aria-label={text.of(verb, begun)} onClick={onClick}>
      {verb}
    </Button>
  )
  const table = () =>
    saveAnswer(
      () => client.open('readBatchSongs', { params, query: { format: 'csv' } }),
      `batch_${batch_id.slice(0, 8)}.csv`,
    )
  return (
    <span className="row end">
      {button(text.table, () => onAct(table))}
      {status === 'running' && button(text.pause, () => onAct(() => client.call('pauseBatch', { params })))}
      {status === 'paused' && button(text.resume, () => onAct(() => client.call('resumeBatch', { params })))}
      {status === 'ended' &&
        songs.failed > 0 &&
        button(text.retry, () => onAct(() => client.call('retryBatch', { params })))}
      {status === 'ended'
        ? button(text.remove, () => onAct(() => client.open('deleteBatch', { params })), 'danger')
        : button(text.cancel, () => onCancel(batch), 'danger')}
    </span>
  )
}
