/** Kinds of settings: each with the schemas by which it is accepted, answered and sent as a text field of a form. */
import Type, { type TOptional, type TSchema } from 'typebox'
import { oneOf, orNull } from './common.ts'
import { FADE_SHAPES } from './edges.ts'

export interface SettingTexts {
  /** Description in the API's documentation. */
  readonly description: string
  /** Description of the form field where it is another one. */
  readonly fieldDescription?: string
  /** Help of the command-line option, and what stands for its value there. */
  readonly help: { readonly en: string; readonly ko: string }
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
  return {
    ...texts,
    kind: 'choice' as const,
    values,
    standard,
    accepted: oneOf(values),
    shown: oneOf(values),
    field: oneOf(values, texts.fieldDescription, standard),
  }
}

type Bounds = { readonly minimum: number; readonly maximum: number }

/** Returns a setting that is a whole number within bounds. */
export function amount(bounds: Bounds, standard: number, texts: SettingTexts) {
  return {
    ...texts,
    ...bounds,
    kind: 'amount' as const,
    standard,
    accepted: Type.Integer(bounds),
    shown: Type.Integer(),
    field: Type.Integer({ ...bounds, default: standard, description: texts.fieldDescription ?? texts.description }),
  }
}

/** Returns a setting that is a decimal number within bounds. */
export function decimal(bounds: Bounds, standard: number, texts: SettingTexts) {
  return {
    ...texts,
    ...bounds,
    kind: 'decimal' as const,
    standard,
    accepted: Type.Number(bounds),
    shown: Type.Number(),
    field: Type.Number({ ...bounds, default: standard, description: texts.fieldDescription ?? texts.description }),
  }
}

/** Returns a setting that is a decimal number within bounds, or absent: null, which is the default. */
export function optionalDecimal(bounds: Bounds, texts: SettingTexts) {
  return {
    ...texts,
    ...bounds,
    kind: 'optional_decimal' as const,
    standard: null as number | null,
    accepted: orNull(Type.Number(bounds)),
    shown: Type.Optional(Type.Number()),
    field: Type.Number({ ...bounds, description: texts.fieldDescription ?? texts.description }),
  }
}

/** Returns a setting that is a list of words, each at most once; none is the default. */
export function words<const Words extends readonly string[]>(values: Words, texts: SettingTexts) {
  return {
    ...texts,
    kind: 'words' as const,
    values,
    standard: [] as Words[number][],
    accepted: Type.Array(oneOf(values), { uniqueItems: true }),
    shown: Type.Array(oneOf(values)),
    field: Type.String({
      description: `${texts.fieldDescription ?? texts.description} Comma-separated list of: ${values.join(', ')}.`,
    }),
  }
}

/** Returns a setting that is true or false; false is the default. */
export function flag(texts: SettingTexts) {
  return {
    ...texts,
    kind: 'flag' as const,
    standard: false,
    accepted: Type.Boolean(),
    shown: Type.Boolean(),
    field: Type.Boolean({ default: false, description: texts.fieldDescription ?? texts.description }),
  }
}

/** Returns a setting that is a text of a form; empty is the default. */
export function text(form: { readonly pattern: string; readonly maxLength: number }, texts: SettingTexts) {
  return {
    ...texts,
    ...form,
    kind: 'text' as const,
    standard: '',
    accepted: Type.String(form),
    shown: Type.String(),
    field: Type.String({ ...form, description: texts.fieldDescription ?? texts.description }),
  }
}

/** Returns a setting that is answered only where it is not the default: answers of a plain request stay as they were without it. */
export function shownIfSet<Shown extends TSchema, Setting extends { readonly shown: Shown }>(setting: Setting) {
  return { ...setting, shown: Type.Optional(setting.shown) as TOptional<Setting['shown']> }
}

/** Returns a setting of the edges that is a time, and nothing by default. */
export function seconds(maximum: number, description: string, help: SettingTexts['help']) {
  return shownIfSet(decimal({ minimum: 0, maximum }, 0, { ...extension(description), help, placeholder: 'seconds' }))
}

/** Returns a setting that is the curve of a fade. */
export function fadeShape(description: string, help: SettingTexts['help']) {
  return shownIfSet(choice(FADE_SHAPES, 'linear', { ...extension(description), help, placeholder: 'shape' }))
}
