/** The window: bar, screen, toast, live region, keys that work everywhere. */
import { Tooltip } from 'radix-ui'
import { useCallback, useEffect, useState } from 'react'
import { Button } from './components/button.tsx'
import { FailureBoundary } from './components/failure-boundary.tsx'
import { watchInputModality } from './components/input-modality.ts'
import { isCovered, isTyping, keyOf } from './components/is-typing.ts'
import { KeySheet } from './components/key-sheet.tsx'
import { restoreFocus } from './components/restore-focus.ts'
import { ToastView } from './components/toast.tsx'
import { go, routeOf, useRoute } from './router.ts'
import { useDrop } from './screens/master/use-drop.ts'
import { ArmedStart } from './screens/master/use-start.ts'
import { isReleaseFile, useReleaseFiles } from './screens/release/use-release-files.ts'
import { SCREEN_COMPONENTS } from './screens/screens.tsx'
import { WindowBar } from './screens/window-bar.tsx'
import { useApp, useSelect } from './state/app-state.ts'
import { songIn } from './state/batch-state.ts'
import { UNDO_SECONDS } from './state/notices.ts'
import { shownLanguage } from './state/preferences.ts'
import { songTitle } from './state/song-rows.ts'
import { useWords, WordsProvider } from './text/context.tsx'

/** The command that opens the page, and its spelling where Loudsmith is not installed. */
const OPEN_COMMAND = 'loudsmith open'
const OPEN_COMMAND_IN_SOURCE = 'npm run cli -- open'

const isWorkspace = () => ['master', 'listen'].includes(routeOf(location.hash).screen)

export function App() {
  const { preferences } = useApp()
  const language = useSelect(preferences, shownLanguage)
  return (
    <WordsProvider language={language}>
      <Tooltip.Provider delayDuration={500} skipDelayDuration={200}>
        <Window />
      </Tooltip.Provider>
    </WordsProvider>
  )
}

function Window() {
  const { service } = useApp()
  const { t } = useWords()
  const route = useRoute()
  const Screen = SCREEN_COMPONENTS[route.screen]
  const [isKeySheetOpen, showKeySheet] = useState(false)
  const isLockedOut = useSelect(service.store, (state) => state.isLockedOut)
  const isLost = useSelect(service.store, (state) => state.link === 'lost')
  const add = useAddFiles()
  const drop = useDrop(add, route.screen === 'release' ? isReleaseFile : undefined)
  useEffect(restoreFocus, [])
  useEffect(watchInputModality, [])
  const openKeySheet = useCallback(() => showKeySheet(true), [])
  useWindowKeys(openKeySheet)
  useMenuCommands(openKeySheet)
  useEffect(() => {
    document.title = `${t.screens[route.screen]} · Loudsmith`
  }, [t, route.screen])

  return (
    <>
      <button type="button" className="skip" onClick={focusContent}>
        {t.skip}
      </button>
      <WindowBar route={route} />
      <ArmedStart />
      {isLost && !isLockedOut && (
        <p className="strip" role="alert">
          {t.lost}
        </p>
      )}
      <AskingTab />
      {isLockedOut ? (
        <main id="content" className="work locked" tabIndex={-1}>
          <LockedOut />
        </main>
      ) : (
        <FailureBoundary resetKey={`${route.screen}/${route.detail}`} fallback={(detail) => <Broken detail={detail} />}>
          <Screen
            key={route.screen === 'listen' ? 'master' : route.screen}
            detail={route.screen === 'master' ? '' : route.detail}
            drop={drop}
            onFiles={add}
          />
        </FailureBoundary>
      )}
      <Notices />
      <KeySheet isOpen={isKeySheetOpen} onClose={() => showKeySheet(false)} />
    </>
  )
}

/** A new tab of this browser that asks to be let in. */
function AskingTab() {
  const { service, answerTab } = useApp()
  const { t } = useWords()
  const code = useSelect(service.store, (state) => state.askingCode)
  if (code === null) return null
  return (
    <div className="strip asking" role="alert">
      <span>{t.tabs.asks(code)}</span>
      <Button small onClick={() => answerTab(true)}>
        {t.tabs.letIn}
      </Button>
      <Button small look="quiet" onClick={() => answerTab(false)}>
        {t.tabs.refuse}
      </Button>
    </div>
  )
}

/** Returns the function that adds dropped or chosen files to the batch, or to the open release. */
function useAddFiles(): (files: readonly File[], folder?: string, rowId?: string) => void {
  const { service, notices, batch, stems } = useApp()
  const { t } = useWords()
  const isLockedOut = useSelect(service.store, (state) => state.isLockedOut)
  const addToRelease = useReleaseFiles()
  return useCallback(
    (files, folder = '', rowId) => {
      if (isLockedOut) return
      if (routeOf(location.hash).screen === 'release') return addToRelease(files, folder)
      const song = rowId === undefined ? undefined : songIn(batch.store.getState(), rowId)
      if (song && files.length > 0) stems.askOf(files, { rowId: song.source.source_id, title: songTitle(song) })
      else if (files.length > 0)
        void stems.add(files).then((added) => added > 0 && notices.announce(t.live.added(added)))
      // After a drop on another screen, the Master screen shows the songs, or that there were none.
      if (!isWorkspace()) go('master')
    },
    [batch, stems, notices, t, isLockedOut, addToRelease],
  )
}

