/** certificate.html: the delivery certificate for people, on a screen and on paper. Pure. */
import { formatFacts } from '../../src-contract/formats.ts'
import type {
  Certificate,
  ExportedFile,
  FileSet,
  ReceiverCheck,
  SoundFacts,
} from '../../src-contract/release-exports.ts'
import { COVER_CHANGE_WORDS } from '../../src-contract/text/color-models.ts'
import { OUTCOME_WORDS, VERDICT_WORDS } from '../../src-contract/text/delivery.ts'
import { SHEET_WORDS } from '../../src-contract/text/disclosure.ts'
import type { Language } from '../../src-contract/text/language.ts'
import { decibels, playingTime } from '../../src-contract/text/numbers.ts'
import { escapeHtml } from '../../src-worker/result/escape-html.ts'
import { sheetHtml } from './disclosure.ts'
import { PAGE_STYLE, page } from './page.ts'
import { sameSet, setName } from './set-names.ts'

const WORDS = {
  en: {
    heading: 'Delivery certificate',
    made: 'Made',
    tracks: (count: number) => (count === 1 ? '1 track' : `${count} tracks`),
    length: 'Length',
    receivers: 'Receivers',
    verdicts: 'Ready for upload?',
    filesFor: (name: string) => `Files for ${name}`,
    releaseFor: (name: string) => `Release for ${name}`,
    promise:
      'Ready means: no rule that was found on the receiver’s pages, as read on the day shown, is broken, and nothing is missing that it requires. It promises nobody’s decision.',
    loudness: 'Loudness',
    peak: 'Highest true peak',
    quietest: (low: string, high: string) => (low === high ? low : `${low} to ${high}`),
    mend: 'To be mended',
    nothing: 'Nothing: every rule that was measured is kept.',
    forWhom: 'For',
    everybody: 'all receivers',
    upload: 'Which files to upload',
    receiver: 'Receiver',
    set: 'Files',
    state: 'State',
    measured: 'Measured on the written files',
    columns: ['File', 'Form', 'Length', 'LUFS', 'dBTP', 'at 44.1 kHz', 'as a copy', 'Silence'],
    silence: (start: string, end: string) => `${start} / ${end} s`,
    cover: 'Cover',
    noTags: 'no tags',
    tags: 'tags',
    rules: 'Rules, one by one',
    read: 'Rules read on',
    advice: 'Advice',
    unknown: 'Unknown:',
    files: 'All files',
    name: 'Name',
    unapplied: (tracks: string) =>
      `The files of these tracks lack the trim, fades or gap that the release asks for: ${tracks}. Master the release, and export it again.`,
    signed:
      'certificate.json is signed with the key of this installation (Ed25519). “loudsmith verify FOLDER” tells which file has changed, is missing or was added since.',
    legend:
      'Every figure was measured after the file had been written and read back. “At 44.1 kHz”: true peak after the conversion that services make. “As a copy”: highest true peak of the lossy copies that listeners get. Silence is below −60 dBFS, at the start / at the end.',
  },
  ko: {
    heading: '납품 확인서',
    made: '작성',
    tracks: (count: number) => `트랙 ${count}개`,
    length: '길이',
    receivers: '받는 곳',
    verdicts: '올릴 준비가 됐나요?',
    filesFor: (name: string) => `${name}에 올릴 파일`,
    releaseFor: (name: string) => `${name}에 낼 릴리스`,
    promise:
      '준비됨은 받는 곳의 페이지에서 표시된 날짜에 읽은 규칙을 하나도 어기지 않고, 꼭 필요한 항목이 빠지지 않았다는 뜻이에요. 받는 곳의 심사 결과를 보장하지는 않아요.',
    loudness: '음량',
    peak: '최대 트루 피크',
    quietest: (low: string, high: string) => (low === high ? low : `${low} ~ ${high}`),
    mend: '고칠 점',
    nothing: '없음. 측정한 규칙을 모두 지켰어요.',
    forWhom: '대상',
    everybody: '받는 곳 전부',
    upload: '올릴 파일',
    receiver: '받는 곳',
    set: '파일',
    state: '상태',
    measured: '저장된 파일의 측정값',
    columns: ['파일', '형식', '길이', 'LUFS', 'dBTP', '44.1 kHz에서', '손실 압축 뒤', '무음'],
    silence: (start: string, end: string) => `${start} / ${end}초`,
    cover: '커버',
    noTags: '태그 없음',
    tags: '태그 있음',
    rules: '규칙별 결과',
    read: '규칙 확인일',
    advice: '권장',
    unknown: '알 수 없음:',
    files: '모든 파일',
    name: '이름',
    unapplied: (tracks: string) =>
      `다음 트랙의 자르기, 페이드, 간격은 파일에 반영되지 않았어요: ${tracks}. 릴리스를 마스터링한 뒤 다시 내보내세요.`,
    signed:
      'certificate.json에 이 설치본의 키(Ed25519)로 서명했어요. “loudsmith verify 폴더”로 그 뒤에 바뀌거나 없어지거나 더해진 파일을 확인할 수 있어요.',
    legend:
      '모든 값은 파일을 저장한 뒤 다시 읽어 측정했어요. “44.1 kHz에서”는 서비스가 변환한 뒤의 트루 피크, “손실 압축 뒤”는 듣는 사람이 받는 압축본의 가장 높은 트루 피크예요. 무음은 −60 dBFS 아래이고 시작 / 끝 순서예요.',
  },
} as const

