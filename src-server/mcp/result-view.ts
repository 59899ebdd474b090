/**
 * View of a finished job for hosts that show MCP Apps: one page in a frame of the host, which hands it the answer of the tool. It reaches
 * nothing by itself: the host reads the report for it and opens its link.
 */
import { platformNames } from '../../src-contract/platforms/index.ts'
import type { Language } from '../../src-contract/text/language.ts'

export const RESULT_VIEW = {
  uri: 'ui://loudsmith/result.html',
  name: 'result.html',
  title: 'Result of a job',
  mimeType: 'text/html;profile=mcp-app',
} as const

const TEXTS = {
  en: {
    on: 'On target',
    cost: 'On target, at a cost',
    below: 'Below target',
    loudness: 'Loudness',
    peak: 'True peak',
    before: 'Before',
    after: 'After',
    queued: 'In progress',
    dry: 'Not started. It costs 1 credit.',
    open: 'Open in Loudsmith',
    names: { ...platformNames('en'), release: 'All services' },
  },
  ko: {
    on: '목표 도달',
    cost: '목표 도달, 손실 있음',
    below: '목표 미달',
    loudness: '음량',
    peak: '트루 피크',
    before: '처리 전',
    after: '처리 후',
    queued: '진행 중',
    dry: '아직 시작하지 않았어요. 시작하면 크레딧 1개를 써요.',
    open: 'Loudsmith에서 열기',
    names: { ...platformNames('ko'), release: '모든 서비스' },
  },
} satisfies Record<Language, Record<string, string | Record<string, string>>>

