/** `node scripts/sample-song.ts FILE.wav`: writes the sample song as the page makes it, to be heard and measured. */
import { writeFileSync } from 'node:fs'
import { sampleSongWav } from '../src-renderer/sample-song/render.ts'

const [file] = process.argv.slice(2)
if (!file) throw new Error('usage: node scripts/sample-song.ts FILE.wav')
writeFileSync(file, sampleSongWav())
