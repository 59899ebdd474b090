/** A recipe in place of the sound: its stages by name, and how one is loaded from a file. */
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Preset } from '../../../../src-contract/app.ts'
import type { WrittenRecipe } from '../../../../src-contract/recipe-schemas.ts'
import { recipeIn, withRecipe } from '../../../../src-contract/sent-recipe.ts'
import type { MasterSettings } from '../../../../src-contract/settings.ts'
import { Button } from '../../../components/button.tsx'
import { pickFiles } from '../../../components/pick-files.ts'
import { useApp } from '../../../state/app-state.ts'
import { refusalOf } from '../../../state/refusal.ts'
import { useWords } from '../../../text/context.tsx'

const SMALL = { className: 'i s', 'aria-hidden': true } as const

/** Returns the settings of the sound with a recipe in place of what would be planned. */
const soundOf = (recipe: WrittenRecipe): Partial<MasterSettings> => ({
  ...withRecipe({ recipe }),
  reference_source_id: null,
})

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Returns the function that lets the user choose a report.json or a recipe, keeps it as a preset and uses it. */
export function useLoadRecipe(known: readonly Preset[], change: (change: Partial<MasterSettings>) => void) {
  const { client, notices } = useApp()
  const { t, say } = useWords()
  return async () => {
    const [file] = await pickFiles(false, '.json,application/json')
    if (!file) return
    const value: unknown = await file
      .text()
      .then(JSON.parse)
      .then(recipeIn, () => null)
    if (!isObject(value)) return notices.show({ text: t.settings.noRecipe(file.name) })
    const taken = new Set(known.map(({ name }) => name))
    const wanted = file.name.replace(/\.json$/i, '').slice(0, 50) || t.settings.recipe
    let name = wanted
    for (let copy = 2; taken.has(name); copy++) name = `${wanted} ${copy}`
    try {
      // The service validates the recipe.
      const recipe = value as WrittenRecipe
      const saved = await client.call('savePreset', { params: { name }, body: { settings: { recipe } } })
      if (saved.settings.recipe) change(soundOf(saved.settings.recipe))
    } catch (error) {
      notices.show({ text: say(refusalOf(error)) })
    }
  }
}

interface RecipeSectionProps {
  recipe: WrittenRecipe
  change: (change: Partial<MasterSettings>) => void
  children: ReactNode
}

/** The stages of a recipe in their order. Each can be taken out, and undo puts it back. */
export function RecipeSection({ recipe, change, children }: RecipeSectionProps) {
  const { t } = useWords()
  const { stages } = recipe
  return (
    <section className="field recipe" aria-label={t.settings.recipe}>
      <div className="row">
        <h3 className="label grow">{t.settings.recipe}</h3>
        <Button look="quiet" small onClick={() => change({ recipe: null })}>
          {t.settings.removeRecipe}
        </Button>
      </div>
      <p className="tick">{t.settings.recipeWhat}</p>
      <ol>
        {stages.map(({ kind }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: stages have no identity but their place
          <li key={index} className="file">
            <span className="grow clip">{t.settings.stages[kind]}</span>
            <Button
              look="quiet"
              small
              label={t.settings.removeFurther(t.settings.stages[kind])}
              icon={<X {...SMALL} />}
              onClick={() => change({ recipe: { ...recipe, stages: stages.toSpliced(index, 1) } })}
            />
          </li>
        ))}
      </ol>
      {children}
      {stages.length === 0 && <p className="me">{t.settings.noStages}</p>}
    </section>
  )
}
