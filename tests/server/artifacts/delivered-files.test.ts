/** Files of the user's that a job reads where they lie. */
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type JobFiles, StoredFiles } from '../../../src-server/artifacts/job-files.ts'
import { openRegularFile } from '../../../src-system/regular-file.ts'
import { systemRandom } from '../../../src-system/system.ts'

test('a song that is written to between its check and its copy is told as gone, and is used neither whole nor half', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'loudsmith-delivered-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const song = path.join(folder, 'song.wav')
  let isWritten = false
  const stored = new StoredFiles({
    openAllowed: (name) => openRegularFile(name),
    requireDisk: () => {
      if (isWritten) writeFileSync(song, 'THEIRS')
    },
    random: systemRandom,
    tmp: folder,
  })
  const files: JobFiles = {
    status: 'done',
    isExpired: false,
    source: {
      path: path.join(folder, 'moved out'),
      recordedPath: song,
      filename: 'song.wav',
      sha256: createHash('sha256').update('ours..').digest('hex'),
      format: 'wav',
    },
    delivered: { folder, sums: {} },
  }
  const read = () => stored.withSong(files, (copy) => readFileSync(copy, 'utf8'))
  writeFileSync(song, 'ours..')
  expect(await read()).toBe('ours..')
  isWritten = true
  await expect(read()).rejects.toMatchObject({ code: 'FILE_GONE' })
  await expect(read()).rejects.toMatchObject({ code: 'FILE_GONE' })
  expect(readdirSync(folder)).toEqual(['song.wav'])
})
