/**
 * `node scripts/sample-song/make.ts`: renders the sample song from its score and writes the FLAC file shipped with the page. The samples
 * are the same every time; `tests/renderer/sample-song.test.ts` compares them with the file.
 */
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { locateFfmpeg } from '../../src-worker/media/locate.ts'
import { sampleSongWav } from './render.ts'

const file = path.join(import.meta.dirname, '../../src-renderer/sample-song/sample-song.flac')
const ffmpeg = await locateFfmpeg()
const options = ['-loglevel', 'error', '-y', '-i', 'pipe:0', '-compression_level', '12', '-bitexact']
execFileSync(ffmpeg.path, [...options, file], { input: sampleSongWav() })