type Content = Omit<Certificate, 'files'> & { readonly files: readonly ExportedFile[] }
type SoundFile = ExportedFile & { readonly sound: SoundFacts }

/** Returns certificate.html: one page that needs no other file and can be printed. */
export function certificateHtml(certificate: Content, language: Language): string {
  const say = WORDS[language]
  const { title, receivers, unapplied_tracks, disclosure, cover } = certificate
  const unapplied =
    unapplied_tracks.length > 0 ? `<p class="note">${say.unapplied(unapplied_tracks.join(', '))}</p>` : ''
  const sounds = certificate.files.filter((file): file is SoundFile => file.sound !== undefined)
  const body = [
    heading(certificate, sounds, language),
    verdictsHtml(receivers, language),
    `<section><h2>${say.mend}</h2>${mending(receivers, language)}${unapplied}</section>`,
    `<section><h2>${say.upload}</h2>${uploads(receivers, language)}</section>`,
    `<section><h2>${say.measured}</h2><p class="note">${say.legend}</p>${measurements(sounds, language)}${cover ? coverHtml(cover, language) : ''}</section>`,
    ...(disclosure
      ? [`<section><h2>${SHEET_WORDS[language].heading}</h2>${sheetHtml(disclosure, language)}</section>`]
      : []),
    `<section><h2>${say.rules}</h2><div class="receivers">${receivers.map((one) => receiverHtml(one, language)).join('')}</div></section>`,
    `<section><h2>${say.files}</h2>${fileTable(certificate.files, language)}</section>`,
    `<p class="foot">${escapeHtml(say.signed)} Loudsmith ${escapeHtml(certificate.app_version)} · ${certificate.release_id}</p>`,
  ]
  return page({ language, title: `${say.heading}: ${title}`, style: PAGE_STYLE, body: body.join('\n') })
}

function coverHtml(
  { width_px, height_px, changes = [] }: NonNullable<Certificate['cover']>,
  language: Language,
): string {
  const told = changes.map((change) => ` ${COVER_CHANGE_WORDS[change][language]}`)
  return `<p class="note">${WORDS[language].cover}: ${width_px} × ${height_px}.${told.join('')}</p>`
}

