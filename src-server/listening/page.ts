/** The page of a listening test: one file without any address in it. The browser draws lots for A and B in every comparison. */
import type { ListeningTest } from '../../src-contract/listening-tests.ts'
import type { Language } from '../../src-contract/text/language.ts'
import { escapeHtml } from '../../src-worker/result/escape-html.ts'

export interface PageFacts {
  readonly testId: string
  readonly title: string
  readonly kind: ListeningTest['kind']
  readonly trials: number
  readonly language: Language
  readonly sounds: readonly { readonly token: string; readonly wav: Uint8Array }[]
}

const TEXTS = {
  en: {
    preference: 'Which one do you like better?',
    abx: 'Is X the same as A or as B?',
    how: 'Use headphones. All sounds are equally loud, and play on where you switch.',
    none: 'No difference',
    stop: 'Stop',
    choose: 'Choose',
    of: 'Comparison {n} of {all}',
    done: 'Done. Thank you!',
    name: 'Your name',
    save: 'Save the result file and send it back',
  },
  ko: {
    preference: '어느 쪽이 더 좋은가요?',
    abx: 'X는 A와 B 중 어느 쪽과 같은가요?',
    how: '헤드폰으로 들어 주세요. 음량은 모두 같고, 바꿔 들어도 이어서 재생돼요.',
    none: '차이 없음',
    stop: '정지',
    choose: '선택',
    of: '{all}번 중 {n}번째 비교',
    done: '끝났어요. 고마워요!',
    name: '이름',
    save: '결과 파일을 저장하고 보내 주세요',
  },
} satisfies Record<Language, Record<string, string>>

/** Returns the page. The sounds stand in the order of their random names. */
export function listeningPage({ testId, title, kind, trials, language, sounds }: PageFacts): string {
  const texts = TEXTS[language]
  const data = [...sounds]
    .sort((one, other) => (one.token < other.token ? -1 : 1))
    .map(({ token, wav }) => [token, Buffer.from(wav).toString('base64')])
  // `<` cannot end the script.
  const facts = JSON.stringify({ testId, kind, trials, texts, data }).replaceAll('<', '\\u003c')
  return `<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; media-src data: blob:; img-src data:; script-src 'unsafe-inline'; style-src 'unsafe-inline'">
<link rel="icon" href="data:,">
<title>${escapeHtml(title)}</title>
<style>
body { font: 17px/1.5 system-ui, sans-serif; max-width: 34rem; margin: 3rem auto; padding: 0 1rem; color: #1c1c1e; background: #fff }
button, input { font: inherit; padding: .6em 1.1em; margin: .2em; border-radius: .5em; border: 1px solid #8e8e93; background: #f2f2f7; color: inherit }
button[aria-pressed=true] { background: #0a5bd3; color: #fff }
@media (prefers-color-scheme: dark) { body { color: #f2f2f7; background: #1c1c1e } button, input { background: #2c2c2e } }
</style>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(texts[kind])}</p>
<p>${escapeHtml(texts.how)}</p>
<main id="main" aria-live="polite"></main>
<script>
'use strict'
const { testId, kind, trials, texts, data } = ${facts}
const sounds = new Map(data.map(([token, wav]) => [token, new Audio('data:audio/wav;base64,' + wav)]))
for (const sound of sounds.values()) sound.loop = true
const random = (count) => crypto.getRandomValues(new Uint32Array(1))[0] % count
const tokens = [...sounds.keys()]
const pairs = tokens.flatMap((one, i) => tokens.slice(i + 1).map((other) => [one, other]))
const plan = Array.from({ length: trials }, (_, i) => {
  const [one, other] = pairs[i % pairs.length]
  const [a, b] = random(2) ? [one, other] : [other, one]
  return kind === 'abx' ? { a, b, x: random(2) ? a : b } : { a, b }
})
for (let i = plan.length - 1; i > 0; i--) {
  const j = random(i + 1)
  ;[plan[i], plan[j]] = [plan[j], plan[i]]
}
const answered = []
const main = document.getElementById('main')
let playing
const stop = () => {
  if (playing) playing.pause()
  playing = undefined
}
const play = (token, button) => {
  const at = playing ? playing.currentTime : 0
  stop()
  playing = sounds.get(token)
  playing.currentTime = at
  playing.play()
  for (const one of main.querySelectorAll('[aria-pressed]')) one.setAttribute('aria-pressed', String(one === button))
}
const element = (name, text, onclick) => {
  const made = document.createElement(name)
  made.textContent = text
  if (onclick) made.onclick = () => onclick(made)
  return made
}
const answer = (trial, token) => {
  stop()
  answered.push({ ...trial, answer: token })
  show()
}
const show = () => {
  main.replaceChildren()
  const trial = plan[answered.length]
  if (!trial) return finish()
  main.append(element('h2', texts.of.replace('{n}', answered.length + 1).replace('{all}', trials)))
  const listen = document.createElement('p')
  for (const [name, token] of Object.entries({ A: trial.a, B: trial.b, ...(trial.x ? { X: trial.x } : {}) })) {
    const button = element('button', '\\u25b6 ' + name, (made) => play(token, made))
    button.setAttribute('aria-pressed', 'false')
    listen.append(button)
  }
  listen.append(element('button', texts.stop, stop))
  const choose = document.createElement('p')
  choose.append(element('button', texts.choose + ' A', () => answer(trial, trial.a)), element('button', texts.choose + ' B', () => answer(trial, trial.b)))
  if (kind === 'preference') choose.append(element('button', texts.none, () => answer(trial, null)))
  main.append(listen, choose)
}
const finish = () => {
  const name = element('input', '')
  name.placeholder = texts.name
  name.maxLength = 60
  name.setAttribute('aria-label', texts.name)
  const resultId = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  const save = element('button', texts.save, () => {
    const result = { loudsmith_listening_test: 1, test_id: testId, result_id: resultId, voter: name.value.trim(), trials: answered }
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([JSON.stringify(result, null, 2)], { type: 'application/json' }))
    link.download = 'listening-result-' + resultId.slice(0, 8) + '.json'
    link.click()
  })
  main.append(element('h2', texts.done), name, save)
}
show()
</script>
</html>
`
}
