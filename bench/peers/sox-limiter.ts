import type { Peer } from '../peer.ts'

/** SoX's gain with its limiter: no look-ahead, sample peaks only. */
export const peer: Peer = {
  name: 'sox gain -l',
  check: ['sox', '--version'],
  async limit({ input, output }, gainDb, ceilingDbtp, run) {
    await run('sox', [input, '-b', '24', output, 'gain', '-l', String(gainDb), 'gain', String(ceilingDbtp)])
  },
}
