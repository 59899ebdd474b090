/** State of the desktop kept between starts in one small JSON file: window position, appearance and the user's choices. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { CHOSEN_LANGUAGES, THEMES } from '../src-contract/app.ts'
import type { Appearance, DesktopSettings } from './bridge.ts'

export interface WindowPlace {
  readonly x?: number
  readonly y?: number
  readonly width: number
  readonly height: number
  readonly isMaximized: boolean
}

export interface Remembered {
  readonly settings: DesktopSettings
  readonly appearance: Appearance
  readonly window: WindowPlace
}

export const FIRST_START: Remembered = {
  settings: { openAtLogin: false, keepsRunning: false, notifies: true },
  appearance: { theme: 'system', language: 'system' },
  window: { width: 1280, height: 820, isMaximized: false },
}

const isSize = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 200
const isPlace = (value: unknown): value is number => Number.isInteger(value)

/** Reads the stored state; missing or mistyped values get those of the first start. Never throws. */
export function readRemembered(stored: string): Remembered {
  let value: Record<string, Record<string, unknown> | undefined>
  try {
    value = (JSON.parse(stored) as typeof value | null) ?? {}
  } catch {
    return FIRST_START
  }
  const { settings = {}, appearance = {}, window = {} } = value
  const flag = (name: keyof DesktopSettings) =>
    typeof settings[name] === 'boolean' ? settings[name] : FIRST_START.settings[name]
  const known = <Word extends string>(words: readonly Word[], given: unknown, otherwise: Word) =>
    words.find((one) => one === given) ?? otherwise
  return {
    settings: { openAtLogin: flag('openAtLogin'), keepsRunning: flag('keepsRunning'), notifies: flag('notifies') },
    appearance: {
      theme: known(THEMES, appearance.theme, 'system'),
      language: known(CHOSEN_LANGUAGES, appearance.language, 'system'),
    },
    window: {
      ...(isPlace(window.x) && isPlace(window.y) ? { x: window.x, y: window.y } : {}),
      width: isSize(window.width) ? window.width : FIRST_START.window.width,
      height: isSize(window.height) ? window.height : FIRST_START.window.height,
      isMaximized: window.isMaximized === true,
    },
  }
}

/** Opens the file. `change` replaces it atomically; write errors are ignored. */
export function openRemembered(file: string) {
  let current = FIRST_START
  try {
    current = readRemembered(readFileSync(file, 'utf8'))
  } catch {
    // The first start has no file yet.
  }
  return {
    read: () => current,
    change(change: Partial<Remembered>): void {
      current = { ...current, ...change }
      try {
        mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
        writeFileSync(`${file}.new`, JSON.stringify(current, null, 2), { mode: 0o600 })
        renameSync(`${file}.new`, file)
      } catch {
        // A read-only or full disk must not stop the work; the choice then lasts until the program ends.
      }
    },
  }
}
export type RememberedStore = ReturnType<typeof openRemembered>