/** The toast, and the live region for screen readers. */
function Notices() {
  const { notices } = useApp()
  const { announcements, toast } = useSelect(notices.store, (state) => state)
  return (
    <>
      {toast && (
        <ToastView
          key={toast.toastId}
          text={toast.text}
          seconds={UNDO_SECONDS}
          onUndo={toast.undo ? notices.undo : undefined}
          onOver={notices.settle}
        />
      )}
      <div className="vh" aria-live="polite">
        {/* Each text has its own element: replacing an equal text would not be announced. */}
        {announcements.map(({ announcementId, text }) => (
          <p key={announcementId}>{text}</p>
        ))}
      </div>
    </>
  )
}

/**
 * Undoes or redoes the last change: the Master and the Release screen have separate histories. On other screens, where
 * the effect would be invisible, only the change of the current toast is undone.
 */
function useUndo(): (isRedo: boolean) => boolean {
  const { notices, releases } = useApp()
  const { t } = useWords()
  return useCallback(
    (isRedo) => {
      const { screen } = routeOf(location.hash)
      const { edits: ofBatch } = notices
      const edits = { master: ofBatch, listen: ofBatch, release: releases.editor.edits }[screen as string]
      if (!isRedo && !isWorkspace() && notices.store.getState().toast?.undo) {
        notices.undo()
        return true
      }
      if (!edits) return false
      const isDone = isRedo ? edits.redo() : edits.undo()
      if (isDone) notices.announce(isRedo ? t.edits.redone : t.edits.undone)
      return isDone
    },
    [notices, releases, t],
  )
}

/** Keys that work on every screen: undo and redo, and the list of keys. */
function useWindowKeys(openKeySheet: () => void): void {
  const undo = useUndo()
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event)) return
      const hasModifier = event.ctrlKey || event.metaKey
      const key = keyOf(event)
      if (hasModifier && (key === 'z' || key === 'y') && !isCovered()) {
        if (!undo(event.shiftKey || key === 'y')) return
      } else if (event.key === '?' && !hasModifier && !isCovered()) openKeySheet()
      else return
      event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [undo, openKeySheet])
}

/** Commands of the desktop's menu. */
function useMenuCommands(openKeySheet: () => void): void {
  const undo = useUndo()
  useEffect(
    () =>
      window.loudsmith?.onMenuCommand((command) => {
        if (command === 'undo-removal') undo(false)
        if (command === 'key-sheet') openKeySheet()
        if (command === 'search') go('history', 'search')
        // The Master screen handles the command itself; from other screens it is opened first, to show the songs.
        if (command === 'start' && !isWorkspace()) go('master')
      }),
    [undo, openKeySheet],
  )
}

/**
 * Explains how to open the page when the program refuses its credential: it never had one, or the program was
 * restarted.
 */
function LockedOut() {
  const { client, batch, notices, service, askToBeLetIn } = useApp()
  const { t } = useWords()
  const code = useSelect(service.store, (state) => state.ownCode)
  const hasEnded = client.session() !== null
  const isTicketSpent = useSelect(service.store, (state) => state.isTicketSpent)
  const unsent = useSelect(batch.uploads.store, () => batch.uploads.unreached())
  const { title, text } = isTicketSpent ? t.locked.spent : hasEnded ? t.locked.again : t.locked
  useEffect(() => notices.announce(`${title}. ${text} ${OPEN_COMMAND}`), [notices, title, text])
  if (code)
    return (
      <>
        <h1>{t.tabs.title}</h1>
        <p className="dim">{t.tabs.text}</p>
        <p className="tab-code" role="status">
          {code}
        </p>
      </>
    )
  return (
    <>
      <h1>{title}</h1>
      <p className="dim">{text}</p>
      <p>
        <code>{OPEN_COMMAND}</code>
      </p>
      <p className="dim">
        {t.locked.inSource} <code>{OPEN_COMMAND_IN_SOURCE}</code>
      </p>
      {unsent > 0 && <p>{t.locked.unsent(unsent)}</p>}
      {code === null && <Button onClick={askToBeLetIn}>{t.tabs.askAgain}</Button>}
    </>
  )
}

/** Replacement of a screen that failed to render. Reloading the page helps, also after an update of the program. */
function Broken({ detail }: { detail: string }) {
  const { t } = useWords()
  return (
    <main id="content" className="work locked" tabIndex={-1}>
      <h1>{t.broken.title}</h1>
      <p className="dim">{t.broken.text}</p>
      <Button onClick={() => location.reload()}>{t.broken.reload}</Button>
      <details>
        <summary>{t.details}</summary>
        <code>{detail}</code>
      </details>
    </main>
  )
}

/** Moves the focus to the content. A link cannot do it: the fragment of the address is the route. */
function focusContent() {
  document.getElementById('content')?.focus()
}
