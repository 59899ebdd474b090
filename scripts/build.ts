/** `npm run build`: DSP kernels, renderer, Electron main process and command line with their engine process, and preload script. */
import path from 'node:path'
import { build } from 'vite'
import { buildKernels } from './build-kernels.ts'

const root = path.join(import.meta.dirname, '..')

export async function buildEverything(): Promise<void> {
  await buildKernels()
  // The preload goes last, into the folder that the main build empties.
  for (const config of ['vite.config.ts', 'vite.main.config.ts', 'vite.preload.config.ts']) {
    await build({ configFile: path.join(root, config), logLevel: 'error' })
  }
}

if (import.meta.main) await buildEverything()
