/** The component of every screen. All except the first are loaded on first use. */
import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import type { Screen } from '../router.ts'
import { useSelect } from '../state/app-state.ts'
import { createScreenLoader } from '../state/screen-loader.ts'
import { useWords } from '../text/context.tsx'
import { MasterScreen } from './master/master-screen.tsx'
import type { DropState } from './master/use-drop.ts'

export interface ScreenProps {
  /** Rest of the address after the screen. */
  readonly detail: string
  readonly drop: DropState
  readonly onFiles: (files: readonly File[]) => void
}

const isReachable = () =>
  fetch(location.pathname, { method: 'HEAD', cache: 'no-store' }).then(
    () => true,
    () => false,
  )
const loader = createScreenLoader({ isReachable, pauseMs: 1000 })

const ReleaseScreen = lazyScreen(() => import('./release/release-screen.tsx'))
const HistoryScreen = lazyScreen(() => import('./history/history-screen.tsx'))
const AutomateScreen = lazyScreen(() => import('./automate/automate-screen.tsx'))
const SettingsScreen = lazyScreen(() => import('./settings/settings-screen.tsx'))

/** One screen for both addresses: a job on the stage does not interrupt what sounds. */
function Workspace({ detail, drop, onFiles }: ScreenProps) {
  return <MasterScreen detail={detail} drop={drop} onFiles={onFiles} />
}

export const SCREEN_COMPONENTS: Readonly<Record<Screen, (props: ScreenProps) => ReactNode>> = {
  master: Workspace,
  release: ({ detail, drop }) => <ReleaseScreen releaseId={detail} drop={drop} />,
  history: ({ detail }) => <HistoryScreen isSearching={detail === 'search'} />,
  automate: () => <AutomateScreen />,
  settings: ({ detail }) => <SettingsScreen section={detail} />,
  listen: Workspace,
}

/**
 * Returns a component that loads its screen on first use. React's `lazy` keeps its fallback for at least 300 ms, and a
 * screen loads within a few: the window would be empty needlessly.
 */
function lazyScreen<Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>) {
  let known: ComponentType<Props> | null = null
  return function LazyScreen(props: Props) {
    const [Loaded, show] = useState(() => known)
    const [failure, fail] = useState<{ readonly error: unknown } | null>(null)
    useEffect(() => {
      if (Loaded) return
      loader.load(load).then(
        (loaded) => {
          known = loaded.default
          show(() => loaded.default)
        },
        (error: unknown) => fail({ error }),
      )
    }, [Loaded])
    if (failure) throw failure.error
    return Loaded ? <Loaded {...props} /> : <Loading />
  }
}

/** Empty page while a screen loads; it reports if the program is away. */
function Loading() {
  const { t } = useWords()
  const isAway = useSelect(loader.store, (state) => state.isAway)
  return (
    <main id="content" className="work locked" tabIndex={-1}>
      {isAway && <p role="alert">{t.lost}</p>}
    </main>
  )
}
