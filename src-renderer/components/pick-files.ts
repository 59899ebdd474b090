/** The file dialog of the browser or the desktop. */

const ACCEPT = '.mp3,.wav,.wave,.flac,audio/mpeg,audio/wav,audio/flac'

/** Asks for song files; answers an empty list when the dialog is left. Never throws. */
export function pickFiles(isMultiple: boolean): Promise<File[]> {
  return new Promise((resolve) => {
    const input = document.createElement('input')
    input.type = 'file'
    input.accept = ACCEPT
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
