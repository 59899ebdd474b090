import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Builds the page that the server serves at `/`: relative addresses only, nothing from the network. */
export default defineConfig({
  root: 'src-renderer',
  base: './',
  plugins: [react()],
  build: {
    outDir: '../dist/renderer',
    emptyOutDir: true,
    // The texts of what is bundled, as its licences ask.
    license: { fileName: 'third-party-licences.txt' },
    assetsInlineLimit: 0,
    // One style sheet in the order of the imports, whichever screen is opened first.
    cssCodeSplit: false,
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'styles', test: /\.css$/ }] } } },
    modulePreload: { polyfill: false },
  },
})
