/** API keys: creating, showing once, revoking. */
import { Plus } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { ApiKey, CreatedKey } from '../../../src-contract/account.ts'
import { SCOPES, type Scope } from '../../../src-contract/endpoint.ts'
import { Button } from '../../components/button.tsx'
import { Segmented } from '../../components/choices.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { useApp, useSelect } from '../../state/app-state.ts'
import { createListing } from '../../state/listing.ts'
import { clientName } from '../../text/client-name.ts'
import { useWords } from '../../text/context.tsx'
import { curlOf } from '../automate/snippets.ts'
import {
  ActionDialog,
  Reading,
  SecretBox,
  type SecretBoxProps,
  SectionHead,
  type SectionProps,
  TextDialog,
} from './section.tsx'
import { Table } from './table.tsx'

/** Lifetimes to choose from, s; undefined for a key that does not expire. */
const LIVES = { endless: undefined, day: 86_400, month: 30 * 86_400, year: 365 * 86_400 } as const
type Life = keyof typeof LIVES
const LIFE_NAMES = Object.keys(LIVES) as Life[]

export function KeysSection({ titleId }: SectionProps) {
  const { client, service } = useApp()
  const { t } = useWords()
  const limit = useSelect(service.store, (state) => state.account?.limits.keys ?? 0)
  const plan = useSelect(service.store, (state) => state.account?.plan)
  const [{ store, read }] = useState(() => createListing(async () => (await client.call('listKeys', {})).keys))
  const keys = useSelect(store, (state) => state.items)
  const [isNaming, setNaming] = useState(false)
  const [created, setCreated] = useState<CreatedKey | null>(null)
  const [revoking, setRevoking] = useState<ApiKey | null>(null)
  const createButton = useRef<HTMLButtonElement>(null)
  const text = t.prefs.keys
  // biome-ignore lint/correctness/useExhaustiveDependencies: another plan suspends and restores keys
  useEffect(() => void read(), [read, plan])
  const shown = (keys ?? []).filter((key) => key.state !== 'revoked')
  const used = shown.filter((key) => key.state === 'active').length
  return (
    <>
      <SectionHead titleId={titleId} title={t.prefs.sections['api-keys']} sub={text.sub(used, limit)}>
        <Button
          ref={createButton}
          small
          icon={<Plus className="i s" aria-hidden="true" />}
          whyNot={limit === 0 ? text.noneOnPlan : used >= limit && text.limit}
          onClick={() => setNaming(true)}
        >
          {text.create}
        </Button>
      </SectionHead>
      {created && <FreshKey created={created} returnTo={createButton} onSaved={() => setCreated(null)} />}
      {!keys && <Reading />}
      {keys && shown.length === 0 && <p className="note">{limit === 0 ? text.noneOnPlan : text.none}</p>}
      {shown.length > 0 && <KeyTable keys={shown} titleId={titleId} onRevoke={setRevoking} />}
      {isNaming && (
        <NameDialog
          onClose={() => setNaming(false)}
          onCreated={(key) => {
            setCreated(key)
            void read()
          }}
        />
      )}
      {revoking && (
        <RevokeDialog
          apiKey={revoking}
          onClose={() => setRevoking(null)}
          onRevoked={() => {
            if (created?.key_id === revoking.key_id) setCreated(null)
            return read()
          }}
        />
      )}
    </>
  )
}

interface KeyTableProps extends SectionProps {
  keys: readonly ApiKey[]
  onRevoke: (key: ApiKey) => void
}

function KeyTable({ keys, titleId, onRevoke }: KeyTableProps) {
  const { t, format } = useWords()
  const text = t.prefs.keys
  const now = new Date()
  const lastUse = ({ last_used_at, last_client }: ApiKey) =>
    last_used_at
      ? [format.ago(last_used_at, now), last_client && clientName(last_client)].filter(Boolean).join(', ')
      : text.never
  return (
    <Table
      className="keys"
      aria-labelledby={titleId}
      rows={keys}
      idOf={(key) => key.key_id}
      columns={[
        { name: text.columns.name, cell: (key) => <KeyName apiKey={key} /> },
        {
          name: text.columns.key,
          cell: (key) => (
            <code className="dim">
              {key.prefix}…{key.last_four}
            </code>
          ),
        },
        { name: text.columns.created, cellClass: 'dim', cell: (key) => format.day(key.created_at, now) },
        { name: text.columns.used, cellClass: 'dim', cell: lastUse, hint: (key) => key.last_client },
        {
          name: text.columns.actions,
          isNameHidden: true,
          cellClass: 'r',
          cell: (key) => (
            <Button look="danger" small onClick={() => onRevoke(key)} aria-label={text.revokeTitle(key.name)}>
              {text.revoke}
            </Button>
          ),
        },
      ]}
    />
  )
}

