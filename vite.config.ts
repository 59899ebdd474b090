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
    // One style sheet: the order of rules does not depend on which screen is opened first.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
  },
})
