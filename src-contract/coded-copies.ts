/** Coded copies: finished masters in a lossy codec for listening in the application. */
import Type, { type Static } from 'typebox'
import { COPY_CODEC_NAMES } from './codecs.ts'
import { exactly, oneOf } from './common.ts'
import { endpoints } from './endpoint.ts'
import { PLATFORMS } from './platforms/index.ts'

const CopyCodecState = exactly({
  codec: oneOf(COPY_CODEC_NAMES),
  encoder: Type.Optional(
    Type.String({ description: 'Codec, bit rate and encoder; absent where the ffmpeg in use has no encoder for it.' }),
  ),
})
export type CopyCodecState = Static<typeof CopyCodecState>

const tag = 'App'

export const codedCopyEndpoints = endpoints({
  listCopyCodecs: {
    method: 'GET',
    path: '/app/copy-codecs',
    access: 'session',
    tag,
    summary: 'List the codecs of coded copies with the encoders that make them',
    answers: {
      200: {
        description: 'The codecs.',
        schema: exactly({ codecs: Type.Array(CopyCodecState, { description: 'Codecs in the order of the menu.' }) }),
      },
    },
    errors: [],
  },
  readCodedCopy: {
    method: 'GET',
    path: '/app/jobs/{job_id}/copies/{platform}/{codec}',
    access: 'session',
    tag,
    summary: 'Read a master as a lossy codec leaves it; the first request makes the copy, which costs no credit',
    params: exactly({ job_id: Type.String(), platform: oneOf(PLATFORMS), codec: oneOf(COPY_CODEC_NAMES) }),
    answers: {
      200: { description: 'The whole copy: WAV, 32-bit float, as long as the master.', mediaTypes: ['audio/wav'] },
      206: { description: 'The range asked for.', mediaTypes: ['audio/wav'] },
      304: { description: 'Unchanged.' },
    },
    errors: [
      'JOB_NOT_FOUND',
      'JOB_NOT_READY',
      'JOB_FAILED',
      'RESULT_EXPIRED',
      'FILE_GONE',
      'NOT_FOUND',
      'PRECONDITION_FAILED',
      'RANGE_NOT_SATISFIABLE',
    ],
  },
})
