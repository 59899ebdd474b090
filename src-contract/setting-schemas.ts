/**
 * Schemas of the settings, made from their rows: for requests, answers, and text fields of a form. The engine imports the settings without
 * them and starts twice as fast.
 */
import Type, { type TNumber, type TOptional, type TProperties, type TSchema, type TUnsafe } from 'typebox'
import { exactly, oneOf, orNull } from './common.ts'
import { WrittenRecipe } from './recipe-schemas.ts'
import { SavedTarget, SavedTargets } from './saved-targets.ts'
import {
  FURTHER_NAMES,
  type FurtherName,
  type JobSettings,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
  SHOWN_IF_SET,
  type ShownIfSet,
  SUGGESTED_NAMES,
  type SuggestedName,
} from './settings.ts'

interface Forms {
  readonly accepted: TSchema
  readonly shown: TSchema
  readonly field: TSchema
}

/** Returns the schemas of a setting; answers have no bounds, since earlier versions may have had different ones. */
function formsOf(row: (typeof SETTINGS)[SettingName]): Forms {
  const description = row.fieldDescription ?? row.description
  switch (row.kind) {
    case 'choice': {
      const word = oneOf(row.values)
      return { accepted: word, shown: word, field: oneOf(row.values, row.fieldDescription, row.standard) }
    }
    case 'amount':
    case 'decimal': {
      const { minimum, maximum, standard } = row
      const number = row.kind === 'amount' ? Type.Integer : Type.Number
      return {
        accepted: number({ minimum, maximum }),
        shown: number(),
        field: number({ minimum, maximum, default: standard, description }),
      }
    }
    case 'optional_decimal': {
      const { minimum, maximum } = row
      return {
        accepted: orNull(Type.Number({ minimum, maximum })),
        shown: Type.Optional(Type.Number()),
        field: Type.Number({ minimum, maximum, description }),
      }
    }
    case 'words':
      return {
        accepted: Type.Array(oneOf(row.values), { uniqueItems: true }),
        shown: Type.Array(oneOf(row.values)),
        field: Type.String({ description: `${description} Comma-separated list of: ${row.values.join(', ')}.` }),
      }
    case 'flag':
      return {
        accepted: Type.Boolean(),
        shown: Type.Boolean(),
        field: Type.Boolean({ default: false, description }),
      }
    case 'text': {
      const { pattern, maxLength, examples } = row
      const form = { pattern, maxLength, examples }
      return {
        accepted: Type.String(form),
        shown: Type.String(),
        field: Type.String({ ...form, description }),
      }
    }
  }
}

const FORMS = Object.fromEntries(SETTING_NAMES.map((name) => [name, formsOf(SETTINGS[name])])) as Readonly<
  Record<SettingName, Forms>
>

type Accepted = { [Name in SettingName]: TUnsafe<JobSettings[Name]> }
type Shown = {
  [Name in SettingName]: Name extends ShownIfSet
    ? TOptional<TUnsafe<JobSettings[Name]>>
    : null extends JobSettings[Name]
      ? TOptional<TUnsafe<NonNullable<JobSettings[Name]>>>
      : TUnsafe<JobSettings[Name]>
}
type Fields = {
  [Name in SettingName]: TUnsafe<JobSettings[Name] extends readonly string[] ? string : NonNullable<JobSettings[Name]>>
}

/** Returns one schema for every setting, by name. Its values are those of `JobSettings`, which the compiler cannot see. */
function ofEach<Schemas>(schemaOf: (name: SettingName) => TSchema): Schemas {
  return Object.fromEntries(SETTING_NAMES.map((name) => [name, schemaOf(name)])) as Schemas
}

function optional<Properties extends TProperties>(properties: Properties) {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema as TSchema)]),
  ) as { [Name in keyof Properties]: TOptional<Properties[Name]> }
}

/** Schemas of the settings as values. */
export const ACCEPTED_SETTINGS = ofEach<Accepted>((name) => FORMS[name].accepted)

/** Schemas of the settings in answers. */
export const SHOWN_SETTINGS = ofEach<Shown>((name) => {
  const { shown } = FORMS[name]
  return SHOWN_IF_SET.some((other) => other === name) ? Type.Optional(shown) : shown
})
/** Mark of settings with a recipe in answers. */
export const HasRecipe = Type.Optional(
  Type.Literal(true, { description: 'Extension: a recipe was followed instead of a plan; it is in report.json.' }),
)
/** Identifier of the recipe in answers. */
export const RecipeId = Type.Optional(
  Type.String({
    description:
      'Extension: identifies the recipe that was followed, the same for the same JSON in any order of members.',
  }),
)
/** Targets in answers: their curves are left out. Weights are relative to that of the first reference and have no bounds. */
const { name } = SavedTarget.properties
const weight = Type.Optional(Type.Number({ description: 'Weight beside other references; 1 when absent.' }))
export const ShownTargets = Type.Optional(
  Type.Array(exactly({ name, weight }), { description: 'Extension: saved targets beside the reference.' }),
)
/** Schema of the targets in settings: null for none. */
export const SettingTargets = Type.Optional(orNull(SavedTargets))
/** Schema of the recipe in settings: null for none. */
export const SettingRecipe = Type.Optional(orNull(WrittenRecipe))

/** Schemas of the settings in a report; reports of earlier versions contain only the first ones. */
export const REPORTED_SETTINGS = {
  ...SHOWN_SETTINGS,
  ...optional(
    Object.fromEntries(FURTHER_NAMES.map((name) => [name, SHOWN_SETTINGS[name]])) as Pick<Shown, FurtherName>,
  ),
}
/** Schemas of the settings as optional text fields of a form. */
export const SETTING_FIELDS = optional(ofEach<Fields>((name) => FORMS[name].field))
/** Schemas of the settings in changes, all optional and without defaults. */
export const CHANGED_SETTINGS = optional(ACCEPTED_SETTINGS)
/** Schemas of the settings that an analysis suggests. */
export const SUGGESTED_SETTINGS = optional(
  Object.fromEntries(SUGGESTED_NAMES.map((name) => [name, FORMS[name].shown])) as Omit<
    Pick<Accepted, SuggestedName>,
    'target_lufs'
  > & { target_lufs: TNumber },
)
