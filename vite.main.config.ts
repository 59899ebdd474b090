import { readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import path from 'node:path'
import { defineConfig, type Plugin } from 'vite'

/** Lays the database's migrations beside the bundle: they are read as files, in the order of their names. */
function copyMigrations(): Plugin {
  return {
    name: 'copy-migrations',
    generateBundle() {
      const folder = path.join(import.meta.dirname, 'src-server/db/migrations')
      for (const name of readdirSync(folder).filter((file) => file.endsWith('.sql'))) {
        this.emitFile({ type: 'asset', fileName: `migrations/${name}`, source: readFileSync(path.join(folder, name)) })
      }
    },
  }
}

/**
 * Packages of many small files that an engine process loads anew for every song: inside the bundle they cost it 0.2 s of processor instead
 * of 0.5. Every other npm dependency is left where it is installed.
 */
const BUNDLED = ['typebox', 'archiver', 'yauzl']

/** Bundles the Electron main process, the command line and the engine process: ESM for the oldest Node that package.json names. */
export default defineConfig({
  publicDir: false,
  ssr: { noExternal: BUNDLED },
  plugins: [copyMigrations()],
  build: {
    ssr: true,
    ssrEmitAssets: true,
    outDir: 'dist/main',
    emptyOutDir: true,
    // The texts of what is bundled, as its licences ask.
    license: { fileName: 'third-party-licences.txt' },
    target: 'node22.18',
    minify: false,
    rolldownOptions: {
      input: {
        main: 'src-main/main.ts',
        cli: 'src-cli/launcher.ts',
        'cli-main': 'src-cli/cli.ts',
        worker: 'src-worker/mastering/worker.ts',
        'render-thread': 'src-worker/mastering/render-thread.ts',
      },
      external: ['electron', ...builtinModules, /^node:/],
      output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
})
