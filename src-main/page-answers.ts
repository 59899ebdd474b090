/** The main process's side of the bridge: checks every message and passes it to its handler. */
import type { WebContents } from 'electron'
import { CHOSEN_LANGUAGES, THEMES } from '../src-contract/app.ts'
import {
  type Appearance,
  COMMANDS,
  type DesktopSettings,
  type FfmpegChange,
  type IntakeReport,
  REQUESTS,
} from './bridge.ts'
import { createGate } from './ipc.ts'
import { coordinate, list, members, text, WrongMessageError, word } from './messages.ts'

const MAX_ID_LENGTH = 64
const MAX_DROPPED = 2000

export interface PageAnswers {
  chooseFolder(): Promise<string | null>
  addDropped(dropped: readonly { readonly filename: string; readonly path: string }[]): Promise<IntakeReport>
  revealMasters(jobId: string): Promise<boolean>
  revealFolder(folder: 'output' | 'data'): Promise<boolean>
  changeFfmpeg(change: FfmpegChange): Promise<boolean>
  readDesktopSettings(): DesktopSettings
  changeDesktopSettings(change: Partial<DesktopSettings>): DesktopSettings
  setAppearance(appearance: Appearance): void
  exportDiagnostics(): Promise<boolean>
  popUpMenu(x: number, y: number): void
  dragMasters(contents: WebContents, jobId: string, platforms: readonly string[] | null): Promise<void>
}

/** Answers pages of `origin` only. */
export function answerPage(origin: string, answers: PageAnswers): void {
  const gate = createGate(origin)
  gate.answer(REQUESTS.chooseFolder, answers.chooseFolder)
  gate.answer(REQUESTS.addFiles, (given) =>
    answers.addDropped(
      list(given, MAX_DROPPED, (one) => {
        const { filename, path } = members(one)
        return { filename: text(filename, 1024), path: text(path, 8192) }
      }),
    ),
  )
  gate.answer(REQUESTS.revealMasters, (jobId) => answers.revealMasters(text(jobId, MAX_ID_LENGTH)))
  gate.answer(REQUESTS.revealFolder, (folder) => answers.revealFolder(word(folder, ['output', 'data'])))
  gate.answer(REQUESTS.changeFfmpeg, (change) => answers.changeFfmpeg(word(change, ['choose', 'confirm', 'search'])))
  gate.answer(REQUESTS.readDesktopSettings, answers.readDesktopSettings)
  gate.answer(REQUESTS.changeDesktopSettings, (change) => answers.changeDesktopSettings(readSettingsChange(change)))
  gate.answer(REQUESTS.setAppearance, (given) => {
    const { theme, language } = members(given)
    answers.setAppearance({
      theme: word(theme, THEMES),
      language: word(language, CHOSEN_LANGUAGES),
    })
  })
  gate.answer(REQUESTS.exportDiagnostics, answers.exportDiagnostics)
  gate.answer(REQUESTS.popUpMenu, (x, y) => answers.popUpMenu(coordinate(x), coordinate(y)))
  gate.take(COMMANDS.dragMasters, (event, jobId, platforms) => {
    const names = platforms === null ? null : list(platforms, 16, (one) => text(one, 32))
    void answers.dragMasters(event.sender, text(jobId, MAX_ID_LENGTH), names)
  })
}

function readSettingsChange(value: unknown): Partial<DesktopSettings> {
  const change: Partial<Record<keyof DesktopSettings, boolean>> = {}
  for (const [name, setting] of Object.entries(members(value))) {
    if (typeof setting !== 'boolean') throw new WrongMessageError('a switch is true or false')
    change[word(name, ['openAtLogin', 'keepsRunning', 'notifies'])] = setting
  }
  return change
}
