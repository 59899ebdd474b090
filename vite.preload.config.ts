import { defineConfig } from 'vite'

/** Bundles the preload script: a sandboxed one must be a single CommonJS file. */
export default defineConfig({
  publicDir: false,
  build: {
    ssr: true,
    outDir: 'dist/main',
    emptyOutDir: false,
    target: 'chrome140',
    minify: false,
    rolldownOptions: {
      input: { preload: 'src-main/preload.ts' },
      external: ['electron'],
      output: { format: 'cjs', entryFileNames: '[name].cjs' },
    },
  },
})