function heading({ title, artist, made_at, receivers }: Content, sounds: readonly SoundFile[], language: Language) {
  const say = WORDS[language]
  const first = sounds[0]?.sound
  const own = sounds.filter(({ sound }) => first && sameSet(sound, first)).map(({ sound }) => sound)
  const levels = own.flatMap(({ integrated_lufs }) => integrated_lufs ?? [])
  const peaks = own.flatMap(({ true_peak_dbtp }) => true_peak_dbtp ?? [])
  const figures = [
    [
      say.receivers,
      receivers[0]?.verdicts ? receivers.map(({ name }) => escapeHtml(name)).join(', ') : receivers.length,
      '',
    ],
    [say.length, playingTime(own.reduce((sum, { duration_seconds }) => sum + duration_seconds, 0)), ''],
    ...(levels.length > 0
      ? [[say.loudness, say.quietest(decibels(Math.min(...levels), 1), decibels(Math.max(...levels), 1)), 'LUFS']]
      : []),
    ...(peaks.length > 0 ? [[say.peak, decibels(Math.max(...peaks), 2), 'dBTP']] : []),
  ]
  const cells = figures.map(
    ([name, value, unit]) => `<div><dt>${name}</dt><dd>${value}<small>${unit}</small></dd></div>`,
  )
  return [
    `<header><p class="kind">${say.heading}</p><h1>${escapeHtml(title)}</h1><p class="by">${escapeHtml(artist)}</p>`,
    `<ul class="facts"><li><b>${say.tracks(own.length)}</b></li><li>${say.made} <b>${made_at.slice(0, 16).replace('T', ' ')} UTC</b></li></ul></header>`,
    `<dl class="sum">${cells.join('')}</dl>`,
  ].join('\n')
}

/** Verdicts of the chosen receivers, and the fields that fail them; empty if none was chosen. */
function verdictsHtml(receivers: readonly ReceiverCheck[], language: Language): string {
  const say = WORDS[language]
  const rows = receivers.flatMap(({ name, verdicts, fields = [] }) => {
    if (!verdicts) return []
    const lacking = fields.filter(({ need, state: own }) => need === 'required' && own === 'missing')
    const told = lacking.map(({ title, message }) => `<small>${title}: ${escapeHtml(message)}</small>`).join('')
    return [
      `<tr><th scope="row">${escapeHtml(say.filesFor(name))}</th><td class="n">${VERDICT_WORDS[verdicts.files][language]}</td></tr>`,
      `<tr><th scope="row">${escapeHtml(say.releaseFor(name))}${told}</th><td class="n">${VERDICT_WORDS[verdicts.release][language]}</td></tr>`,
    ]
  })
  if (rows.length === 0) return ''
  return `<section><h2>${say.verdicts}</h2><table><tbody>${rows.join('')}</tbody></table><p class="note">${say.promise}</p></section>`
}

/** Remedies, each once, with the receivers that ask for them and the files at fault. */
function mending(receivers: readonly ReceiverCheck[], language: Language): string {
  const say = WORDS[language]
  const found = new Map<string, { message: string; receivers: Set<string>; files: Set<string> }>()
  for (const { name, checks } of receivers) {
    for (const { rule, remedies } of checks) {
      for (const { file, message } of remedies) {
        const key = `${rule} ${message}`
        const entry = found.get(key) ?? { message, receivers: new Set(), files: new Set() }
        entry.receivers.add(name)
        if (file !== undefined) entry.files.add(file)
        found.set(key, entry)
      }
    }
  }
  if (found.size === 0) return `<p>${say.nothing}</p>`
  const items = [...found.values()].map((one) => {
    const files = one.files.size > 0 ? `<br>${[...one.files].map(escapeHtml).join(', ')}` : ''
    const isForAll = one.receivers.size === receivers.length && receivers.length > 1
    const whom = isForAll ? say.everybody : [...one.receivers].map(escapeHtml).join(', ')
    return `<li><b>${escapeHtml(one.message)}</b>${files}<br><small>${say.forWhom}: ${whom}</small></li>`
  })
  return `<ul class="mend">${items.join('')}</ul>`
}

function uploads(receivers: readonly ReceiverCheck[], language: Language): string {
  const say = WORDS[language]
  const rows = receivers.map(
    ({ name, upload, outcome }) =>
      `<tr><th scope="row">${escapeHtml(name)}</th><td>${escapeHtml(setName(upload, language))}</td><td class="n">${state(outcome, language)}</td></tr>`,
  )
  return `<table><thead><tr><th scope="col">${say.receiver}</th><th scope="col">${say.set}</th><th scope="col" class="n">${say.state}</th></tr></thead><tbody>${rows.join('')}</tbody></table>`
}

