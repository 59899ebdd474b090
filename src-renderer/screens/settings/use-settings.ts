/** The settings of this machine, and their changes. */
import type { Settings } from '../../../src-contract/app.ts'
import { useApp, useSelect } from '../../state/app-state.ts'
import { useAction } from './section.tsx'

/** Changes settings; a failure becomes the `problem` of the section. */
export type ChangeSettings = (change: Partial<Settings>) => void

/** Settings and state of the machine, null until they are read. `apply` throws ApiError where `change` sets `problem`. */
export function useSettings() {
  const { service } = useApp()
  const settings = useSelect(service.store, (state) => state.settings)
  const system = useSelect(service.store, (state) => state.system)
  const { problem, run } = useAction()
  const apply = (change: Partial<Settings>) => service.changeSettings(change)
  const change: ChangeSettings = (next) => void run(() => apply(next))
  return { settings, system, problem, change, apply }
}
