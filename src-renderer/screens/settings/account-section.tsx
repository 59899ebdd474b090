/** Plan, credits and their use. */
import { useCallback, useEffect, useState } from 'react'
import { PLAN_LIMITS, PLANS } from '../../../src-contract/plans.ts'
import { saveAnswer } from '../../api/save.ts'
import { Button } from '../../components/button.tsx'
import { useApp, useSelect } from '../../state/app-state.ts'
import { createLedger } from '../../state/ledger.ts'
import { useWords } from '../../text/context.tsx'
import { ActionDialog, Reading, SectionHead, type SectionProps } from './section.tsx'
import { Table } from './table.tsx'

const LEDGER_FORMATS = ['csv', 'json'] as const
const AMOUNTS = [10, 50, 100, 500] as const

export function AccountSection({ titleId }: SectionProps) {
  const { service } = useApp()
  const { t, format } = useWords()
  const account = useSelect(service.store, (state) => state.account)
  const [open, setOpen] = useState<'plan' | 'credits' | null>(null)
  const close = useCallback(() => setOpen(null), [])
  const text = t.prefs.account
  return (
    <>
      <SectionHead titleId={titleId} title={t.prefs.sections.account} sub={text.sub}>
        <Button small onClick={() => setOpen('credits')}>
          {text.addCredits}
        </Button>
        <Button small onClick={() => setOpen('plan')}>
          {text.changePlan}
        </Button>
      </SectionHead>
      {!account ? (
        <Reading />
      ) : (
        <>
          <dl className="facts">
            <div>
              <dt>{text.plan}</dt>
              <dd>{text.plans[account.plan]}</dd>
            </div>
            <div>
              <dt>{text.left}</dt>
              <dd>
                {format.count(account.credits)}{' '}
                <span className="unit">{text.ofMonthly(format.count(account.monthly_credits))}</span>
              </dd>
            </div>
            <div>
              <dt>{text.renews}</dt>
              <dd>{format.shortDate(account.renews_at)}</dd>
            </div>
            <div>
              <dt>{text.atOnce}</dt>
              <dd>
                {account.limits.concurrent_jobs}{' '}
                <span className="unit">{text.songsUnit(account.limits.concurrent_jobs)}</span>
              </dd>
            </div>
          </dl>
          <Ledger credits={account.credits} />
        </>
      )}
      {open === 'plan' && <PlanDialog onClose={close} />}
      {open === 'credits' && <CreditsDialog onClose={close} />}
    </>
  )
}

function Ledger({ credits }: { credits: number }) {
  const { client, jobs } = useApp()
  const { t, format } = useWords()
  const byId = useSelect(jobs.store, (state) => state.byId)
  const [ledger] = useState(() => createLedger(client))
  const { entries, hasEarlier } = useSelect(ledger.store, (state) => state)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new balance means new entries
  useEffect(() => void ledger.read(), [ledger, credits])
  useEffect(() => void jobs.readMissing((entries ?? []).flatMap((entry) => entry.job_id ?? [])), [jobs, entries])
  const save = (format: (typeof LEDGER_FORMATS)[number]) =>
    void saveAnswer(() => client.open('exportLedger', { query: { format } }), `loudsmith-ledger.${format}`)
  if (!entries) return <Reading />
  const text = t.prefs.account
  const now = new Date()
  if (entries.length === 0) return <p className="note">{text.noEntries}</p>
  return (
    <>
      <Table
        className="ledger"
        aria-label={text.ledger}
        rows={entries}
        idOf={(entry) => entry.entry_id}
        columns={[
          { name: text.when, cellClass: 'dim', cell: (entry) => format.moment(entry.created_at, now) },
          { name: text.entry, cell: (entry) => text.kinds[entry.kind] },
          {
            name: text.for,
            cellClass: 'dim',
            cell: (entry) => (
              <div className="clip for">
                <bdi>{(entry.job_id && byId[entry.job_id]?.title) || entry.note || '–'}</bdi>
              </div>
            ),
          },
          { name: text.credits, headClass: 'r', cellClass: 'r', cell: (entry) => <b>{format.signed(entry.amount)}</b> },
          { name: text.balance, headClass: 'r', cellClass: 'r dim', cell: (entry) => format.count(entry.balance) },
        ]}
      />
      <p className="note row">
        <span className="grow" />
        {hasEarlier && (
          <Button look="quiet" small onClick={() => void ledger.readEarlier().catch(() => undefined)}>
            {text.showEarlier}
          </Button>
        )}
        {LEDGER_FORMATS.map((format) => (
          <Button key={format} look="quiet" small onClick={() => save(format)}>
            {text.saveLedger(format.toUpperCase())}
          </Button>
        ))}
      </p>
    </>
  )
}

function PlanDialog({ onClose }: { onClose: () => void }) {
  const { service } = useApp()
  const { t } = useWords()
  const current = useSelect(service.store, (state) => state.account?.plan)
  const [plan, setPlan] = useState(current ?? 'studio')
  const text = t.prefs.account
  return (
    <ActionDialog
      title={text.changePlan}
      description={text.planText}
      verb={text.use(text.plans[plan])}
      doing={t.prefs.applying}
      act={() => service.setPlan(plan)}
      onClose={onClose}
    >
      <fieldset className="options">
        <legend className="vh">{text.plan}</legend>
        {PLANS.map((one) => (
          <label key={one} className="row option">
            <input type="radio" name="plan" checked={plan === one} onChange={() => setPlan(one)} />
            <b>{text.plans[one]}</b>
            <span className="dim grow">
              {text.planLine(PLAN_LIMITS[one].keys, PLAN_LIMITS[one].concurrentJobs, PLAN_LIMITS[one].monthlyCredits)}
            </span>
          </label>
        ))}
      </fieldset>
    </ActionDialog>
  )
}

function CreditsDialog({ onClose }: { onClose: () => void }) {
  const { service } = useApp()
  const { t } = useWords()
  const [amount, setAmount] = useState<number>(50)
  const text = t.prefs.account
  return (
    <ActionDialog
      title={text.addCredits}
      description={text.sub}
      verb={text.add(amount)}
      doing={t.prefs.applying}
      act={() => service.grantCredits(amount)}
      onClose={onClose}
    >
      <fieldset className="options">
        <legend className="vh">{text.amount}</legend>
        {AMOUNTS.map((one) => (
          <label key={one} className="row option">
            <input type="radio" name="amount" checked={amount === one} onChange={() => setAmount(one)} />
            <b>{one}</b>
          </label>
        ))}
      </fieldset>
    </ActionDialog>
  )
}
