/** The worker that renders the sample song and ends with it. */
import { sampleSongWav } from './render.ts'

const wav = sampleSongWav()
postMessage(wav, { transfer: [wav.buffer] })
