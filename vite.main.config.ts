import { builtinModules } from 'node:module'
import { defineConfig } from 'vite'

/** Bundles the Electron main process and the engine process: ESM for Node, every npm dependency left where it is installed. */
export default defineConfig({
  publicDir: false,
  build: {
    ssr: true,
    outDir: 'dist/main',
    emptyOutDir: true,
    target: 'node24',
    minify: false,
    rolldownOptions: {
      input: {
        main: 'src-main/main.ts',
        worker: 'src-server/jobs/worker.ts',
        'render-thread': 'src-server/jobs/render-thread.ts',
      },
      external: ['electron', ...builtinModules, /^node:/],
      output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
})
