/** Automate: sample calls for scripts, ready to copy. */
import { BookOpen, Check, CircleX, Plus, Send } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { ApiKey, CreatedKey } from '../../../src-contract/account.ts'
import { Button } from '../../components/button.tsx'
import { Segmented } from '../../components/choices.tsx'
import { CodeBlock, CopyButton } from '../../components/copy.tsx'
import { addressOf } from '../../router.ts'
import { useApp, useSelect } from '../../state/app-state.ts'
import { useWords } from '../../text/context.tsx'
import { Problem, SecretBox, useAction } from '../settings/section.tsx'
import { Batches } from './batches.tsx'
import { SNIPPETS, type SnippetLanguage } from './snippets.ts'
import './automate.css'

/** File name in the samples without a song. */
const SAMPLE_SONG = 'song.wav'

/** Response to the first call of the samples, from the current batch and account. */
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
  const { service } = useApp()
  const baseUrl = useSelect(service.store, (state) => state.system?.base_url) ?? location.origin
  const [created, setCreated] = useState<CreatedKey | null>(null)
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
        <Samples baseUrl={baseUrl} apiKey={created?.key} />
        <Batches />
      </div>
      <aside className="side wide-gap" aria-label={t.automate.baseUrl}>
        <BaseUrl baseUrl={baseUrl} />
        <KeyField created={created} onCreated={setCreated} />
        <TryIt />
        <Limits />
      </aside>
    </main>
  )
}

/** The calls that master a song with the settings in view, in one language, and the response to the first. */
function Samples({ baseUrl, apiKey }: { baseUrl: string; apiKey: string | undefined }) {
  const { t } = useWords()
  const { batch, service } = useApp()
  const [language, setLanguage] = useState<SnippetLanguage>('curl')
  const settings = useSelect(batch.store, (state) => state.batch?.settings)
  const credits = useSelect(service.store, (state) => state.account?.credits ?? 0)
  const reference = useSelect(batch.references.store, () => batch.references.nameOf(settings?.reference_source_id))
  const filename = useSelect(batch.store, (state) => state.batch?.songs[0]?.source.filename) ?? SAMPLE_SONG
  const { comments } = t.automate
  const code = settings ? SNIPPETS[language]({ baseUrl, key: apiKey, filename, reference, settings, comments }) : ''
  return (
    <>
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
      {language === 'mcp' ? (
        <p className="dim">{t.automate.mcpHow}</p>
      ) : (
        <div>
          <h2 className="label">
            {t.automate.answerTitle} <span className="faint">201 Created</span>
          </h2>
          <CodeBlock code={answerOf(settings?.platforms ?? [], credits)} label={t.automate.answerTitle} />
        </div>
      )}
    </>
  )
}

function BaseUrl({ baseUrl }: { baseUrl: string }) {
  const { t } = useWords()
  return (
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
  )
}

interface KeyFieldProps {
  /** The key just created: it stays in the samples until its owner has saved it. */
  created: CreatedKey | null
  onCreated: (key: CreatedKey | null) => void
}

/** The newest active key, and a button that creates one. */
function KeyField({ created, onCreated }: KeyFieldProps) {
  const { t } = useWords()
  const { service } = useApp()
  const account = useSelect(service.store, (state) => state.account)
  const { key, hasRead, create, isBusy, problem } = useNewestKey()
  const createButton = useRef<HTMLButtonElement>(null)
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
            hasRead && t.automate.noKey
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
            busyText={isBusy && t.prefs.keys.creating}
            onClick={() => void create(t.automate.keyName, onCreated)}
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
          onSaved={() => onCreated(null)}
        >
          <p className="dim">{t.automate.keyInSamples}</p>
        </SecretBox>
      )}
      <Problem problem={problem} />
    </div>
  )
}

/** The newest active key allowed to master, undefined without one, and the creation of keys. */
function useNewestKey() {
  const { client } = useApp()
  const [keys, setKeys] = useState<readonly ApiKey[] | null>(null)
  const { isBusy, problem, run } = useAction()
  useEffect(() => {
    client.call('listKeys', {}).then(
      (answer) => setKeys(answer.keys.filter((key) => key.state === 'active' && key.scope !== 'read')),
      () => undefined,
    )
  }, [client])
  const create = (name: string, onCreated: (key: CreatedKey) => void) =>
    run(async () => {
      const made = await client.call('createKey', { body: { name, scope: 'master' } })
      onCreated(made)
      setKeys((before) => [made, ...(before ?? [])])
    })
  return { key: keys?.[0], hasRead: keys !== null, create, isBusy, problem }
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
