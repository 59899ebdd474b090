/** Files of the user's that a job reads where they lie. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { crc32 } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { type JobFiles, type KeptResult, StoredFiles } from '../../../src-server/artifacts/job-files.ts'
import { openRegularFile } from '../../../src-system/regular-file.ts'
import { systemRandom } from '../../../src-system/system.ts'
import { composeZip, type PackedFile } from '../../../src-worker/result/result-zip.ts'
import { zipBytes } from '../../support/result-files.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('a song that is written to between its check and its copy is told as gone, and is used neither whole nor half', async () => {
  const folder = temporaryFolder(onTestFinished)
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

test('what an earlier version delivered without the headers of its ZIP comes as the same ZIP every time, while its files are the same', async () => {
  const folder = temporaryFolder(onTestFinished)
  const stored = new StoredFiles({
    ...{ openAllowed: (name) => openRegularFile(name), requireDisk: () => {}, random: systemRandom, tmp: folder },
  })
  const packed = Object.entries({ 'song_melon.wav': 'melon', 'report.json': '{}' }).map(([file, text]): PackedFile => {
    writeFileSync(path.join(folder, file), text)
    const sha256 = createHash('sha256').update(text).digest('hex')
    return { file, kept: file, sizeBytes: text.length, sha256, crc32: crc32(text) }
  })
  const zip = composeZip('song_master_1', packed)
  const { headers: _, keptBytes: _bytes, ...facts } = zip
  const result: KeptResult = {
    ...{ folder: '/', copiesFolder: '/', reportJsonFile: 'report.json', reportHtmlFile: 'report.html' },
    zip: { ...facts, sha256: 'old', entries: zip.entries.map(({ kept: _kept, ...entry }) => entry) },
    masters: [{ platform: 'melon', ...packed[0]! }],
  }
  const source = { path: '/', filename: 'song.wav', sha256: '', format: 'wav' as const }
  const sums = { 'report.json': packed[1]!.sha256 }
  const files: JobFiles = { status: 'done', isExpired: false, source, result, delivered: { folder, sums } }
  const send = () => stored.sendZip(files, { method: 'GET', headers: {} })
  for (let times = 0; times < 2; times++) {
    const answer = await send()
    expect(answer.headers.etag).toBe(`"${zip.sha256}"`)
    expect((await buffer(answer.bytes)).equals(zipBytes(folder, zip))).toBe(true)
  }
  writeFileSync(path.join(folder, 'report.json'), '[]')
  await expect(send()).rejects.toMatchObject({ code: 'FILE_GONE' })
})
