import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, needsRealElectron, lookingTest as test } from './desktop-fixtures.ts'

// In one process with one window for all of them.
test.describe.configure({ mode: 'default' })

test('no script of the page can find the credential of this start', async ({ user, desktop }) => {
  const { controlToken } = JSON.parse(readFileSync(path.join(user.userData, 'data', 'owner.json'), 'utf8')) as {
    controlToken: string
  }
  const { page } = desktop
  // Lets the requests through, which proves that the header is present.
  expect(await page.evaluate(async () => (await fetch('/app/settings')).status)).toBe(200)
  const seen = await page.evaluate(async () => {
    const found: string[] = [document.documentElement.outerHTML, document.cookie, location.href]
    for (const storage of [localStorage, sessionStorage]) found.push(JSON.stringify({ ...storage }))
    for (const entry of performance.getEntries()) found.push(JSON.stringify(entry))
    const response = await fetch('/app/settings')
    found.push(JSON.stringify([...response.headers]), await response.text(), response.url)
    const request = new Request('/app/settings')
    found.push(JSON.stringify([...request.headers]))
    const visited = new Set<unknown>()
    const walk = (value: unknown, depth: number): void => {
      if (typeof value === 'string') found.push(value)
      if (
        value === null ||
        (typeof value !== 'object' && typeof value !== 'function') ||
        visited.has(value) ||
        depth > 4
      )
        return
      visited.add(value)
      for (const name of Object.getOwnPropertyNames(value)) {
        try {
          walk((value as Record<string, unknown>)[name], depth + 1)
        } catch {
          // Some properties of the window may not be read.
        }
      }
    }
    walk(window, 0)
    return found.join('\n')
  })
  expect(seen.length).toBeGreaterThan(10_000)
  expect(seen).not.toContain(controlToken)
})

test('an outside program without the credential is refused where the page is let in', async ({ desktop }) => {
  const response = await fetch(`${desktop.baseUrl}/app/settings`)
  expect(response.status).toBe(401)
  await response.body?.cancel()
})

test('the page has no Node, no Electron, and of the bridge only what the bridge names', async ({ desktop }) => {
  const found = await desktop.page.evaluate(() => {
    const names = ['require', 'process', 'module', 'Buffer', 'global', '__dirname', 'ipcRenderer', 'electron']
    return {
      present: names.filter((name) => name in window),
      members: Object.keys(window.loudsmith ?? {}).sort(),
      isFrozen: (() => {
        try {
          ;(window.loudsmith as unknown as Record<string, unknown>).chooseFolder = null
        } catch {
          return true
        }
        return typeof window.loudsmith?.chooseFolder === 'function'
      })(),
    }
  })
  expect(found.present).toEqual([])
  expect(found.isFrozen).toBe(true)
  expect(found.members).toEqual(
    [
      'platform',
      'addFiles',
      'chooseFolder',
      'revealMasters',
      'dragMasters',
      'revealFolder',
      'changeFfmpeg',
      'readDesktopSettings',
      'changeDesktopSettings',
      'setAppearance',
      'exportDiagnostics',
      'popUpMenu',
      'onOpenPlace',
      'onMenuCommand',
      'onIntake',
    ].sort(),
  )
})

test('the page cannot reach the file system, neither by an address nor through the bridge', async ({ desktop }) => {
  const { page } = desktop
  const attempts = await page.evaluate(async () => {
    const outcome = (attempt: Promise<unknown>) =>
      attempt.then(
        () => 'reached',
        (error: Error) => error.message || 'refused',
      )
    return {
      file: await outcome(fetch('file:///etc/passwd')),
      madeUp: await window.loudsmith?.addFiles([new File(['x'], '/etc/passwd.wav')]),
      reveal: await window.loudsmith?.revealMasters('../../etc/passwd'),
      longId: await outcome(window.loudsmith?.revealMasters('x'.repeat(1000)) ?? Promise.resolve()),
      folder: await outcome(window.loudsmith?.revealFolder('/etc' as 'data') ?? Promise.resolve()),
      setting: await outcome(
        window.loudsmith?.changeDesktopSettings({ openAtLogin: '/bin/sh' as unknown as boolean }) ?? Promise.resolve(),
      ),
    }
  })
  expect(attempts.file).not.toBe('reached')
  expect(attempts.madeUp).toMatchObject({ sourceIds: [], refused: [{ code: 'UNREADABLE' }] })
  expect(attempts.reveal).toBe(false)
  for (const refused of [attempts.longId, attempts.folder, attempts.setting])
    expect(refused).toMatch(/expected|true or false/)
  expect((await desktop.noted()).revealed).toEqual([])
})

