/** Settings: one page of sections with a list of them at the side. */
import {
  Cpu,
  FolderSync,
  HardDrive,
  Info,
  KeyRound,
  Languages,
  Server,
  SunMoon,
  UserRound,
  Webhook,
} from 'lucide-react'
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { addressOf } from '../../router.ts'
import { useApp } from '../../state/app-state.ts'
import { useWords } from '../../text/context.tsx'
import { AccountSection } from './account-section.tsx'
import { KeysSection } from './keys-section.tsx'
import { AboutSection, AppearanceSection, EngineSection, LanguageSection } from './machine-sections.tsx'
import { MachinesSection } from './machines-section.tsx'
import { StorageSection } from './storage-section.tsx'
import { WatchFoldersSection } from './watch-folders-section.tsx'
import { WebhooksSection } from './webhooks-section.tsx'

const SECTIONS = [
  ['account', UserRound, AccountSection],
  ['api-keys', KeyRound, KeysSection],
  ['webhooks', Webhook, WebhooksSection],
  ['storage', HardDrive, StorageSection],
  ['watch', FolderSync, WatchFoldersSection],
  ['engine', Cpu, EngineSection],
  ['machines', Server, MachinesSection],
  ['language', Languages, LanguageSection],
  ['appearance', SunMoon, AppearanceSection],
  ['about', Info, AboutSection],
] as const

type SectionId = (typeof SECTIONS)[number][0]

/** Returns the section in view: the last to begin in the pane's upper third; at the pane's end, the last of all. */
function sectionAt({ scrollTop, clientHeight, scrollHeight, children }: HTMLElement): SectionId {
  const line = scrollTop + clientHeight >= scrollHeight - 1 ? scrollHeight : scrollTop + clientHeight / 3
  const tops = [...children].filter((child): child is HTMLElement => child.matches('section'))
  const at = tops.findLastIndex((section) => section.offsetTop <= line)
  return SECTIONS[Math.max(0, at)]?.[0] ?? 'account'
}

function sectionIn(pane: HTMLElement | null, id: SectionId): HTMLElement | null {
  return pane?.querySelector<HTMLElement>(`#${CSS.escape(id)}`) ?? null
}

/** A requested section, with its offset and the pane's scroll position for it. */
interface Brought {
  readonly id: SectionId
  readonly offsetTop: number
  readonly scrollTop: number
}

/** The section in view, and the function that scrolls to another. */
function useSectionInView(pane: RefObject<HTMLElement | null>, asked: SectionId) {
  const [current, setCurrent] = useState<SectionId>(asked)
  // Kept until the user scrolls: several last sections share the pane's end, and the requested one counts as in view.
  const brought = useRef<Brought | null>(null)
  const bring = useCallback(
    (id: SectionId) => {
      const target = sectionIn(pane.current, id)
      if (!pane.current || !target) return
      pane.current.scrollTop = id === 'account' ? 0 : target.offsetTop
      brought.current = { id, offsetTop: target.offsetTop, scrollTop: pane.current.scrollTop }
      setCurrent(id)
    },
    [pane],
  )
  const onScroll = () => {
    if (!pane.current || pane.current.scrollTop === brought.current?.scrollTop) return
    const { id, offsetTop } = brought.current ?? {}
    // If a section has moved, the browser scrolled to keep it in view.
    if (id && sectionIn(pane.current, id)?.offsetTop !== offsetTop) return bring(id)
    brought.current = null
    setCurrent(sectionAt(pane.current))
  }
  // The content of a section may arrive late and move the sections below.
  useEffect(() => {
    const observer = new ResizeObserver(() => brought.current && bring(brought.current.id))
    for (const section of pane.current?.children ?? []) observer.observe(section)
    return () => observer.disconnect()
  }, [pane, bring])
  useEffect(() => bring(asked), [bring, asked])
  return { current, bring, onScroll }
}

export default function SettingsScreen({ section }: { section: string }) {
  const { t } = useWords()
  const { service } = useApp()
  const pane = useRef<HTMLElement>(null)
  const asked = SECTIONS.find(([id]) => id === section)?.[0] ?? 'account'
  const { current, bring, onScroll } = useSectionInView(pane, asked)
  useEffect(() => void service.readMachine().catch(() => undefined), [service])
  return (
    <main id="content" className="work prefs" tabIndex={-1}>
      <SectionList current={current} onChoose={bring} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a pane that scrolls has to be reachable by keyboard */}
      <section className="pane inset" ref={pane} tabIndex={0} aria-label={t.screens.settings} onScroll={onScroll}>
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

function SectionList({ current, onChoose }: { current: SectionId; onChoose: (id: SectionId) => void }) {
  const { t } = useWords()
  const list = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the section is the sign, not an ingredient
  useEffect(() => {
    // In a small window the list of sections is a row that scrolls.
    const link = list.current?.querySelector<HTMLElement>('[aria-current]')
    list.current?.scrollTo({ left: (link?.offsetLeft ?? 0) - list.current.offsetLeft })
  }, [current])
  return (
    <nav className="subnav" ref={list} aria-label={t.prefs.nav}>
      {SECTIONS.map(([id, Icon]) => (
        <a
          key={id}
          href={addressOf('settings', id)}
          aria-current={id === current ? 'true' : undefined}
          // The address stays the same when the same section is requested again.
          onClick={() => onChoose(id)}
        >
          <Icon className="i s" aria-hidden="true" />
          <span>{t.prefs.sections[id]}</span>
        </a>
      ))}
    </nav>
  )
}