function measurements(sounds: readonly SoundFile[], language: Language): string {
  const say = WORDS[language]
  const sets: FileSet[] = []
  for (const { sound } of sounds) if (!sets.some((set) => sameSet(set, sound))) sets.push(sound)
  const head = say.columns.map((name, index) => `<th scope="col"${index > 1 ? ' class="n"' : ''}>${name}</th>`).join('')
  return sets
    .map((set) => {
      const rows = sounds.filter(({ sound }) => sameSet(sound, set)).map((file) => soundRow(file, language))
      return `<h3>${escapeHtml(setName(set, language))}</h3><div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`
    })
    .join('\n')
}

function soundRow({ name, sound }: SoundFile, language: Language): string {
  const say = WORDS[language]
  const { bit_depth, sample_rate_hz, has_tags } = sound
  const bits = bit_depth === null ? formatFacts(sound.format).name : `${bit_depth} bit`
  const form = `${bits} · ${sample_rate_hz / 1000} kHz<small>${has_tags ? say.tags : say.noTags}</small>`
  const silence = say.silence(decibels(sound.silence_start_seconds, 1), decibels(sound.silence_end_seconds, 1))
  const figures = [
    playingTime(sound.duration_seconds),
    decibels(sound.integrated_lufs, 1),
    ...[sound.true_peak_dbtp, sound.true_peak_44k_dbtp, sound.true_peak_copy_dbtp].map((peak) => decibels(peak, 2)),
    silence,
  ]
  return `<tr><th scope="row">${escapeHtml(name.split('/').at(-1)!)}</th><td>${form}</td>${figures.map((text) => `<td class="n">${text}</td>`).join('')}</tr>`
}

function receiverHtml(
  { name, edition, checks, outcome, fields = [], unknown_rules: unknown = [] }: ReceiverCheck,
  language: Language,
): string {
  const say = WORDS[language]
  const rows = checks.map(({ title, source, url, confidence, age_note, outcome: own, remedies }) => {
    const advice = confidence === 'published' ? '' : `${say.advice}: `
    const told = [...(age_note ? [age_note] : []), ...new Set(remedies.map(({ message }) => message))].map(
      (message) => `<small>${escapeHtml(message)}</small>`,
    )
    const page = url === undefined ? '' : `<br>${escapeHtml(url)}`
    return `<tr><th scope="row">${title}<small>${advice}${escapeHtml(source)}${page}</small>${told.join('')}</th><td>${state(own, language)}</td></tr>`
  })
  const asked = fields.flatMap(({ title, message, need, source, url }) => {
    if (need === 'unknown') return []
    const page = [source, url].filter((one) => one !== undefined).map((one) => escapeHtml(one))
    return `<tr><th scope="row">${title}<small>${page.join('<br>')}</small></th><td>${escapeHtml(message)}</td></tr>`
  })
  const lacking = unknown.map(({ title }) => title).join(', ')
  const more =
    unknown.length > 0 ? `<p><small>${say.unknown} ${lacking}: ${escapeHtml(unknown[0]!.searched)}.</small></p>` : ''
  return `<article><h3>${escapeHtml(name)} ${state(outcome, language)}</h3><small>${say.read} ${edition}</small><table><tbody>${rows.join('')}${asked.join('')}</tbody></table>${more}</article>`
}

function fileTable(files: readonly ExportedFile[], language: Language): string {
  const rows = files.map(({ name, sha256 }) => `<tr><td>${escapeHtml(name)}</td><td><code>${sha256}</code></td></tr>`)
  return `<table><thead><tr><th scope="col">${WORDS[language].name}</th><th scope="col">SHA-256</th></tr></thead><tbody>${rows.join('')}</tbody></table>`
}

function state(outcome: ReceiverCheck['outcome'], language: Language): string {
  return `<span class="state ${outcome}">${OUTCOME_WORDS[outcome][language]}</span>`
}