test('the page runs no code but its own files and speaks to no other address', async ({ desktop }) => {
  const { page } = desktop
  const policy = await page.evaluate(async () => (await fetch('/')).headers.get('content-security-policy'))
  expect(policy).toMatch(/default-src 'none'/)
  const outcome = await page.evaluate(async () => {
    const script = document.createElement('script')
    script.textContent = 'window.__inline = true'
    document.head.append(script)
    const image = new Image()
    const imageLoads = new Promise((resolve) => {
      image.onload = () => resolve(true)
      image.onerror = () => resolve(false)
    })
    image.src = 'https://example.org/pixel.png'
    return {
      inline: (window as unknown as { __inline?: boolean }).__inline === true,
      image: await imageLoads,
      other: await fetch('https://example.org/').then(
        () => 'reached',
        () => 'refused',
      ),
      // Another program on this machine is another origin too.
      neighbour: await fetch('http://127.0.0.1:9/').then(
        () => 'reached',
        () => 'refused',
      ),
    }
  })
  expect(outcome).toEqual({ inline: false, image: false, other: 'refused', neighbour: 'refused' })
})

test('the window shows no other page: links leave for the browser, other addresses go nowhere', async ({ desktop }) => {
  const { app, page } = desktop
  await page.evaluate(() => {
    location.href = 'https://example.org/'
  })
  await page.evaluate(() => {
    location.href = '/openapi.json'
  })
  await page.evaluate(() => {
    window.open('https://example.org/help')
    window.open('file:///etc/passwd')
    window.open('http://example.org/plain')
    window.open('/docs')
    window.open('/app/settings')
  })
  await expect.poll(async () => (await desktop.noted()).opened.length).toBe(2)
  expect((await desktop.noted()).opened).toEqual(['https://example.org/help', `${desktop.baseUrl}/docs`])
  expect(new URL(page.url()).pathname).toBe('/')
  expect(app.windows()).toHaveLength(1)
})

test('every permission is refused but writing text to the clipboard', async ({ desktop }) => {
  const states = await desktop.page.evaluate(async () => {
    const state = async (name: string) => (await navigator.permissions.query({ name: name as PermissionName })).state
    return {
      geolocation: await state('geolocation'),
      notifications: await state('notifications'),
      microphone: await state('microphone'),
      camera: await state('camera'),
      read: await state('clipboard-read'),
    }
  })
  expect(states).toEqual({
    geolocation: 'denied',
    notifications: 'denied',
    microphone: 'denied',
    camera: 'denied',
    read: 'denied',
  })
})

test('the renderer process runs in the sandbox of the operating system', async ({ desktop }) => {
  needsRealElectron('the stand-in starts Chromium without its sandbox')
  const isSandboxed = await desktop.app.evaluate(({ app }) =>
    app
      .getAppMetrics()
      .filter((one) => one.type === 'Tab')
      .every((one) => one.sandboxed !== false),
  )
  expect(isSandboxed).toBe(true)
})

// Last, as the page cannot be used afterwards.
test('a page that rewrites its own built-in functions does not change what the preload script does', async ({
  desktop,
}) => {
  needsRealElectron('the stand-in carries messages between the worlds itself')
  const report = await desktop.page.evaluate(() => {
    Array.prototype.map = (() => [{ filename: 'x.wav', path: '/etc/passwd' }]) as typeof Array.prototype.map
    return window.loudsmith?.addFiles([new File(['x'], 'x.wav')])
  })
  expect(report).toMatchObject({ sourceIds: [], refused: [{ code: 'UNREADABLE' }] })
})
