import type { Peer } from '../peer.ts'

/**
 * ffmpeg's loudnorm: one pass measures, the second renders with the measured values. It takes no gain, so a target cannot be reached from
 * outside.
 */
export const peer: Peer = {
  name: 'ffmpeg loudnorm, two passes',
  check: ['ffmpeg', '-version'],
  async reachTarget({ input, output }, targetLufs, ceilingDbtp, run) {
    const target = `loudnorm=I=${targetLufs}:TP=${ceilingDbtp}:LRA=11`
    const { stderr } = await run('ffmpeg', [
      '-nostdin',
      '-hide_banner',
      '-i',
      input,
      '-af',
      `${target}:print_format=json`,
      '-f',
      'null',
      '-',
    ])
    const measured = JSON.parse(stderr.slice(stderr.lastIndexOf('{'), stderr.lastIndexOf('}') + 1)) as Record<
      string,
      string
    >
    const known = `measured_I=${measured.input_i}:measured_TP=${measured.input_tp}:measured_LRA=${measured.input_lra}:measured_thresh=${measured.input_thresh}:offset=${measured.target_offset}`
    await run('ffmpeg', [
      '-nostdin',
      '-v',
      'error',
      '-y',
      '-i',
      input,
      '-af',
      `${target}:${known}`,
      '-ar',
      '44100',
      '-c:a',
      'pcm_s24le',
      output,
    ])
  },
}
