import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { errorOf } from '../../src-contract/client.ts'
import { argumentValue, filesInArguments, portFrom } from '../../src-main/arguments.ts'
import { findSongs, realFiles, takeSongs } from '../../src-main/intake.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** As Windows lists what lies in OneDrive. */
const cloud = vi.hoisted(() => ({ isOn: false }))
vi.mock('node:fs/promises', async (original) => {
  const fs = await original<typeof import('node:fs/promises')>()
  const readdir = async (folder: string, options: { withFileTypes: true }) => {
    const entries = await fs.readdir(folder, options)
    const isLink = { isFile: () => false, isDirectory: () => false, isSymbolicLink: () => true }
    return entries.map((entry) => (cloud.isOn ? Object.assign(entry, isLink) : entry))
  }
  return { ...fs, readdir }
})

const folder = temporaryFolder()

beforeAll(() => {
  mkdirSync(path.join(folder, 'album', 'disc 2'), { recursive: true })
  mkdirSync(path.join(folder, 'album', '.cache'))
  for (const name of ['10 last.wav', '2 second.mp3', '1 first.FLAC', 'cover.jpg', '.hidden.wav'])
    writeFileSync(path.join(folder, 'album', name), name)
  writeFileSync(path.join(folder, 'album', '.cache', 'copy.wav'), '')
  writeFileSync(path.join(folder, 'album', 'disc 2', '1.wav'), '')
  symlinkSync(path.join(folder, 'album'), path.join(folder, 'album', 'loop'))
})

const names = (files: readonly string[]) => files.map((file) => path.relative(path.join(folder, 'album'), file))

describe('files from the desktop', () => {
  it('brings the songs of a dropped folder in the order that a person counts, without hidden files and without loops', async () => {
    const songs = ['1 first.FLAC', '2 second.mp3', '10 last.wav', path.join('disc 2', '1.wav')]
    expect(names(await findSongs([path.join(folder, 'album')]))).toEqual(songs)
    cloud.isOn = true
    onTestFinished(() => {
      cloud.isOn = false
    })
    expect(names(await findSongs([path.join(folder, 'album')]))).toEqual(songs)
  })

  it('takes a file that was named itself whatever its extension, so that the server can say why it is refused', async () => {
    expect(names(await findSongs([path.join(folder, 'album', 'cover.jpg')]))).toEqual(['cover.jpg'])
  })

  it('takes a song once when it is dropped together with its folder', async () => {
    const song = path.join(folder, 'album', '2 second.mp3')
    expect(
      names(await findSongs([song, path.join(folder, 'album'), song])).filter((name) => name === '2 second.mp3'),
    ).toHaveLength(1)
  })

  it('goes on after a refused song and reports each with the reason of the server', async () => {
    const stored: string[] = []
    const values = { duration: '11:20' }
    const report = await takeSongs(['/m/a.wav', '/m/b.wav', '/m/c.wav'], async (file) => {
      if (file === '/m/b.wav') throw errorOf({ error: { code: 'FILE_TOO_LONG', message: '11:20.', values } })
      if (file === '/m/c.wav') throw new Error('EACCES')
      stored.push(file)
      return { source_id: 'first' }
    })
    expect(stored).toEqual(['/m/a.wav'])
    expect(report).toEqual({
      sourceIds: ['first'],
      refused: [
        { filename: 'b.wav', code: 'FILE_TOO_LONG', values },
        { filename: 'c.wav', code: 'UNREADABLE' },
      ],
    })
  })

  it('says that a folder holds no song instead of doing nothing', async () => {
    const empty = mkdtempSync(path.join(folder, 'empty-'))
    const report = await takeSongs([empty], async () => ({ source_id: 'never' }))
    expect(report.refused).toEqual([{ filename: path.basename(empty), code: 'NO_SONGS' }])
  })

  it('refuses a file that a page made up, which has no path', () => {
    const { paths, refused } = realFiles([
      { filename: 'real.wav', path: path.resolve('/music/real.wav') },
      { filename: 'made-up.wav', path: '' },
      { filename: 'relative.wav', path: '../relative.wav' },
    ])
    expect(paths).toEqual([path.resolve('/music/real.wav')])
    expect(refused.map((one) => one.filename)).toEqual(['made-up.wav', 'relative.wav'])
  })
})

describe('the command line', () => {
  it('finds the songs that another start hands over, relative to the folder it was started in', () => {
    expect(filesInArguments(['loudsmith', '--port=0', '.', 'a.wav', 'b.txt', '/x/c.flac'], '/music')).toEqual([
      path.resolve('/music/a.wav'),
      path.resolve('/x/c.flac'),
    ])
  })

  it('reads a value after an equals sign or as the next word', () => {
    expect(argumentValue(['--data-dir=/a=b'], 'data-dir')).toBe('/a=b')
    expect(argumentValue(['--data-dir', '/c'], 'data-dir')).toBe('/c')
    expect(argumentValue(['--other'], 'data-dir')).toBeUndefined()
  })

  it('takes the usual port unless told otherwise and refuses what is no port', () => {
    expect(portFrom(undefined)).toBe(47310)
    expect(portFrom('0')).toBe(0)
    for (const wrong of ['', '65536', '-1', '80a']) expect(() => portFrom(wrong)).toThrow(/--port/)
  })
})
