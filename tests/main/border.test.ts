import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { MenuItemConstructorOptions, Session } from 'electron'
import { describe, expect, it, onTestFinished } from 'vitest'
import yauzl from 'yauzl'
import { writeDiagnostics } from '../../src-main/diagnostics.ts'
import type { MenuActions } from '../../src-main/menu.ts'
import { menuTemplate } from '../../src-main/menu.ts'
import { coordinate, isOurPage, list, members, text, word } from '../../src-main/messages.ts'
import { guardSession, withHeader } from '../../src-main/session.ts'
import { languageOf, wordsOf } from '../../src-main/text.ts'
import { sampleRequest, trayTemplate } from '../../src-main/tray-menu.ts'
import { mayOpenOutside } from '../../src-main/window-rules.ts'
import { redact } from '../../src-system/redact.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const origin = 'http://127.0.0.1:47310'

/** Records what is installed on a session and lets a test ask it. */
function fakeSession() {
  // biome-ignore lint/suspicious/noExplicitAny: the listeners have a different shape at each stage
  const installed: Record<string, any> = {}
  const keep =
    (name: string) =>
    (...args: unknown[]) => {
      installed[name] = args.at(-1)
    }
  const session = {
    webRequest: {
      onBeforeRequest: keep('request'),
      onBeforeSendHeaders: keep('send'),
    },
    setPermissionRequestHandler: keep('permission'),
    setPermissionCheckHandler: keep('check'),
    setDevicePermissionHandler: keep('device'),
    setSpellCheckerEnabled: keep('spelling'),
  }
  guardSession(session as unknown as Session, origin, 'the-credential')
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const ask = (name: string, details: object): any =>
    new Promise((resolve) => installed[name](details, (answer: unknown) => resolve(answer)))
  return { installed, ask }
}

describe('the session of the window', () => {
  it('gives the credential to our own server and lets no request reach another', async () => {
    const { ask } = fakeSession()
    const { requestHeaders } = await ask('send', { requestHeaders: { authorization: 'Bearer page', Accept: '*/*' } })
    expect(requestHeaders).toEqual({ Accept: '*/*', Authorization: 'Bearer the-credential' })
    // Addresses that the page made itself reach no other machine.
    for (const url of [`${origin}/app/desk`, `blob:${origin}/1`, 'data:image/png;base64,AA=='])
      expect(await ask('request', { url }), url).toEqual({ cancel: false })
    for (const url of [
      'https://example.org/',
      'http://127.0.0.1:473100/x',
      'http://127.0.0.1:47310.evil.example/',
      'ws://x/',
      'file:///etc/passwd',
    ])
      expect(await ask('request', { url }), url).toEqual({ cancel: true })
  })

  it('refuses every permission but writing text to the clipboard', async () => {
    const { installed } = fakeSession()
    const granted = (name: string) => installed.check(null, name, origin)
    expect(granted('clipboard-sanitized-write')).toBe(true)
    expect(installed.check(null, 'clipboard-sanitized-write', 'https://example.org')).toBe(false)
    for (const name of [
      'media',
      'geolocation',
      'notifications',
      'clipboard-read',
      'midi',
      'openExternal',
      'fileSystem',
    ])
      expect(granted(name), name).toBe(false)
    expect(installed.device({})).toBe(false)
  })

  it('replaces a header whatever its capitals', () => {
    expect(withHeader({ AUTHORIZATION: 'a', b: 'c' }, 'Authorization', 'd')).toEqual({ Authorization: 'd', b: 'c' })
  })
})

describe('messages from a page', () => {
  const frame = (url: string, parent: object | null = null) => ({ senderFrame: { url, parent } }) as never

  it('are answered only from the main frame of our own page', () => {
    expect(isOurPage(frame(`${origin}/#/history`), origin)).toBe(true)
    expect(isOurPage(frame('https://example.org/'), origin)).toBe(false)
    expect(isOurPage(frame('http://127.0.0.1:1/'), origin)).toBe(false)
    expect(isOurPage(frame(`${origin}/`, {}), origin)).toBe(false)
    expect(isOurPage({ senderFrame: null }, origin)).toBe(false)
  })

  it('are refused when they are not of the type of the bridge', () => {
    expect(text('abc', 3)).toBe('abc')
    for (const wrong of [null, 1, 'abcd', {}]) expect(() => text(wrong, 3)).toThrow()
    expect(() => word('root', ['output', 'data'])).toThrow(/output/)
    expect(() => list('no list', 3, String)).toThrow()
    expect(() => list([1, 2], 1, String)).toThrow()
    for (const wrong of [null, [], 'x', 1]) expect(() => members(wrong)).toThrow()
    expect(coordinate(1.6)).toBe(2)
    for (const wrong of [Number.NaN, '1', null]) expect(() => coordinate(wrong)).toThrow()
  })

  it('open the web and our own reference outside, and nothing else', () => {
    expect(mayOpenOutside('https://example.org/help', origin)).toBe(true)
    expect(mayOpenOutside(`${origin}/docs`, origin)).toBe(true)
    for (const address of [
      `${origin}/app/desk`,
      'http://example.org',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'smb://x',
      'x',
    ])
      expect(mayOpenOutside(address, origin), address).toBe(false)
  })
})