/** Returns the page. Every text that it is handed becomes text, never markup. */
export const resultView = (version: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Loudsmith</title>
<style>
:root { color-scheme: light dark; --text: light-dark(#1b1d22, #eceef2); --dim: light-dark(#5d636f, #a2a9b6); --line: light-dark(#d9dce2, #363b45); --after: light-dark(#1368c4, #6cb2ff); --good: light-dark(#18794e, #5fce98); --cost: light-dark(#8a5a00, #e8b45a) }
body { font: 14px/1.45 var(--font-sans, system-ui), sans-serif; margin: 0; padding: 14px 16px; color: var(--color-text-primary, var(--text)); word-break: keep-all; overflow-wrap: anywhere }
h1 { font-size: 16px; margin: 0 }
p { margin: 4px 0; color: var(--color-text-secondary, var(--dim)) }
svg { display: block; width: 100%; height: 64px; margin: 10px 0 2px }
figcaption { font-size: 12px; color: var(--color-text-secondary, var(--dim)) }
figure { margin: 0 }
.before { fill: var(--color-text-secondary, var(--dim)); opacity: .7 }
.after, .key { fill: var(--after); color: var(--after) }
table { border-collapse: collapse; width: 100%; margin: 8px 0 }
th, td { text-align: start; font-weight: inherit; overflow-wrap: break-word; padding: 5px 8px 5px 0; border-top: 1px solid var(--color-border-primary, var(--line)) }
td + td { font-variant-numeric: tabular-nums; white-space: nowrap }
thead th { border: 0; font-size: 12px; color: var(--color-text-secondary, var(--dim)) }
.on { color: var(--good) } .cost, .below { color: var(--cost) }
button { font: inherit; color: inherit; background: none; border: 1px solid var(--color-border-primary, var(--line)); border-radius: 6px; padding: 5px 12px; cursor: pointer }
tbody button { border: 0; padding: 0; text-align: start } tbody button[aria-pressed=true] { font-weight: 600 }
button:focus-visible { outline: 2px solid var(--after); outline-offset: 2px }
</style>
<main id="main"></main>
<script>
'use strict'
const TEXTS = ${JSON.stringify(TEXTS)}
const MARKS = { on: '\\u2713', cost: '\\u25b2', below: '\\u25bd' }
const main = document.getElementById('main')
let texts = TEXTS.en
let host = {}
let answer
let report
let chosen = 0

const send = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
const waiting = new Map()
const ask = (method, params) =>
  new Promise((resolve, reject) => {
    const id = waiting.size + 1
    waiting.set(id, { resolve, reject })
    send({ id, method, params })
  })
addEventListener('message', ({ source, data }) => {
  if (source !== parent || !data || data.jsonrpc !== '2.0') return
  const { id, method, params, result, error } = data
  if (method === 'ui/notifications/tool-result') take(params)
  else if (method === 'ui/notifications/host-context-changed') dress(params)
  else if (method === 'ping' || method === 'ui/resource-teardown') send({ id, result: {} })
  else if (waiting.has(id)) error ? waiting.get(id).reject(error) : waiting.get(id).resolve(result)
})

const dress = ({ theme, locale, styles } = {}) => {
  const { style, lang } = document.documentElement
  if (theme) style.colorScheme = theme
  for (const [name, value] of Object.entries((styles && styles.variables) || {})) if (name.startsWith('--')) style.setProperty(name, value)
  if (locale) document.documentElement.lang = locale.split('-')[0] in TEXTS ? locale.split('-')[0] : 'en'
  texts = TEXTS[document.documentElement.lang] || TEXTS.en
  show()
}

const take = ({ content = [] }) => {
  const text = (content.find(({ type }) => type === 'text') || { text: '' }).text
  try {
    answer = JSON.parse(text)
  } catch {
    answer = { summary: text }
  }
  show()
  const link = content.find(({ type, name }) => type === 'resource_link' && name === 'report.json')
  if (!link || !host.serverResources) return
  ask('resources/read', { uri: link.uri }).then(({ contents }) => {
    report = JSON.parse(contents[0].text)
    show()
  }, () => {})
}

const element = (name, text = '', className = '') => {
  const made = document.createElement(name)
  made.textContent = text
  if (className) made.className = className
  return made
}
const figure = (value, unit) => (Number.isFinite(value) ? value.toFixed(1).replace('-', '\\u2212') + ' ' + unit : '\\u2013')
const verdictOf = ({ verdict, costs = [] }) => (verdict !== 'on_target' ? 'below' : costs.length > 0 ? 'cost' : 'on')

const BINS = 240
const outline = (peaks) => {
  const count = Math.min(BINS, peaks.length)
  const heights = Array.from({ length: count }, (_, i) => {
    const part = peaks.slice(Math.floor((i * peaks.length) / count), Math.floor(((i + 1) * peaks.length) / count))
    return 32 * 10 ** (Math.max(-90, ...part.map((db) => (db === null ? -90 : db))) / 20)
  })
  const x = (i) => (i * BINS) / Math.max(1, count - 1)
  const top = heights.map((y, i) => x(i).toFixed(1) + ',' + (32 - y).toFixed(2))
  const bottom = heights.map((y, i) => x(i).toFixed(1) + ',' + (32 + y).toFixed(2)).reverse()
  return [...top, ...bottom].join(' ')
}
const waveform = (name) => {
  const master = [...report.masters, ...(report.release ? [report.release] : [])][chosen]
  const drawing = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  drawing.setAttribute('viewBox', '0 0 ' + BINS + ' 64')
  drawing.setAttribute('preserveAspectRatio', 'none')
  drawing.setAttribute('aria-hidden', 'true')
  for (const [kind, one] of [['after', master], ['before', report.source]]) {
    const shape = document.createElementNS('http://www.w3.org/2000/svg', 'polygon')
    shape.setAttribute('class', kind)
    shape.setAttribute('points', outline(one.curves.peak_dbfs))
    drawing.append(shape)
  }
  const caption = element('figcaption', '\\u25a0 ' + texts.before + '  ')
  caption.append(element('span', '\\u25a0 ' + texts.after + ': ' + name, 'key'))
  const plot = element('figure')
  plot.append(drawing, caption)
  return plot
}

const table = (results) => {
  const made = element('table')
  const head = element('tr')
  head.append(...['', '', texts.loudness, texts.peak].map((text) => element('th', text)))
  const rows = results.map((result, i) => {
    const row = element('tr')
    const name = element('th')
    name.scope = 'row'
    const choose = element('button', nameOf(result))
    choose.setAttribute('aria-pressed', String(i === chosen))
    choose.onclick = () => {
      chosen = i
      show()
      main.querySelectorAll('tbody button')[i].focus()
    }
    name.append(choose)
    const verdict = verdictOf(result)
    const cells = [
      element('td', MARKS[verdict] + ' ' + texts[verdict], verdict),
      element('td', figure(result.integrated_lufs, 'LUFS')),
      element('td', figure(result.true_peak_dbtp, 'dBTP')),
    ]
    row.append(name, ...cells)
    return row
  })
  const [top, body] = [element('thead'), element('tbody')]
  top.append(head)
  body.append(...rows)
  made.append(top, body)
  return made
}
const nameOf = ({ platform }) => (platform ? texts.names[platform] || platform : texts.names.release)

const show = () => {
  if (!answer) return
  main.replaceChildren()
  const { title, artist, status, progress, dry_run, error, error_message, summary, warnings = [], results = [], release, download_url, job_id } = answer
  if (title) main.append(element('h1', artist ? artist + ' \\u2013 ' + title : title))
  if (dry_run) main.append(element('p', texts.dry))
  if (status === 'queued') main.append(element('p', texts.queued + ' ' + (progress || 0) + ' %'))
  const masters = [...results, ...(release ? [release] : [])]
  for (const text of [error && error.message, error_message, summary, ...warnings.map(({ message }) => message)]) if (text) main.append(element('p', text))
  if (report && masters[chosen]) main.append(waveform(nameOf(masters[chosen])))
  if (masters.length > 0) main.append(table(masters))
  if (!download_url || !host.openLinks) return
  const open = element('button', texts.open)
  open.onclick = () => ask('ui/open-link', { url: new URL(download_url).origin + '/#/listen/' + job_id }).catch(() => {})
  main.append(open)
}

new ResizeObserver(() => {
  const { height } = document.documentElement.getBoundingClientRect()
  send({ method: 'ui/notifications/size-changed', params: { height: Math.ceil(height) } })
}).observe(document.documentElement)
ask('ui/initialize', { appInfo: { name: 'loudsmith', version: ${JSON.stringify(version)} }, appCapabilities: {}, protocolVersion: '2026-01-26' }).then(
  ({ hostCapabilities = {}, hostContext }) => {
    host = hostCapabilities
    dress(hostContext)
    send({ method: 'ui/notifications/initialized' })
  },
  () => {},
)
</script>
</html>
`
