// Runs before the first paint so that the page never flashes in the other theme or speaks the other language.
;(() => {
  const stored = (key) => {
    try {
      return localStorage.getItem(key)
    } catch {
      return null
    }
  }
  const theme = stored('loudsmith.theme')
  const isLight = theme === 'light' || (theme !== 'dark' && matchMedia('(prefers-color-scheme: light)').matches)
  const language = stored('loudsmith.language')
  document.documentElement.dataset.theme = isLight ? 'light' : 'dark'
  document.documentElement.lang =
    language === 'en' || language === 'ko' ? language : navigator.language.startsWith('ko') ? 'ko' : 'en'
})()
