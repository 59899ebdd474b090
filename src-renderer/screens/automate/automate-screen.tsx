/** Automate: the same calls from scripts, ready to be copied. */
import { BookOpen, Check, CircleX, Plus, Send } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { ApiKey, CreatedKey } from '../../../src-contract/account.ts'
import { Button } from '../../components/button.tsx'
import { Segmented } from '../../components/choices.tsx'
import { CodeBlock, CopyButton } from '../../components/copy.tsx'
import { addressOf } from '../../router.ts'
import { useApp, useSelect } from '../../state/app-state.ts'
import { type Refusal, refusalOf } from '../../state/refusal.ts'
import { useWords } from '../../text/context.tsx'
import { Problem, SecretBox } from '../settings/section.tsx'
import { SNIPPETS, type SnippetLanguage } from './snippets.ts'

/** Response to the first call of the samples, from the present batch and account. */
function answerOf(platforms: readonly string[], credits: number): string {
  return `{
  "job_id": "5f0c7d1e-6b1a-4a64-9d0b-2f6f4f1c9a77",
  "status": "queued",
  "platforms": [${platforms.map((one) => `"${one}"`).join(', ')}],
  "credits_used": 1,
  "credits_remaining": ${Math.max(0, credits - 1)}
}`
}

export default function AutomateScreen() {
  const { t } = useWords()
  const { batch, service } = useApp()
  const [language, setLanguage] = useState<SnippetLanguage>('curl')
  const settings = useSelect(batch.store, (state) => state.batch?.settings)
  const credits = useSelect(service.store, (state) => state.account?.credits ?? 0)
  const baseUrl = useSelect(service.store, (state) => state.system?.base_url) ?? location.origin
  const reference = useSelect(batch.references.store, () => batch.references.nameOf(settings?.reference_source_id))
  const { comments } = t.automate
  const code = settings ? SNIPPETS[language]({ baseUrl, filename: 'song.wav', reference, settings, comments }) : ''
  return (
    <main id="content" className="work split automate" tabIndex={-1}>
      <div className="pane stack">
        <div className="head">
          <div className="grow">
            <h1>{t.screens.automate}</h1>
            <p className="dim">{t.automate.intro}</p>
          </div>
          <a className="btn quiet" href="/docs" target="_blank" rel="noreferrer">
            <BookOpen className="i" aria-hidden="true" />
            {t.automate.reference}
          </a>
        </div>
        <div className="row">
          <Segmented
            label={t.automate.snippets}
            className="languages"
            value={language}
            options={(Object.keys(SNIPPETS) as SnippetLanguage[]).map((one) => ({
              value: one,
              text: t.automate.languages[one],
            }))}
            onChoose={setLanguage}
          />
          <span className="grow" />
          <CopyButton small value={code}>
            {t.copy}
          </CopyButton>
        </div>
        <CodeBlock code={code} label={t.automate.languages[language]} />
        <div>
          <h2 className="label">
            {t.automate.answerTitle} <span className="faint">201 Created</span>
          </h2>
          <CodeBlock code={answerOf(settings?.platforms ?? [], credits)} label={t.automate.answerTitle} />
        </div>
      </div>
      <aside className="side wide-gap" aria-label={t.automate.baseUrl}>
        <div className="field">
          <h2>{t.automate.baseUrl}</h2>
          <div className="secret">
            <code className="clip">{baseUrl}</code>
            <CopyButton look="quiet" small value={baseUrl} label={t.automate.copyBaseUrl} />
          </div>
          <p className="row dim">
            <i className="dot" />
            {t.automate.local}
          </p>
        </div>
        <KeyField />
        <TryIt />
        <Limits />
      </aside>
    </main>
  )
}

