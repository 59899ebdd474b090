import { beforeEach, describe, expect, it, vi } from 'vitest'
import { wordsOf } from '../../src-main/text.ts'

const dialog = vi.hoisted(() => ({ showOpenDialog: vi.fn(), showMessageBox: vi.fn() }))
vi.mock('electron', () => ({ dialog }))
const { createFfmpegChoice } = await import('../../src-main/ffmpeg-choice.ts')

/** A choice over a service in which `present` is set, and what it was asked to change. */
function choice(present: string | null, refuse?: Error, language: 'en' | 'ko' = 'en') {
  const changes: unknown[] = []
  const call = async (name: string, parts?: { body: unknown }) => {
    if (name === 'readSettings') return { ffmpeg_path: present }
    changes.push(parts?.body)
    if (refuse) throw refuse
    return { ffmpeg_path: present }
  }
  const service = { call } as never
  const window = { owner: () => undefined }
  return { changes, ...createFfmpegChoice({ window, words: () => wordsOf(language), service }) }
}

beforeEach(() => {
  dialog.showOpenDialog.mockReset().mockResolvedValue({ filePaths: ['/opt/ffmpeg'] })
  dialog.showMessageBox.mockReset().mockResolvedValue({ response: 0 })
})

describe('a change of the ffmpeg that the page asks for', () => {
  it('is made with the program that the user chose and confirmed in dialogs of the system', async () => {
    const { changes, changeFfmpeg } = choice(null)
    expect(await changeFfmpeg('choose')).toBe(true)
    expect(changes).toEqual([{ ffmpeg_path: '/opt/ffmpeg' }])
    const [question] = dialog.showMessageBox.mock.calls[0] ?? []
    expect(question).toMatchObject({
      type: 'question',
      message: 'Run this program as ffmpeg?',
      cancelId: 1,
      defaultId: 1,
    })
    expect(question.detail).toContain('/opt/ffmpeg')
  })

  it('is not made when a dialog is closed or the question is declined, whatever was asked', async () => {
    dialog.showOpenDialog.mockResolvedValue({ filePaths: [] })
    const closed = choice(null)
    expect([await closed.changeFfmpeg('choose'), closed.changes]).toEqual([false, []])
    dialog.showOpenDialog.mockResolvedValue({ filePaths: ['/opt/ffmpeg'] })
    dialog.showMessageBox.mockResolvedValue({ response: 1 })
    for (const change of ['choose', 'confirm', 'search'] as const) {
      const declined = choice('/opt/mine')
      expect([await declined.changeFfmpeg(change), declined.changes]).toEqual([false, []])
    }
  })

  it('confirms the program that is set, by its path, and takes it away', async () => {
    const { changes, changeFfmpeg } = choice('/opt/mine', undefined, 'ko')
    expect([await changeFfmpeg('confirm'), await changeFfmpeg('search')]).toEqual([true, true])
    expect(changes).toEqual([{ ffmpeg_path: '/opt/mine' }, { ffmpeg_path: null }])
    const [first, second] = dialog.showMessageBox.mock.calls.flat() as { message: string; detail: string }[]
    expect(first?.detail).toContain('/opt/mine')
    for (const asked of [first, second]) expect(asked?.message).toMatch(/[가-힣]/)
    expect(dialog.showOpenDialog).not.toHaveBeenCalled()
  })

  it('asks nothing where there is nothing to confirm', async () => {
    const { changes, changeFfmpeg } = choice(null)
    expect([await changeFfmpeg('confirm'), changes]).toEqual([false, []])
    expect(dialog.showMessageBox).not.toHaveBeenCalled()
  })

  it('that the service refuses is said beside the window, with why', async () => {
    const { changeFfmpeg } = choice(null, new Error('This program is not ffmpeg.'))
    expect(await changeFfmpeg('choose')).toBe(false)
    expect(dialog.showMessageBox.mock.calls[1]?.[0]).toMatchObject({
      type: 'warning',
      message: 'This program cannot be used as ffmpeg.',
      detail: 'This program is not ffmpeg.',
    })
  })
})
