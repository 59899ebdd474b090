/** The ffmpeg setting: the page requests a change, and only an answer in a system dialog makes it. */
import { dialog } from 'electron'
import type { FfmpegChange } from './bridge.ts'
import type { Service } from './service.ts'
import type { Words } from './text.ts'
import type { MainWindow } from './window.ts'

export interface FfmpegChoiceDeps {
  readonly window: Pick<MainWindow, 'owner'>
  readonly words: () => Words
  /** Acts with the control credential, which the page does not have. */
  readonly service: Pick<Service, 'call'>
}

/** Returns the functions that change the ffmpeg setting: true if changed; a refusal is shown in a dialog. */
export function createFfmpegChoice({ window, words, service }: FfmpegChoiceDeps): {
  changeFfmpeg(change: FfmpegChange): Promise<boolean>
} {
  const show = (options: Electron.MessageBoxOptions) => {
    const owner = window.owner()
    return owner ? dialog.showMessageBox(owner, options) : dialog.showMessageBox(options)
  }
  async function choosePath(present: string | null): Promise<string | null> {
    const options: Electron.OpenDialogOptions = {
      title: words().chooseFfmpeg,
      properties: ['openFile'],
      ...(present === null ? {} : { defaultPath: present }),
    }
    const owner = window.owner()
    const { filePaths } = await (owner ? dialog.showOpenDialog(owner, options) : dialog.showOpenDialog(options))
    return filePaths[0] ?? null
  }
  async function isConfirmed(message: string, detail: string): Promise<boolean> {
    const buttons = [words().ffmpegUse, words().cancel]
    const { response } = await show({
      type: 'question',
      message,
      detail,
      buttons,
      defaultId: 1,
      cancelId: 1,
      noLink: true,
    })
    return response === 0
  }
  return {
    async changeFfmpeg(change) {
      const { ffmpeg_path: present } = await service.call('readSettings')
      const path = change === 'choose' ? await choosePath(present) : change === 'confirm' ? present : null
      if (path === null && change !== 'search') return false
      const isMeant =
        path === null
          ? await isConfirmed(words().ffmpegSearch, present ?? '')
          : await isConfirmed(words().ffmpegRun, `${path}\n\n${words().ffmpegRunDetail}`)
      if (!isMeant) return false
      try {
        await service.call('changeSettings', { body: { ffmpeg_path: path } })
        return true
      } catch (cause) {
        const detail = cause instanceof Error ? cause.message : String(cause)
        void show({ type: 'warning', message: words().ffmpegRefused, detail, noLink: true })
        return false
      }
    },
  }
}