describe('menus', () => {
  const actions = new Proxy({} as MenuActions, { get: () => () => {} })
  const ids = (items: readonly MenuItemConstructorOptions[]): string[] =>
    items.flatMap((item) => [...(item.id ? [item.id] : []), ...(Array.isArray(item.submenu) ? ids(item.submenu) : [])])

  it('offer the same commands on all systems, in both languages, no shortcut twice', () => {
    const wanted = ids(menuTemplate('darwin', wordsOf('en'), false, actions)).sort()
    for (const platform of ['win32', 'linux'] as const)
      expect(ids(menuTemplate(platform, wordsOf('ko'), false, actions)).sort()).toEqual(wanted)
    const keys = (items: readonly MenuItemConstructorOptions[]): string[] =>
      items.flatMap((item) => [
        ...(item.accelerator ? [String(item.accelerator)] : []),
        ...(Array.isArray(item.submenu) ? keys(item.submenu) : []),
      ])
    const shortcuts = keys(menuTemplate('linux', wordsOf('en'), false, actions))
    expect(new Set(shortcuts).size).toBe(shortcuts.length)
  })

  it('say every command in the language of the window, those of the system too', () => {
    const labels = (items: readonly MenuItemConstructorOptions[]): (string | undefined)[] =>
      items.flatMap(({ type, label, submenu }) => [
        ...(type === 'separator' ? [] : [label]),
        ...(Array.isArray(submenu) ? labels(submenu) : []),
      ])
    for (const platform of ['darwin', 'win32', 'linux'] as const) {
      const korean = labels(menuTemplate(platform, wordsOf('ko'), false, actions))
      expect(korean.filter((label) => label !== 'Loudsmith' && !/[가-힣]/.test(label ?? ''))).toEqual([])
      expect(labels(menuTemplate(platform, wordsOf('en'), false, actions))).not.toContain(undefined)
    }
  })

  it('speak Korean on a Korean system unless the user chose English', () => {
    expect(languageOf('system', 'ko-KR')).toBe('ko')
    expect(languageOf('en', 'ko-KR')).toBe('en')
    expect(languageOf('system', 'de')).toBe('en')
  })

  it('show the state and the address of the API in the tray, and a sample request without a key', () => {
    const copied: string[] = []
    const items = trayTemplate(
      origin,
      { unfinished: 2, waiting: 1, isPaused: false, isOffline: true, fraction: 0.1 },
      wordsOf('en'),
      {
        open() {},
        copy: (value) => copied.push(value),
        openPlace() {},
        setPaused() {},
        quit() {},
      },
    )
    const label = (id: string) => items.find((item) => item.id === id)?.label
    expect(label('api')).toContain(origin)
    expect(label('activity')).toBe('3 songs in progress')
    expect(label('offline')).toBeDefined()
    for (const id of ['copy-address', 'copy-request'])
      items.find((item) => item.id === id)?.click?.({} as never, undefined, {} as never)
    expect(copied).toEqual([origin, sampleRequest(origin)])
    expect(copied.join()).not.toMatch(/ams_live_|the-credential/)
  })
})

describe('the diagnostics ZIP', () => {
  it('holds logs and versions, and no key, secret or credential that a log caught', async () => {
    const folder = temporaryFolder(onTestFinished)
    const key = `ams_live_${'0123456789abcdef'.repeat(2)}`
    const secrets = [key, 'whsec_c2VjcmV0', 'Bearer abc.def-123', '#session=xyz789', '#ticket=xyz789']
    writeFileSync(path.join(folder, 'loudsmith.log'), `${secrets.join(' ')} kept\n`)
    writeFileSync(path.join(folder, 'song.wav'), 'audio')
    const file = path.join(folder, 'out.zip')
    await writeDiagnostics(file, {
      logsDir: folder,
      facts: {
        'versions.json': () => ({ loudsmith: '1.2.3', leaked: key }),
        'system.json': async () => {
          throw new Error('the server is gone')
        },
      },
    })
    const entries = await readZip(file)
    expect([...entries.keys()].sort()).toEqual(['logs/loudsmith.log', 'system.json', 'versions.json'])
    expect(entries.get('system.json')).toContain('the server is gone')
    const all = [...entries.values()].join('\n')
    expect(all).toContain('kept')
    for (const secret of [key, 'c2VjcmV0', 'abc.def-123', 'xyz789']) expect(all).not.toContain(secret)
  })

  it('says why it could not be written, however long its facts take', async () => {
    const facts = { 'slow.json': () => new Promise((resolve) => setTimeout(resolve, 20, {})) }
    const file = path.join(tmpdir(), 'loudsmith-no-such-folder', 'out.zip')
    await expect(writeDiagnostics(file, { logsDir: tmpdir(), facts })).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('leaves ordinary lines as they are', () => {
    expect(redact('{"message":"Bearer of news","key_id":"1"}')).not.toContain('ams_live')
    expect(redact('GET /api/v1/jobs 200 in 3 ms')).toBe('GET /api/v1/jobs 200 in 3 ms')
  })
})

async function readZip(file: string): Promise<Map<string, string>> {
  const open = promisify<string, yauzl.Options, yauzl.ZipFile>(yauzl.open)
  const zip = await open(file, { lazyEntries: true })
  const entries = new Map<string, string>()
  return new Promise((resolve, reject) => {
    zip.on('error', reject)
    zip.on('end', () => resolve(entries))
    zip.on('entry', (entry: yauzl.Entry) =>
      zip.openReadStream(entry, (error, stream) => {
        if (error) return reject(error)
        const chunks: Buffer[] = []
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('end', () => {
          entries.set(entry.fileName, Buffer.concat(chunks).toString('utf8'))
          zip.readEntry()
        })
      }),
    )
    zip.readEntry()
  })
}