function KeyField() {
  const { t } = useWords()
  const { client, service } = useApp()
  const account = useSelect(service.store, (state) => state.account)
  const [keys, setKeys] = useState<readonly ApiKey[] | null>(null)
  const [created, setCreated] = useState<CreatedKey | null>(null)
  const [isCreating, setCreating] = useState(false)
  const [problem, setProblem] = useState<Refusal | null>(null)
  const createButton = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    client.call('listKeys', {}).then(
      (answer) => setKeys(answer.keys.filter((key) => key.state === 'active')),
      () => undefined,
    )
  }, [client])
  const create = async () => {
    setCreating(true)
    setProblem(null)
    try {
      const made = await client.call('createKey', { body: { name: t.automate.keyName } })
      setCreated(made)
      setKeys((before) => [made, ...(before ?? [])])
    } catch (error) {
      setProblem(refusalOf(error))
    }
    setCreating(false)
  }
  const key = keys?.[0]
  const hasNone = account?.limits.keys === 0
  return (
    <div className="field">
      <h2>{t.automate.key}</h2>
      <div className="row">
        <span className="grow dim clip">
          {key ? (
            <>
              <bdi>{key.name}</bdi> <code className="faint">…{key.last_four}</code>
            </>
          ) : hasNone ? (
            t.automate.noKeyPlan(t.prefs.account.plans[account.plan])
          ) : (
            keys && t.automate.noKey
          )}
        </span>
        {hasNone ? (
          <a className="btn sm" href={addressOf('settings', 'account')}>
            {t.prefs.account.changePlan}
          </a>
        ) : (
          <Button
            ref={createButton}
            small
            icon={<Plus className="i s" aria-hidden="true" />}
            busyText={isCreating && t.prefs.keys.creating}
            onClick={() => void create()}
          >
            {t.automate.createKey}
          </Button>
        )}
      </div>
      {created && (
        <SecretBox
          title={t.prefs.keys.ready(created.name)}
          value={created.key}
          copyText={t.prefs.keys.copyKey}
          returnTo={createButton}
          onSaved={() => setCreated(null)}
        />
      )}
      <Problem problem={problem} />
    </div>
  )
}

function TryIt() {
  const { t } = useWords()
  const { client } = useApp()
  const [isCalling, setCalling] = useState(false)
  const [answer, setAnswer] = useState<{ status: number; ms: number } | null>(null)
  const call = async () => {
    setCalling(true)
    const start = performance.now()
    const status = await client.open('readAccount', {}).then(
      (response) => response.status,
      (error: { status?: number }) => error.status ?? 0,
    )
    setAnswer({ status, ms: Math.max(1, Math.round(performance.now() - start)) })
    setCalling(false)
  }
  return (
    <div className="field">
      <h2>{t.automate.tryIt}</h2>
      <p className="dim">{t.automate.tryText}</p>
      <div className="row">
        <Button
          icon={<Send className="i" aria-hidden="true" />}
          busyText={isCalling && t.automate.calling}
          onClick={() => void call()}
        >
          {t.automate.call}
        </Button>
        <span className={`row ${answer?.status === 200 ? 'c-ok' : 'c-bad'}`} role="status">
          {answer && (
            <>
              {answer.status === 200 ? (
                <Check className="i s" aria-hidden="true" />
              ) : (
                <CircleX className="i s" aria-hidden="true" />
              )}
              <span className="dim">{t.automate.answered(answer.status, answer.ms)}</span>
            </>
          )}
        </span>
      </div>
    </div>
  )
}

function Limits() {
  const { t, format } = useWords()
  const { service } = useApp()
  const account = useSelect(service.store, (state) => state.account)
  if (!account) return null
  const { limits, usage, plan } = account
  const rows = [
    [t.automate.requests, t.automate.perMinute(limits.requests_per_minute)],
    [t.automate.atOnce, format.count(limits.concurrent_jobs)],
    [t.automate.file, t.automate.fileLimit],
    [t.automate.webhooks, t.automate.of(usage.webhooks, limits.webhooks)],
  ]
  return (
    <div className="field">
      <h2 id="limits">{t.automate.limits(t.prefs.account.plans[plan])}</h2>
      <table aria-labelledby="limits">
        <tbody>
          {rows.map(([name, value]) => (
            <tr key={name}>
              <th scope="row" className="dim">
                {name}
              </th>
              <td className="r">{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
