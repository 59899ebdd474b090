/** The masters that are made: platforms, and the one for all services. */
import { useCallback } from 'react'
import { RELEASE } from '../../../src-contract/delivery-target.ts'
import { PLATFORMS, type Platform } from '../../../src-contract/platforms/index.ts'
import { useApp } from '../../state/app-state.ts'
import { useWords } from '../../text/context.tsx'
import { useScope } from './use-batch.ts'

/** Returns the function that turns a master on or off for the songs in the scope of delivery. At least one platform stays on. */
export function useMake(): (name: Platform | typeof RELEASE) => void {
  const { t } = useWords()
  const { notices } = useApp()
  const { settings, change } = useScope('delivery')
  return useCallback(
    (name) => {
      if (!settings) return
      if (name === RELEASE) return change({ release_master: !settings.release_master })
      const isOn = settings.platforms.includes(name)
      const platforms = PLATFORMS.filter((one) => (one === name ? !isOn : settings.platforms.includes(one)))
      if (platforms.length > 0) change({ platforms })
      else notices.show({ text: t.settings.onePlatform })
    },
    [settings, change, notices, t],
  )
}
