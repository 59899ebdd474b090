/** Settings: one page of sections with a list of them at its side. */
import { Cpu, FolderSync, HardDrive, Info, KeyRound, Languages, SunMoon, UserRound, Webhook } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { addressOf } from '../../router.ts'
import { useApp } from '../../state/app-state.ts'
import { useWords } from '../../text/context.tsx'
import { AccountSection } from './account-section.tsx'
import { KeysSection } from './keys-section.tsx'
import { AboutSection, AppearanceSection, EngineSection, LanguageSection, StorageSection } from './machine-sections.tsx'
import { WatchFoldersSection } from './watch-folders-section.tsx'
import { WebhooksSection } from './webhooks-section.tsx'

const SECTIONS = [
  ['account', UserRound, AccountSection],
  ['api-keys', KeyRound, KeysSection],
  ['webhooks', Webhook, WebhooksSection],
  ['storage', HardDrive, StorageSection],
  ['watch', FolderSync, WatchFoldersSection],
  ['engine', Cpu, EngineSection],
  ['language', Languages, LanguageSection],
  ['appearance', SunMoon, AppearanceSection],
  ['about', Info, AboutSection],
] as const

export default function SettingsScreen({ section }: { section: string }) {
  const { t } = useWords()
  const { service } = useApp()
  const pane = useRef<HTMLElement>(null)
  const list = useRef<HTMLElement>(null)
  const current = SECTIONS.find(([id]) => id === section)?.[0] ?? 'account'
  useEffect(() => void service.readMachine().catch(() => undefined), [service])
  useEffect(() => {
    const target = pane.current?.querySelector<HTMLElement>(`#${CSS.escape(current)}`)
    if (pane.current && target) pane.current.scrollTop = current === 'account' ? 0 : target.offsetTop
    // In a small window the list of sections is a row that scrolls.
    const link = list.current?.querySelector<HTMLElement>('[aria-current]')
    list.current?.scrollTo({ left: (link?.offsetLeft ?? 0) - list.current.offsetLeft })
  }, [current])
  return (
    <main id="content" className="work prefs" tabIndex={-1}>
      <nav className="subnav" ref={list} aria-label={t.prefs.nav}>
        {SECTIONS.map(([id, Icon]) => (
          <a key={id} href={addressOf('settings', id)} aria-current={id === current ? 'true' : undefined}>
            <Icon className="i s" aria-hidden="true" />
            <span>{t.prefs.sections[id]}</span>
          </a>
        ))}
      </nav>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a pane that scrolls has to be reachable by keyboard */}
      <section className="pane" ref={pane} tabIndex={0} aria-label={t.screens.settings}>
        <h1 className="vh">{t.screens.settings}</h1>
        {SECTIONS.map(([id, , Section]) => (
          <section key={id} id={id} aria-labelledby={`${id}-title`}>
            <Section titleId={`${id}-title`} />
          </section>
        ))}
      </section>
    </main>
  )
}
