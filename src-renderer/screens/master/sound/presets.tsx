/** Presets: the program's own, and settings the user saved under a name. */
import { SlidersHorizontal } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { Preset } from '../../../../src-contract/app.ts'
import type { MasterSettings } from '../../../../src-contract/settings.ts'
import { Button } from '../../../components/button.tsx'
import { Menu, Modal } from '../../../components/dialogs.tsx'
import { TextField } from '../../../components/text-field.tsx'
import { useApp, useSelect } from '../../../state/app-state.ts'
import { useWords } from '../../../text/context.tsx'
import { FACTORY_NAMES, FACTORY_PRESETS } from '../factory-presets.ts'
import { useScope } from '../use-batch.ts'
import { useLoadRecipe } from './recipe.tsx'

const NO_PRESETS: readonly Preset[] = []

/** Menu of the presets: factory presets can be chosen; user presets can be chosen, saved and deleted. */
export function Presets() {
  const { batch, notices } = useApp()
  const { t } = useWords()
  const { change } = useScope('sound')
  const known = useSelect(batch.store, (state) => state.batch?.presets) ?? NO_PRESETS
  const loadRecipe = useLoadRecipe(known, change)
  const [isNaming, setNaming] = useState(false)
  const trigger = useRef<HTMLButtonElement>(null)
  const remove = (gone: Preset) => {
    const others = (all: readonly Preset[]) => all.filter((preset) => preset.name !== gone.name)
    void batch.changePresets(others)
    notices.show({
      text: t.settings.presetDeleted(gone.name),
      undo: () => void batch.changePresets((all) => others(all).toSpliced(known.indexOf(gone), 0, gone)),
    })
  }
  return (
    <>
      <Menu
        label={t.settings.presets}
        items={[
          ...FACTORY_NAMES.map((preset) => ({
            text: t.sound.factory[preset].name,
            sentence: t.sound.factory[preset].sentence,
            onChoose: () =>
              change({ ...FACTORY_PRESETS[preset], skip_repairs: [...FACTORY_PRESETS[preset].skip_repairs] }),
          })),
          null,
          ...known.map((preset) => ({ text: preset.name, onChoose: () => change(withoutMix(preset.settings)) })),
          ...(known.length > 0 ? [null] : []),
          { text: t.settings.savePreset, onChoose: () => setNaming(true) },
          { text: t.settings.loadRecipe, onChoose: () => void loadRecipe() },
          ...known.map((preset) => ({
            text: t.settings.deletePreset(preset.name),
            isDanger: true,
            onChoose: () => remove(preset),
          })),
        ]}
        trigger={
          <Button ref={trigger} look="quiet" small icon={<SlidersHorizontal className="i s" aria-hidden="true" />}>
            {t.settings.presets}
          </Button>
        }
      />
      <Modal title={t.settings.savePreset} isOpen={isNaming} onClose={() => setNaming(false)} returnTo={trigger}>
        <PresetForm known={known} onEnd={() => setNaming(false)} />
      </Modal>
    </>
  )
}

/** The mix of its stems belongs to one song. */
const withoutMix = ({ stem_mix: _, ...settings }: MasterSettings): Partial<MasterSettings> => settings

/** Returns the functions that save the settings in scope as a preset, new or replacing another. */
function useKeepPreset() {
  const { batch, notices } = useApp()
  const { t } = useWords()
  const { settings } = useScope('sound')
  return {
    add(name: string) {
      if (settings) void batch.changePresets((all) => [...all, { name, settings: { ...settings, stem_mix: null } }])
    },
    replace(old: Preset) {
      if (!settings) return
      const put = (next: Preset) => (all: readonly Preset[]) =>
        all.map((preset) => (preset.name === old.name ? next : preset))
      void batch.changePresets(put({ ...old, settings: { ...settings, stem_mix: null } }))
      notices.show({
        text: t.settings.presetReplaced(old.name),
        undo: () => void batch.changePresets(put(old)),
      })
    },
  }
}

/** Form that names a preset; an existing name asks whether to replace that preset. */
function PresetForm({ known, onEnd }: { known: readonly Preset[]; onEnd: () => void }) {
  const { t } = useWords()
  const keep = useKeepPreset()
  const [name, setName] = useState('')
  const [isNameless, setNameless] = useState(false)
  /** The preset with that name, while the user is asked whether to replace it. */
  const [taken, setTaken] = useState<Preset | null>(null)
  const field = useRef<HTMLInputElement>(null)
  const replaceButton = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (taken) replaceButton.current?.focus()
  }, [taken])
  const save = (event: FormEvent) => {
    event.preventDefault()
    const trimmed = name.trim()
    if (!trimmed) {
      setNameless(true)
      return field.current?.focus()
    }
    const namesake = known.find((preset) => preset.name.normalize() === trimmed.normalize())
    // A new object each time, to focus the answer again.
    if (namesake) return setTaken({ ...namesake })
    keep.add(trimmed)
    onEnd()
  }
  const replace = (old: Preset) => {
    keep.replace(old)
    onEnd()
  }
  return (
    <form className="form" onSubmit={save}>
      <TextField
        ref={field}
        label={t.settings.presetName}
        value={name}
        maxLength={60}
        problem={taken ? t.settings.presetTaken(taken.name) : isNameless && t.settings.presetNameless}
        onChange={(next) => {
          setName(next)
          setNameless(false)
          setTaken(null)
        }}
      />
      <div className="row end">
        <Button look="quiet" onClick={onEnd}>
          {t.cancel}
        </Button>
        {taken ? (
          <Button key="replace" ref={replaceButton} onClick={() => replace(taken)}>
            {t.settings.replacePreset}
          </Button>
        ) : (
          <Button key="save" type="submit">
            {t.save}
          </Button>
        )}
      </div>
    </form>
  )
}