function KeyName({ apiKey }: { apiKey: ApiKey }) {
  const { t } = useWords()
  return (
    <>
      <b>
        <bdi>{apiKey.name}</bdi>
      </b>
      {(apiKey.state === 'suspended' || apiKey.state === 'expired') && (
        <span className="tag warn">{t.prefs.keys.states[apiKey.state]}</span>
      )}
      <KeyLimits apiKey={apiKey} />
    </>
  )
}

/** Scope and expiry of a key; renders nothing if it has neither. */
function KeyLimits({ apiKey: { scope, state, expires_at } }: { apiKey: ApiKey }) {
  const { t, format } = useWords()
  const text = t.prefs.keys
  const limits = [
    scope !== 'all' && text.scopes[scope].name,
    expires_at && state !== 'expired' && text.until(format.day(expires_at, new Date())),
  ].filter(Boolean)
  return limits.length > 0 && <div className="me">{limits.join(' · ')}</div>
}

/** A key just created; its value can be read only now. */
function FreshKey({ created, ...box }: { created: CreatedKey } & Pick<SecretBoxProps, 'returnTo' | 'onSaved'>) {
  const { t } = useWords()
  const { service, batch } = useApp()
  const baseUrl = useSelect(service.store, (state) => state.system?.base_url) ?? location.origin
  const settings = useSelect(batch.store, (state) => state.batch?.settings)
  const text = t.prefs.keys
  const curl = settings
    ? curlOf(baseUrl, { filename: 'song.wav', settings }).replace('$LOUDSMITH_KEY', created.key)
    : ''
  return (
    <SecretBox
      title={text.ready(created.name)}
      value={created.key}
      copyText={text.copyKey}
      more={
        <CopyButton look="quiet" small value={curl}>
          {text.copyCurl}
        </CopyButton>
      }
      {...box}
    />
  )
}

function NameDialog({ onClose, onCreated }: { onClose: () => void; onCreated: (key: CreatedKey) => void }) {
  const { client } = useApp()
  const { t } = useWords()
  const [scope, setScope] = useState<Scope>('all')
  const [life, setLife] = useState<Life>('endless')
  const text = t.prefs.keys
  const limits = { scope, ...(LIVES[life] === undefined ? {} : { expires_in: LIVES[life] }) }
  return (
    <TextDialog
      title={text.create}
      verb={text.create}
      doing={text.creating}
      field={{ label: text.name, placeholder: text.namePlaceholder, maxLength: 80 }}
      missing={text.nameless}
      act={async (name) => onCreated(await client.call('createKey', { body: { name, ...limits } }))}
      onClose={onClose}
    >
      <fieldset className="options">
        <legend className="label">{text.scope}</legend>
        {SCOPES.toReversed().map((one) => (
          <label key={one} className="row option">
            <input type="radio" name="scope" checked={scope === one} onChange={() => setScope(one)} />
            <b>{text.scopes[one].name}</b>
            <span className="dim grow">{text.scopes[one].text}</span>
          </label>
        ))}
      </fieldset>
      <div className="field">
        <span className="label">{text.life}</span>
        <Segmented
          label={text.life}
          options={LIFE_NAMES.map((value) => ({ value, text: text.lives[value] }))}
          value={life}
          onChoose={setLife}
        />
      </div>
    </TextDialog>
  )
}

function RevokeDialog(props: { apiKey: ApiKey; onClose: () => void; onRevoked: () => Promise<unknown> }) {
  const { apiKey, onClose, onRevoked } = props
  const { client } = useApp()
  const { t } = useWords()
  const text = t.prefs.keys
  return (
    <ActionDialog
      title={text.revokeTitle(apiKey.name)}
      description={text.revokeText}
      verb={text.revokeDo}
      doing={t.prefs.applying}
      look="danger"
      act={() => client.call('revokeKey', { params: { key_id: apiKey.key_id } }).then(onRevoked)}
      onClose={onClose}
    />
  )
}
