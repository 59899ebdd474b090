/** The delivery certificate: the written files' compliance with the rules of receivers, ready to sign. Pure. */

import { unpublishedRules } from '../../src-contract/distributors/advice.ts'
import { ageInDays, isStale } from '../../src-contract/distributors/age.ts'
import { checkDelivery } from '../../src-contract/distributors/check.ts'
import { type Distributor, distributorProfile } from '../../src-contract/distributors/index.ts'
import {
  type DeliveredRelease,
  type DeliveryCheck,
  type FileFacts,
  SEARCHED,
  SEARCHED_ON,
} from '../../src-contract/distributors/rules.ts'
import type { Certificate, FileSet, ReceiverCheck } from '../../src-contract/release-exports.ts'
import { ageNote, remedyText, ruleTitle } from '../../src-contract/text/delivery.ts'
import type { Language } from '../../src-contract/text/language.ts'
import { parseForeignJson } from '../../src-system/foreign-json.ts'
import { fieldChecks, verdictsOf } from './readiness.ts'
import type { ReleaseRecord } from './release.ts'
import type { Signature } from './signing.ts'

/** A certificate with its signature: the content of certificate.json. */
export interface SignedCertificate {
  readonly certificate: Certificate
  readonly signature: Signature
}

/** Files of one set, with their measurements. */
export interface MeasuredSet {
  readonly set: FileSet
  readonly files: readonly FileFacts[]
}

interface CheckOptions {
  readonly language: Language
  readonly nowMs: number
  /** The release, for verdicts on it and its files; absent where no receiver was chosen. */
  readonly chosenFor?: Pick<ReleaseRecord, 'facts' | 'tracks'>
}

/**
 * Returns the checks of each receiver's rules with sentences in `language`, made on the set to deliver: the one that meets its rules best,
 * among equals the first.
 */
export function receiverChecks(
  receivers: readonly Distributor[],
  delivered: DeliveredRelease,
  sets: readonly [MeasuredSet, ...MeasuredSet[]],
  { language, nowMs, chosenFor }: CheckOptions,
): ReceiverCheck[] {
  return receivers.map((receiver) => {
    const profile = distributorProfile(receiver)
    const [best] = sets
      .map(({ set, files }) => ({ set, checks: checkDelivery(profile, delivered, files) }))
      .toSorted((one, other) => badness(one.checks) - badness(other.checks))
    const { set, checks } = best!
    const fields = chosenFor && fieldChecks(profile, chosenFor, language)
    const edition =
      checks
        .flatMap(({ read }) => read ?? [])
        .toSorted()
        .at(-1) ?? SEARCHED_ON
    return {
      receiver,
      name: profile.name[language],
      edition,
      outcome: worst(checks),
      upload: set,
      ...(fields ? { verdicts: verdictsOf(checks, fields), fields } : {}),
      unknown_rules: unpublishedRules(profile).map((rule) => ({
        rule,
        title: ruleTitle(rule, language),
        searched: SEARCHED[language],
      })),
      checks: checks.map(({ remedies, ...check }) => ({
        ...check,
        ...(isStale(check, nowMs) ? { age_note: ageNote(ageInDays(check, nowMs), language) } : {}),
        title: ruleTitle(check.rule, language),
        remedies: remedies.map((remedy) => ({ ...remedy, message: remedyText(check.rule, remedy.values, language) })),
      })),
    }
  })
}

/** A broken rule of a receiver weighs more than any number of pieces of advice and of things that were not measured. */
function badness(checks: readonly DeliveryCheck[]): number {
  const isBroken = ({ outcome }: DeliveryCheck) => outcome === 'remedy'
  const isRule = ({ confidence }: DeliveryCheck) => confidence === 'published'
  const broken = checks.filter(isBroken)
  const rules = broken.filter(isRule).length
  const unknown = checks.filter(({ outcome }) => outcome === 'not_measured').length
  return rules * 10_000 + (broken.length - rules) * 100 + unknown
}

function worst(checks: readonly DeliveryCheck[]): DeliveryCheck['outcome'] {
  const outcomes = checks.map(({ outcome }) => outcome)
  if (outcomes.includes('remedy')) return 'remedy'
  return outcomes.includes('not_measured') ? 'not_measured' : 'pass'
}

/** Returns the text to sign: the certificate as compact JSON. Parsing and serialising it gives the same text. */
export function signedText(certificate: Certificate): string {
  return JSON.stringify(certificate)
}

/** Returns certificate.json. */
export function certificateJson(signed: SignedCertificate): string {
  return `${JSON.stringify(signed, null, 2)}\n`
}

/** Parses a signed certificate; undefined for any other bytes. Never throws. */
export function readCertificate(bytes: Uint8Array): SignedCertificate | undefined {
  try {
    const { certificate, signature } = parseForeignJson(bytes) as Partial<SignedCertificate>
    if (!certificate || !signature) return undefined
    const { files, title, made_at: madeAt } = certificate
    const texts = [title, madeAt, ...files.flatMap(({ name, sha256 }) => [name, sha256])]
    return texts.every((text) => typeof text === 'string') ? { certificate, signature } : undefined
  } catch {
    return undefined
  }
}
