import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { placeOf } from '../../../src-worker/result/result-zip.ts'
import { IS_CAMPAIGN } from '../../support/campaign.ts'
import { findSong, noMusic } from '../../support/music.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { readByEbur128, runPlain } from '../media/make-audio.ts'
import { masterOrder, orderFor } from './run-worker.ts'

const music = findSong('battle-epic.ogg') ?? findSong('love_theme.ogg')
if (music === null) console.warn(`SKIPPED: ${noMusic}`)

describe.skipIf(music === null)(`a real song, mastered for all platforms (${music ?? noMusic})`, () => {
  const folder = temporaryFolder()

  const files = [
    ['mp3', ['-b:a', '320k']],
    ['wav', ['-c:a', 'pcm_s16le', '-ar', '44100']],
    ['flac', []],
  ] as const
  it.each(IS_CAMPAIGN ? files : files.slice(0, 1))(
    'as %s reaches every target and stays below every ceiling by another meter',
    async (format, args) => {
      const file = path.join(folder, `song.${format}`)
      runPlain('-i', music!, '-t', '30', '-map_metadata', '-1', ...args, file)
      const order = await orderFor(file, folder, { genre: 'kpop' })
      const result = await masterOrder(order)
      for (const master of result.masters) {
        const { platform } = master
        const read = readByEbur128(path.join(order.attemptFolder, placeOf(result.zip, master.file)!.file))
        const errorLu = read.integratedLufs - master.target_lufs
        const isExcused = master.verdict === 'below_target' && errorLu < 0
        expect(Math.abs(errorLu) <= 0.1 || isExcused, `${platform} is off by ${errorLu} LU`).toBe(true)
        expect(read.truePeakDbtp - master.ceiling_dbtp, platform).toBeLessThanOrEqual(0.05)
      }
      expect(result.masters).toHaveLength(5)
    },
  )
})
