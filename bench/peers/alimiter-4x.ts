import type { Files, Peer, Run } from '../peer.ts'

async function limit({ input, output }: Files, gainDb: number, ceilingDbtp: number, run: Run): Promise<void> {
  const ceiling = 10 ** (ceilingDbtp / 20)
  const chain = `volume=${gainDb}dB,aresample=176400,alimiter=level=false:limit=${ceiling}:attack=5:release=50:latency=1,aresample=44100`
  await run('ffmpeg', ['-nostdin', '-v', 'error', '-y', '-i', input, '-af', chain, '-c:a', 'pcm_s24le', output])
}

/** ffmpeg's alimiter between a fourfold up- and down-sampling. */
export const peer: Peer = {
  name: 'ffmpeg alimiter at 4x',
  check: ['ffmpeg', '-version'],
  limit,
  async reachTarget(files, targetLufs, ceilingDbtp, run) {
    const { stderr } = await run('ffmpeg', [
      '-nostdin',
      '-hide_banner',
      '-i',
      files.input,
      '-af',
      'ebur128',
      '-f',
      'null',
      '-',
    ])
    const integrated = Number(/I:\s+(-?[\d.]+) LUFS/.exec(stderr.slice(stderr.lastIndexOf('Summary')))?.[1])
    await limit(files, targetLufs - integrated, ceilingDbtp, run)
  },
}
