import './src-system/direct-loopback.ts'
import path from 'node:path'
import { defineConfig } from 'playwright/test'
import { quickFfmpeg } from './tests/support/quick-ffmpeg.ts'

// What the specs start inherits it: programs are started by the hundred, and what Node has compiled for one serves the next.
Object.assign(process.env, { NODE_COMPILE_CACHE: path.join(import.meta.dirname, 'dist/compiled'), ...quickFfmpeg() })

/** Debian's Chromium unless another one is named; Playwright's own is not installed. */
const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'

export const CHROMIUM_ARGUMENTS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** `web`: the page in a browser against the served program. `desktop`: the application itself. Both with the real engine. */
export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  workers: 1,
  // Six journeys share two cores with engines that give way to other programs: what is judged by time judges itself.
  timeout: 900_000,
  expect: { timeout: 300_000 },
  reporter: [['line'], ['./e2e/skipped-reasons.ts']],
  projects: [
    {
      name: 'web',
      testMatch: /.*\.web\.spec\.ts/,
      use: {
        browserName: 'chromium',
        launchOptions: { executablePath, chromiumSandbox: false, args: CHROMIUM_ARGUMENTS },
        viewport: { width: 1280, height: 820 },
        locale: 'en-GB',
        colorScheme: 'dark',
        // Motion is drawn by the processor here, at half of all that the journeys cost; a test that checks motion asks for it.
        contextOptions: { reducedMotion: 'reduce' },
        acceptDownloads: true,
        // Without its film, for which the page would be drawn a second time all along.
        trace: { mode: 'retain-on-failure', screenshots: false },
        screenshot: 'only-on-failure',
      },
    },
    { name: 'desktop', testMatch: /.*\.desktop\.spec\.ts/ },
  ],
})
