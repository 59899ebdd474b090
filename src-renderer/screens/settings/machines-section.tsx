/** Further machines that master songs: their presence and current work. */
import { useEffect, useState } from 'react'
import type { Machine, Machines } from '../../../src-contract/machines.ts'
import { farmTroubleText } from '../../../src-contract/text/farm-troubles.ts'
import { Button } from '../../components/button.tsx'
import { useApp } from '../../state/app-state.ts'
import { useWords } from '../../text/context.tsx'
import { Problem, Reading, SectionHead, type SectionProps, useAction } from './section.tsx'
import { Table } from './table.tsx'

/** Polling interval, ms: machines have no live event. */
const READ_EVERY_MS = 3000

export function MachinesSection({ titleId }: SectionProps) {
  const { client } = useApp()
  const { t } = useWords()
  const text = t.prefs.machines
  const [answer, setAnswer] = useState<Machines | null>(null)
  const { problem, run } = useAction()
  useEffect(() => {
    const read = () => client.call('listMachines', {}).then(setAnswer, () => undefined)
    void read()
    const timer = setInterval(() => void read(), READ_EVERY_MS)
    return () => clearInterval(timer)
  }, [client])
  const tell = ({ name }: Machine, wish: 'work' | 'drain' | 'remove') =>
    void run(() => client.call('changeMachine', { params: { name }, body: { wish } }))
  return (
    <>
      <SectionHead titleId={titleId} title={t.prefs.sections.machines} sub={text.sub} />
      {!answer && <Reading />}
      {answer && <Troubles troubles={answer.troubles} />}
      {answer?.queue === null && <p className="note">{text.alone}</p>}
      {answer?.queue && <p className="note">{text.depth(answer.queue.active, answer.queue.waiting)}</p>}
      {answer && answer.audits.compared > 0 && (
        <p className="note">{text.audits(answer.audits.compared, answer.audits.different)}</p>
      )}
      {answer?.queue && answer.machines.length === 0 && <p className="note">{text.none}</p>}
      {answer && answer.machines.length > 0 && (
        <MachineTable machines={answer.machines} titleId={titleId} onTell={tell} />
      )}
      <Problem problem={problem} />
    </>
  )
}

function Troubles({ troubles }: { troubles: Machine['troubles'] }) {
  const { language } = useWords()
  return troubles.map(({ code }) => (
    <p key={code} className="note warn" role="status">
      {farmTroubleText(code, language)}
    </p>
  ))
}

interface MachineTableProps extends SectionProps {
  machines: readonly Machine[]
  onTell: (machine: Machine, wish: 'work' | 'drain' | 'remove') => void
}

function MachineTable({ machines, titleId, onTell }: MachineTableProps) {
  const { t, format } = useWords()
  const text = t.prefs.machines
  const now = new Date()
  return (
    <Table
      aria-labelledby={titleId}
      rows={machines}
      idOf={({ name }) => name}
      columns={[
        { name: text.columns.name, cell: (machine) => <MachineName machine={machine} /> },
        {
          name: text.columns.size,
          cellClass: 'dim',
          cell: ({ cores, memory_bytes }) => text.size(cores, format.bytes(memory_bytes)),
          hint: ({ engine_version, ffmpeg, simd }) => `${engine_version} · ffmpeg ${ffmpeg} · ${simd}`,
        },
        { name: text.columns.jobs, cellClass: 'dim', cell: ({ job_ids, slots }) => text.jobs(job_ids.length, slots) },
        { name: text.columns.speed, cellClass: 'dim', cell: ({ songs_per_hour }) => songs_per_hour },
        { name: text.columns.errors, cellClass: 'dim', cell: ({ errors }) => errors },
        { name: text.columns.seen, cellClass: 'dim', cell: ({ seen_at }) => format.ago(seen_at, now) },
        {
          name: text.columns.actions,
          isNameHidden: true,
          cellClass: 'r',
          cell: (machine) => <MachineActions machine={machine} onTell={onTell} />,
        },
      ]}
    />
  )
}

function MachineName({ machine: { name, state, differs, engine_version, troubles } }: { machine: Machine }) {
  const { t } = useWords()
  const text = t.prefs.machines
  const isTrouble = state === 'refused' || state === 'gone'
  return (
    <>
      <b>
        <bdi>{name}</bdi>
      </b>{' '}
      <span className={isTrouble ? 'tag warn' : 'tag'}>{text.states[state]}</span>
      <div className="me">
        {state === 'refused'
          ? text.differs(differs.map((fact) => text.facts[fact]).join(', '))
          : text.engine(engine_version)}
      </div>
      <Troubles troubles={troubles} />
    </>
  )
}

function MachineActions({ machine, onTell }: { machine: Machine } & Pick<MachineTableProps, 'onTell'>) {
  const { t } = useWords()
  const text = t.prefs.machines
  if (machine.state === 'gone') return null
  const isDraining = machine.state === 'draining'
  const pauseText = isDraining ? text.goOn : text.drain
  return (
    <span className="row end">
      <Button
        small
        aria-label={text.of(pauseText, machine.name)}
        onClick={() => onTell(machine, isDraining ? 'work' : 'drain')}
      >
        {pauseText}
      </Button>
      <Button
        small
        look="danger"
        aria-label={text.of(text.remove, machine.name)}
        onClick={() => onTell(machine, 'remove')}
      >
        {text.remove}
      </Button>
    </span>
  )
}
