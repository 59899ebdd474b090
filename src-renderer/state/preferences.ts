/** Language and theme. The server stores them; a copy in localStorage makes the first paint right before it answers. */
import { createStore } from 'zustand/vanilla'
import type { Settings } from '../../src-contract/app.ts'
import { LANGUAGES, type Language, languageOfLocale } from '../../src-contract/text/language.ts'

export interface Preferences {
  readonly language: Settings['language']
  readonly theme: Settings['theme']
  /** Language of `system` on this machine. */
  readonly systemLanguage: Language
  readonly isSystemLight: boolean
}

const LANGUAGE_KEY = 'loudsmith.language'
const THEME_KEY = 'loudsmith.theme'

/** Returns the language to show. */
export function shownLanguage({ language, systemLanguage }: Preferences): Language {
  return language === 'system' ? systemLanguage : language
}

/** Returns the theme to show. */
function shownTheme({ theme, isSystemLight }: Preferences): 'dark' | 'light' {
  return theme === 'system' ? (isSystemLight ? 'light' : 'dark') : theme
}

/** Creates the store from this browser's stored preferences and the system's. */
export function createPreferences() {
  const light = matchMedia('(prefers-color-scheme: light)')
  const storedLanguage = localStorage.getItem(LANGUAGE_KEY)
  const storedTheme = localStorage.getItem(THEME_KEY)
  const store = createStore<Preferences>(() => ({
    language: LANGUAGES.find((language) => language === storedLanguage) ?? 'system',
    theme: storedTheme === 'dark' || storedTheme === 'light' ? storedTheme : 'system',
    systemLanguage: languageOfLocale(navigator.language),
    isSystemLight: light.matches,
  }))
  light.addEventListener('change', () => store.setState({ isSystemLight: light.matches }))

  const show = () => {
    const state = store.getState()
    document.documentElement.lang = shownLanguage(state)
    document.documentElement.dataset.theme = shownTheme(state)
    localStorage.setItem(LANGUAGE_KEY, state.language)
    localStorage.setItem(THEME_KEY, state.theme)
  }
  store.subscribe(show)
  show()
  return store
}

export type PreferencesStore = ReturnType<typeof createPreferences>
