/** The window bar: mark, screens, network, API state, credits. */
import { Settings, ShieldCheck, Wifi } from 'lucide-react'
import type { ReactNode } from 'react'
import { Menu } from '../components/dialogs.tsx'
import { addressOf, go, NAVIGATION, type Route } from '../router.ts'
import { useApp, useSelect } from '../state/app-state.ts'
import { useWords } from '../text/context.tsx'
import './window-bar.css'

export function WindowBar({ route }: { route: Route }) {
  const { t, format } = useWords()
  const { service } = useApp()
  const credits = useSelect(service.store, (state) => state.account?.credits)
  const isOffline = useSelect(service.store, (state) => state.settings?.is_offline)
  const current = route.screen === 'listen' ? 'master' : route.screen
  const Shield = isOffline ? ShieldCheck : Wifi
  return (
    <header className={`bar ${window.loudsmith ? `desktop ${window.loudsmith.platform}` : ''}`}>
      <Brand>
        <svg viewBox="0 0 20 20" fill="currentColor" aria-hidden="true">
          <path d="M1 3h2.4v5H1zM4.9 3h2.4v3.2H4.9zM8.8 3h2.4v14H8.8zM12.7 3h2.4v8.4h-2.4zM16.6 3H19v6.4h-2.4z" />
        </svg>
        <span>Loudsmith</span>
      </Brand>
      <nav className="nav" aria-label={t.nav}>
        {NAVIGATION.map((screen) => (
          <a
            key={screen}
            className="inset"
            href={addressOf(screen)}
            aria-current={screen === current ? 'page' : undefined}
          >
            {t.screens[screen]}
            {screen === 'history' && <ExpiringMark />}
          </a>
        ))}
      </nav>
      <div className="end">
        {isOffline !== undefined && (
          <span className="net" title={isOffline ? t.bar.offlineWhy : t.bar.onlineWhy}>
            <Shield className="i s" aria-hidden="true" />
            <span>{isOffline ? t.bar.offline : t.bar.online}</span>
          </span>
        )}
        <a className="credits inset" href={addressOf('settings', 'account')}>
          <b>{credits === undefined ? '–' : format.count(credits)}</b> <span>{t.bar.credits(credits ?? 0)}</span>
        </a>
        <Gear isCurrent={route.screen === 'settings' || route.screen === 'automate'} />
      </div>
    </header>
  )
}

/** Settings, Automate and the address of the API, with a dot for its state. */
function Gear({ isCurrent }: { isCurrent: boolean }) {
  const { t } = useWords()
  const { service, notices } = useApp()
  const link = useSelect(service.store, (state) => state.link)
  const baseUrl = useSelect(service.store, (state) => state.system?.base_url)
  const linkText = {
    connecting: t.bar.apiConnecting,
    live: t.bar.apiOn,
    polling: t.bar.apiPolling,
    lost: t.bar.apiLost,
  }[link]
  const label = `${t.bar.gear}. ${linkText}`
  const copy = async () => {
    const isCopied = await navigator.clipboard.writeText(baseUrl ?? '').then(
      () => true,
      () => false,
    )
    notices.show({ text: isCopied ? t.copied : t.notCopied })
  }
  return (
    <Menu
      label={t.bar.gear}
      trigger={
        <button
          type="button"
          className={`gear link ${link}`}
          aria-label={label}
          title={label}
          aria-current={isCurrent ? 'page' : undefined}
        >
          <Settings className="i" aria-hidden="true" />
          <i className="dot" />
        </button>
      }
      items={[
        { text: t.screens.settings, onChoose: () => go('settings') },
        { text: t.screens.automate, onChoose: () => go('automate') },
        null,
        ...(baseUrl ? [{ text: t.bar.copyAddress(baseUrl), sentence: linkText, onChoose: () => void copy() }] : []),
      ]}
    />
  )
}

/** A dot if results will be deleted soon. */
function ExpiringMark() {
  const { service } = useApp()
  const { t } = useWords()
  const results = useSelect(service.store, (state) => state.account?.expiring?.results)
  if (results === undefined) return null
  return (
    <span className="nav-mark" title={t.history.expiringCount(results)}>
      <span className="vh">{t.history.expiringCount(results)}</span>
    </span>
  )
}

/** The mark; on Windows and Linux, which show no menu bar, it opens the application menu. */
function Brand({ children }: { children: ReactNode }) {
  const { t } = useWords()
  const bridge = window.loudsmith
  if (!bridge || bridge.platform === 'darwin') return <div className="brand">{children}</div>
  return (
    <button
      type="button"
      className="brand"
      aria-label={`Loudsmith: ${t.prefs.desktop.menu}`}
      aria-haspopup="menu"
      onClick={(event) => {
        const { left, bottom } = event.currentTarget.getBoundingClientRect()
        void bridge.popUpMenu(Math.round(left), Math.round(bottom))
      }}
    >
      {children}
    </button>
  )
}
