import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { autostartEntry } from '../../src-main/autostart.ts'
import { FIRST_START, openRemembered, readRemembered } from '../../src-main/desktop-settings.ts'
import { logFiles, openLogFiles } from '../../src-main/log-files.ts'
import { onScreen } from '../../src-main/window-rules.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

let folder = ''
beforeEach(() => {
  folder = temporaryFolder(onTestFinished)
})

describe('what the desktop remembers', () => {
  it('does not start at login and ends with its window until the user says otherwise', () => {
    expect(readRemembered('').settings).toEqual({ openAtLogin: false, keepsRunning: false, notifies: true })
  })

  it('keeps choices over a restart', () => {
    const file = path.join(folder, 'deep', 'desktop.json')
    openRemembered(file).change({ appearance: { theme: 'light', language: 'ko' } })
    expect(openRemembered(file).read().appearance).toEqual({ theme: 'light', language: 'ko' })
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('starts as on the first day from a damaged or foreign file, and keeps what is sound in it', () => {
    for (const stored of ['{', 'null', '[]', '"x"']) expect(readRemembered(stored)).toEqual(FIRST_START)
    const partly = readRemembered(
      JSON.stringify({
        settings: { notifies: false, keepsRunning: 'yes' },
        window: { width: 5, height: 700, x: 'left' },
      }),
    )
    expect(partly.settings).toEqual({ openAtLogin: false, keepsRunning: false, notifies: false })
    expect(partly.window).toEqual({ width: FIRST_START.window.width, height: 700, isMaximized: false })
  })

  it('goes on when the disk refuses to remember', () => {
    const file = path.join(folder, 'desktop.json')
    mkdirSync(`${file}.new`)
    const remembered = openRemembered(file)
    remembered.change({ settings: { ...FIRST_START.settings, notifies: false } })
    expect(remembered.read().settings.notifies).toBe(false)
    expect(existsSync(file)).toBe(false)
  })
})

describe('the place of the window', () => {
  const display = { workArea: { x: 0, y: 0, width: 1920, height: 1080 } }
  const size = { width: 1280, height: 820, isMaximized: false }

  it('is where it was as long as a display shows a grip of it', () => {
    expect(onScreen({ ...size, x: 1790, y: 40 }, [display])).toEqual({ ...size, x: 1790, y: 40 })
    expect(onScreen({ ...size, x: -1000, y: 40 }, [display])).toMatchObject({ x: -1000 })
  })

  it('is chosen by the system when its display is gone', () => {
    for (const place of [
      { x: 2400, y: 40 },
      { x: 100, y: 1070 },
      { x: 100, y: -300 },
    ])
      expect(onScreen({ ...size, ...place }, [display])).toEqual(size)
    expect(onScreen({ ...size, x: 100, y: 100 }, [])).toEqual(size)
  })
})

describe('the log on disk', () => {
  it('never holds more than its files, and the newest line is in the first', () => {
    const write = openLogFiles(folder, { maxFileBytes: 100, maxFiles: 3 })
    for (let line = 0; line < 40; line++) write(`line ${line} ${'x'.repeat(20)}\n`)
    const files = logFiles(folder)
    expect(files.map((file) => path.basename(file))).toEqual(['loudsmith.log', 'loudsmith.1.log', 'loudsmith.2.log'])
    expect(readFileSync(files[0] ?? '', 'utf8')).toContain('line 39')
    for (const file of files) expect(statSync(file).size).toBeLessThanOrEqual(100)
  })

  it('goes on in the same file after a restart', () => {
    openLogFiles(folder)('before\n')
    openLogFiles(folder)('after\n')
    expect(readFileSync(path.join(folder, 'loudsmith.log'), 'utf8')).toBe('before\nafter\n')
    expect(statSync(path.join(folder, 'loudsmith.log')).mode & 0o777).toBe(0o600)
  })

  it('goes on in a file that cannot be put away, and puts it away once it can', () => {
    // As a program on Windows that has the file open.
    const held = path.join(folder, 'loudsmith.1.log')
    mkdirSync(held)
    const write = openLogFiles(folder, { maxFileBytes: 10, maxFiles: 2 })
    for (const line of ['one', 'two', 'three']) write(`${line}.....\n`)
    expect(readFileSync(path.join(folder, 'loudsmith.log'), 'utf8')).toBe('one.....\ntwo.....\nthree.....\n')
    rmSync(held, { recursive: true })
    write('four.....\n')
    expect(readFileSync(path.join(folder, 'loudsmith.log'), 'utf8')).toBe('four.....\n')
    expect(readFileSync(held, 'utf8')).toContain('three')
  })

  it('loses lines rather than the program when the folder cannot be written', () => {
    const blocked = path.join(folder, 'file')
    writeFileSync(blocked, '')
    const write = openLogFiles(path.join(blocked, 'logs'))
    expect(() => write('line\n')).not.toThrow()
    expect(logFiles(path.join(blocked, 'logs'))).toEqual([])
  })
})

describe('start at login on Linux', () => {
  it('names the program so that spaces, quotes and percent signs in its path stay part of it', () => {
    const entry = autostartEntry(['/opt/My "Apps"/100%/loudsmith', '--hidden'])
    // The quote is escaped once for the quoting, and that backslash once more as part of a text.
    expect(entry).toContain(String.raw`Exec="/opt/My \\"Apps\\"/100%%/loudsmith" "--hidden"`)
    expect(entry.startsWith('[Desktop Entry]\nType=Application\n')).toBe(true)
  })
})
