import type { Peer } from '../peer.ts'

const SCRIPT = `
import sys
import numpy
from matchering.defaults import Config
from matchering.limiter import limit
from scipy.io import wavfile
source, target, gain_db, ceiling_db = sys.argv[1:]
rate, samples = wavfile.read(source)
config = Config(internal_sample_rate=rate)
config.threshold = 10 ** (float(ceiling_db) / 20)
limited = limit(samples / 32768 * 10 ** (float(gain_db) / 20), config)
wavfile.write(target, rate, limited.astype(numpy.float32))
`

/** The limiter of matchering (a library for Python) alone: sample peaks only. */
export const peer: Peer = {
  name: 'matchering limiter',
  check: ['python3', '-c', 'import matchering.limiter'],
  async limit({ input, output }, gainDb, ceilingDbtp, run) {
    await run('python3', ['-c', SCRIPT, input, output, String(gainDb), String(ceilingDbtp)])
  },
}
