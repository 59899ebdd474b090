/** The view of results for hosts that show MCP Apps, run against a host of a few lines. */
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { resultView } from '../../../src-server/mcp/result-view.ts'

interface Element {
  readonly name: string
  textContent: string
  lang?: string
  onclick?: () => void
  readonly children: Element[]
  readonly attributes: Record<string, string>
}

/** Shows the answer of a tool in a host with these capabilities, and returns the visible text and the requests to the host. */
async function show(capabilities: object, context: object, value: object, report?: object) {
  const element = (name: string) => {
    const made: Element = { name, textContent: '', children: [], attributes: {} }
    return Object.assign(made, {
      append: (...more: Element[]) => void made.children.push(...more),
      replaceChildren: () => void made.children.splice(0),
      setAttribute: (attribute: string, to: string) => void Object.assign(made.attributes, { [attribute]: to }),
      querySelectorAll: () => [{ focus() {} }, { focus() {} }],
      getBoundingClientRect: () => ({ height: 99.5 }),
      style: { setProperty() {} },
    })
  }
  const main = element('main')
  const asked: { method: string; params: { url?: string; uri?: string; height?: number } }[] = []
  let hear: (event: object) => void = () => {}
  const parent = {
    postMessage(message: { id: number; method: string; params: never }) {
      asked.push(message)
      const reply = (more: object) => hear({ source: parent, data: { jsonrpc: '2.0', ...more } })
      const answers: Record<string, object> = {
        'ui/initialize': { hostCapabilities: capabilities, hostContext: context },
        'resources/read': { contents: [{ text: JSON.stringify(report) }] },
      }
      const result = answers[message.method]
      if (result) reply({ id: message.id, result })
      if (message.method !== 'ui/notifications/initialized') return
      const link = { type: 'resource_link', name: 'report.json', uri: 'loudsmith://jobs/1/report' }
      const content = [{ type: 'text', text: JSON.stringify(value) }, link]
      reply({ method: 'ui/notifications/tool-result', params: { content } })
      hear({ source: {}, data: { jsonrpc: '2.0', method: 'ui/notifications/tool-result', params: { content: [] } } })
    },
  }
  const document = { documentElement: element('html'), getElementById: () => main, createElement: element }
  runInNewContext(/<script>([\s\S]*)<\/script>/.exec(resultView('1.0.0'))![1]!, {
    ...{ parent, URL, document: { ...document, createElementNS: (_: string, name: string) => element(name) } },
    addEventListener: (_: string, listener: typeof hear) => {
      hear = listener
    },
    ResizeObserver: class {
      observe() {}
    },
  })
  await new Promise(setImmediate)
  const all = (one: Element): Element[] => [one, ...one.children.flatMap(all)]
  const texts = () => all(main).flatMap(({ textContent }) => (textContent ? [textContent] : []))
  return { asked, texts, find: (name: string) => all(main).filter((one) => one.name === name) }
}

const master = (platform: string, more: object = {}) => ({
  ...{ platform, verdict: 'on_target', integrated_lufs: -14, true_peak_dbtp: -1.04, costs: [], ...more },
})
const job = {
  ...{
    job_id: '1',
    status: 'done',
    title: '<b>밤</b>',
    summary: 'Only the level.',
    warnings: [{ message: 'Clipped.' }],
  },
  results: [master('spotify'), master('melon', { costs: [{}] }), master('youtube', { verdict: 'below_target' })],
  download_url: 'http://127.0.0.1:47310/api/v1/jobs/1/download',
}
const curves = (peak: number | null) => ({ curves: { peak_dbfs: [peak, -6] } })
const report = { source: curves(null), masters: [curves(0), curves(-20), curves(-20)] }

test('a finished job has its verdicts, its waveform and its link, in the language of the host', async () => {
  const { asked, texts, find } = await show({ openLinks: {}, serverResources: {} }, { locale: 'ko-KR' }, job, report)
  expect(texts()).toEqual(expect.arrayContaining(['<b>밤</b>', 'Only the level.', 'Clipped.', '✓ 목표 도달']))
  expect(texts()).toEqual(expect.arrayContaining(['▲ 목표 도달, 손실 있음', '▽ 목표 미달', '−14.0 LUFS', '−1.0 dBTP']))
  const drawn = () => find('polygon').map(({ attributes }) => attributes.points!.split(' ').slice(0, 2).join(' '))
  expect(drawn()).toEqual(['0.0,0.00 240.0,15.96', '0.0,32.00 240.0,15.96'])
  find('button')[1]!.onclick!()
  expect(drawn()[0]).toBe('0.0,28.80 240.0,15.96')
  find('button').at(-1)!.onclick!()
  expect(asked.at(-1)).toMatchObject({ params: { url: 'http://127.0.0.1:47310/#/listen/1' } })
})

test('a host that reads and opens nothing is asked for nothing, and a job without masters says what it is', async () => {
  const { asked, texts, find } = await show({}, {}, job)
  expect(asked.map(({ method }) => method)).toEqual(['ui/initialize', 'ui/notifications/initialized'])
  expect([find('polygon'), find('button').length, texts().at(-1)]).toEqual([[], 3, '−1.0 dBTP'])
  const failed = await show({}, {}, { status: 'failed', error_message: 'Silent.' })
  expect(failed.texts()).toEqual(['Silent.'])
  const dry = await show({}, {}, { dry_run: true, summary: 'Only the level.' })
  expect(dry.texts()).toEqual(['Not started. It costs 1 credit.', 'Only the level.'])
})

test('the page names no address to load from, and writes no markup', () => {
  const page = resultView('1.0.0').replaceAll('http://www.w3.org/2000/svg', '')
  expect(page).not.toMatch(/https?:|src=|href=|innerHTML|insertAdjacent|document\.write|@import|url\(/)
})
