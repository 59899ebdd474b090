/** Folder of another program of this user, who proves by a file in it that both mean the same one. */
import { type OpenFolder, openFolder } from '../../src-system/open-folder.ts'
import { withRegularFile } from '../../src-system/regular-file.ts'
import { AppError } from '../http/app-error.ts'

export interface ProvenFolder {
  /** Real path. */
  readonly folder: string
  /** Bytes of its probe. */
  readonly probe: string
}

/** File that only this user can read. */
const PROBE_FILE = 'probe'

/** Opens the folder. Throws PATH_NOT_ALLOWED for a folder without the probe, and where the system has no numbers of users. */
export async function openProvenFolder({ folder, probe }: ProvenFolder): Promise<OpenFolder> {
  const uid = process.getuid?.()
  let opened: OpenFolder | undefined
  try {
    if (uid === undefined) throw new Error('the user cannot be compared')
    opened = await openFolder(folder)
    await withRegularFile(opened.at(PROBE_FILE), { followsLink: false }, async (file) => {
      const { uid: owner, mode } = file.facts
      if (Number(owner) !== uid || (mode & 0o077n) !== 0n) throw new Error('others can read the probe')
      const bytes = await file.bytes({ maxBytes: probe.length })
      if (bytes.toString('latin1') !== probe) throw new Error('the probe has other bytes')
    })
    return opened
  } catch (cause) {
    await opened?.close()
    throw new AppError('PATH_NOT_ALLOWED', {}, { cause })
  }
}
