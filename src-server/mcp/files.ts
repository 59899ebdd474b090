/** Files that tools read and write: in the owner's allowed folders alone. */
import { openAsBlob } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { AllowedFolders } from '../access/allowed-folders.ts'
import type { ToolContext } from './tool.ts'

/** Returns the file access of tools. What is outside and what is missing are refused alike: PATH_NOT_ALLOWED. */
export function toolFiles(
  folders: Pick<AllowedFolders, 'file' | 'folder'>,
): Pick<ToolContext, 'openFile' | 'openFolder'> {
  return {
    async openFile(name) {
      const { path: real } = await folders.file(name)
      return { content: await openAsBlob(real), name: path.basename(name) }
    },
    async openFolder(name) {
      const folder = await folders.folder(name)
      return async (fileName, bytes) => {
        await mkdir(folder, { recursive: true })
        const { name: stem, ext } = path.parse(fileName)
        for (let copy = 1; ; copy++) {
          const file = path.join(folder, copy === 1 ? fileName : `${stem} ${copy}${ext}`)
          try {
            await writeFile(file, bytes, { flag: 'wx' })
            return file
          } catch (error) {
            if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
          }
        }
      }
    },
  }
}
