/** Kinds of settings, as plain values: the allowed values, the default and the texts. The schemas are made in setting-schemas.ts. */
import { FADE_SHAPES } from './edges.ts'
import type { LocalizedText } from './text/language.ts'

export interface SettingTexts {
  /** Description in the API's documentation. */
  readonly description: string
  /** Description of the form field if it differs. */
  readonly fieldDescription?: string
  /** Help of the command-line option, and the placeholder of its value. */
  readonly help: LocalizedText
  readonly placeholder: string
}

/** Returns the descriptions of a setting that the specification does not have. */
export function extension(description: string): Pick<SettingTexts, 'description' | 'fieldDescription'> {
  return { description, fieldDescription: `Extension: ${description.charAt(0).toLowerCase()}${description.slice(1)}` }
}

/** Returns a setting that is one word of a list. */
export function choice<const Words extends readonly string[]>(
  values: Words,
  standard: Words[number],
  texts: SettingTexts,
) {
  return { ...texts, kind: 'choice' as const, values, standard }
}

type Bounds = { readonly minimum: number; readonly maximum: number }

/** Returns a setting that is a whole number within bounds. */
export function amount(bounds: Bounds, standard: number, texts: SettingTexts) {
  return { ...texts, ...bounds, kind: 'amount' as const, standard }
}

/** Returns a setting that is a decimal number within bounds. */
export function decimal(bounds: Bounds, standard: number, texts: SettingTexts) {
  return { ...texts, ...bounds, kind: 'decimal' as const, standard }
}

/** Returns a setting that is a decimal number within bounds, or absent: null, which is the default. */
export function optionalDecimal(bounds: Bounds, texts: SettingTexts) {
  return { ...texts, ...bounds, kind: 'optional_decimal' as const, standard: null as number | null }
}

/** Returns a setting that is a list of words, each at most once; empty by default. */
export function words<const Words extends readonly string[]>(values: Words, texts: SettingTexts) {
  return { ...texts, kind: 'words' as const, values, standard: [] as Words[number][] }
}

/** Returns a setting that is true or false; false is the default. */
export function flag(texts: SettingTexts) {
  return { ...texts, kind: 'flag' as const, standard: false as boolean }
}

/** Returns a setting that is a text of a form; empty is the default. */
export function text(
  form: { readonly pattern: string; readonly maxLength: number; readonly examples: string[] },
  texts: SettingTexts,
) {
  return { ...texts, ...form, kind: 'text' as const, standard: '' as string }
}

/** Returns a setting of the edges that is a time, 0 by default. */
export function seconds(maximum: number, description: string, help: SettingTexts['help']) {
  return decimal({ minimum: 0, maximum }, 0, { ...extension(description), help, placeholder: 'seconds' })
}

/** Returns a setting that is the curve of a fade. */
export function fadeShape(description: string, help: SettingTexts['help']) {
  return choice(FADE_SHAPES, 'linear', { ...extension(description), help, placeholder: 'shape' })
}
