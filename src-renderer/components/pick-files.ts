/** The file dialog of the browser or the desktop. */
import { SONG_MEDIA_TYPES } from '../../src-contract/common.ts'
import { ANY_EXTENSIONS } from '../../src-contract/song-files.ts'

const SONGS = [...ANY_EXTENSIONS.map((extension) => `.${extension}`), ...SONG_MEDIA_TYPES, '.zip'].join()
export const PICTURES = '.jpg,.jpeg,.png,image/jpeg,image/png'
export const TABLES = '.csv,text/csv'

/** Asks for files, by default songs; returns an empty list if the dialog is cancelled. Never throws. */
export function pickFiles(isMultiple: boolean, accept = SONGS): Promise<File[]> {
  return new Promise((resolve) => {
    const input = document.createElement('input')
    input.type = 'file'
    input.accept = accept
    input.multiple = isMultiple
    input.hidden = true
    const finish = () => {
      resolve([...(input.files ?? [])])
      input.remove()
    }
    input.addEventListener('change', finish, { once: true })
    input.addEventListener('cancel', finish, { once: true })
    document.body.append(input)
    input.click()
  })
}
