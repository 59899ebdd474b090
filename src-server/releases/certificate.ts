/** The delivery certificate: how the written files keep the rules of receivers, for people and for programs. Pure. */
import { checkDelivery } from '../../src-contract/distributors/check.ts'
import { type Distributor, distributorProfile } from '../../src-contract/distributors/index.ts'
import type { DeliveredRelease, DeliveryCheck, FileFacts } from '../../src-contract/distributors/rules.ts'
import type { Certificate, ReceiverCheck } from '../../src-contract/release-exports.ts'
import { OUTCOME_WORDS, remedyText, ruleTitle } from '../../src-contract/text/delivery.ts'
import type { Language } from '../../src-contract/text/text.ts'
import type { Signature } from './signing.ts'

/** A certificate with its signature, as certificate.json holds it. */
export interface SignedCertificate {
  readonly certificate: Certificate
  readonly signature: Signature
}

/** Returns the rules of receivers, checked on files, with sentences in `language`. */
export function receiverChecks(
  receivers: readonly Distributor[],
  release: DeliveredRelease,
  files: readonly FileFacts[],
  language: Language,
): ReceiverCheck[] {
  return receivers.map((receiver) => {
    const profile = distributorProfile(receiver)
    const checks = checkDelivery(profile, release, files)
    return {
      receiver,
      name: profile.name[language],
      edition: profile.edition,
      outcome: worst(checks),
      checks: checks.map(({ remedies, ...check }) => ({
        ...check,
        title: ruleTitle(check.rule, language),
        remedies: remedies.map((remedy) => ({ ...remedy, message: remedyText(check.rule, remedy.values, language) })),
      })),
    }
  })
}

function worst(checks: readonly DeliveryCheck[]): DeliveryCheck['outcome'] {
  const outcomes = checks.map(({ outcome }) => outcome)
  if (outcomes.includes('remedy')) return 'remedy'
  return outcomes.includes('not_measured') ? 'not_measured' : 'pass'
}

/** Returns the text that is signed: the certificate as JSON without blanks. Reading and writing it again gives the same text. */
export function signedText(certificate: Certificate): string {
  return JSON.stringify(certificate)
}

/** Returns certificate.json. */
export function certificateJson(signed: SignedCertificate): string {
  return `${JSON.stringify(signed, null, 2)}\n`
}

/** Returns a signed certificate; undefined for a text that is none. Never throws. */
export function readCertificate(text: string): SignedCertificate | undefined {
  try {
    const { certificate, signature } = JSON.parse(text) as Partial<SignedCertificate>
    const hasFiles =
      Array.isArray(certificate?.files) && certificate.files.every(({ name }) => typeof name === 'string')
    return certificate && signature && hasFiles ? { certificate, signature } : undefined
  } catch {
    return undefined
  }
}

const WORDS = {
  en: {
    heading: 'Delivery certificate',
    made: 'Made',
    files: 'Files',
    rules: 'Rules read',
    unapplied: (tracks: string) =>
      `Trim, fades and gaps of these tracks are not part of their files: ${tracks}. Only players that read the cue sheet make the gaps.`,
    advice: 'our advice',
    signed:
      'certificate.json holds these results signed. “loudsmith verify FOLDER” tells whether a file was changed since.',
  },
  ko: {
    heading: '납품 확인서',
    made: '작성',
    files: '파일',
    rules: '규칙 확인일',
    unapplied: (tracks: string) =>
      `다음 트랙의 자르기, 페이드, 간격은 파일에 반영되지 않았어요: ${tracks}. 간격은 큐 시트를 읽는 플레이어에서만 들려요.`,
    advice: '권장',
    signed:
      'certificate.json에 서명된 결과가 있어요. “loudsmith verify 폴더”로 그 뒤에 바뀐 파일이 있는지 확인할 수 있어요.',
  },
} as const

const STYLE = `body{font:14px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#111;background:#fff}
h2{margin:2rem 0 .5rem;break-after:avoid}table{border-collapse:collapse;width:100%}tr{break-inside:avoid}
th,td{text-align:left;vertical-align:top;padding:.3rem .6rem;border-bottom:1px solid #ccc}small{color:#555}
.remedy{font-weight:600;color:#a40000}.pass{color:#00602b}code{font-size:11px;word-break:break-all}
@media(prefers-color-scheme:dark){@media screen{body{color:#eee;background:#161616}small{color:#aaa}.remedy{color:#ff8a80}.pass{color:#7ddba3}th,td{border-color:#444}}}`

/** Returns certificate.html: one page that needs no other file and can be printed. */
export function certificateHtml(
  certificate: Omit<Certificate, 'files'> & Pick<Certificate, 'files'>,
  language: Language,
): string {
  const say = WORDS[language]
  const { title, artist, made_at, files, receivers, unapplied_tracks } = certificate
  const fileRows = files.map(({ name, sha256 }) => `<tr><td>${escaped(name)}</td><td><code>${sha256}</code></td></tr>`)
  const unapplied = unapplied_tracks.length > 0 ? `<p>${say.unapplied(unapplied_tracks.join(', '))}</p>` : ''
  return [
    `<!doctype html><html lang="${language}"><meta charset="utf-8"><title>${escaped(`${say.heading}: ${title}`)}</title>`,
    `<style>${STYLE}</style><h1>${say.heading}</h1><p><strong>${escaped(title)}</strong> · ${escaped(artist)}</p>`,
    `<p>${say.made}: ${made_at}</p>${unapplied}`,
    ...receivers.map((receiver) => receiverHtml(receiver, language)),
    `<h2>${say.files}</h2><table>${fileRows.join('')}</table><p>${escaped(say.signed)}</p></html>\n`,
  ].join('\n')
}

function receiverHtml({ name, edition, checks, outcome }: ReceiverCheck, language: Language): string {
  const say = WORDS[language]
  const rows = checks.map(({ title, source, confidence, outcome: own, remedies }) => {
    const told = remedies.map(
      ({ file, message }) => `<br>${file === undefined ? '' : `${escaped(file)}: `}${escaped(message)}`,
    )
    const advice = confidence === 'published' ? '' : `${say.advice}: `
    const state = `<td class="${own}">${OUTCOME_WORDS[own][language]}</td>`
    return `<tr><th scope="row">${title}<br><small>${advice}${escaped(source)}</small></th>${state}<td>${told.join('').replace(/^<br>/, '')}</td></tr>`
  })
  const state = `<span class="${outcome}">${OUTCOME_WORDS[outcome][language]}</span>`
  return `<h2>${escaped(name)}: ${state}</h2><small>${say.rules} ${edition}</small><table>${rows.join('')}</table>`
}

function escaped(text: string): string {
  const signs: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return text.replace(/[&<>"]/g, (sign) => signs[sign]!)
}
