/** The sample song as a file for the first try: rendered from its score on the spot, so that nothing is downloaded or shipped. */
import type { RepairKind } from '../../src-contract/repair-kinds.ts'
import type { Repair } from '../../src-contract/report.ts'
import { TEXTS } from '../text/context.tsx'

/** Returns true for a name that the sample song has in any language. */
export const isSampleName = (filename: string | undefined): boolean =>
  Object.values(TEXTS).some(({ first }) => first.sampleName === filename)

/** The repairs that the advice on the song speaks of. */
const SPOKEN_OF: readonly RepairKind[] = ['mud', 'mono_bass']

/** Returns true for a master of the sample song in which what the advice speaks of was repaired: other settings may leave it. */
export const isCuredSample = (filename: string, repairs: readonly Repair[]): boolean =>
  isSampleName(filename) && SPOKEN_OF.every((kind) => repairs.some((repair) => repair.kind === kind))

/** Renders the song in a worker, so that the page goes on; where none can be started, in the page. */
export async function makeSampleSong(filename: string): Promise<File> {
  const wav = await renderAside().catch(async () => (await import('./render.ts')).sampleSongWav())
  return new File([wav], filename, { type: 'audio/wav' })
}

async function renderAside(): Promise<Uint8Array<ArrayBuffer>> {
  const worker = new Worker(new URL('./sample-song.worker.ts', import.meta.url), { type: 'module' })
  try {
    return await new Promise((resolve, reject) => {
      worker.addEventListener('message', ({ data }: MessageEvent<Uint8Array<ArrayBuffer>>) => resolve(data))
      worker.addEventListener('error', reject)
    })
  } finally {
    worker.terminate()
  }
}
