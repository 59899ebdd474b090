import { open } from 'node:fs/promises'

/** Resolves when the bytes of a file would survive a loss of power. Rejects with the system's error. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.datasync()
  } finally {
    await file.close()
  }
}
