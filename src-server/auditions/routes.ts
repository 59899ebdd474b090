/** Endpoints of auditions, only for the application. */
import type { FastifyInstance } from 'fastify'
import { ENDPOINTS } from '../../src-contract/endpoints.ts'
import { fileAnswer } from '../artifacts/send-file.ts'
import { AppError } from '../http/app-error.ts'
import { route } from '../http/route.ts'
import { auditionPayload, picturePayload } from './audition-payload.ts'
import type { Auditions } from './auditions.ts'
import { virtualAnswer } from './virtual-wav.ts'

/** Serves `/app/auditions`. */
export function auditionRoutes(app: FastifyInstance, auditions: Auditions): void {
  route(app, ENDPOINTS.createAudition, async ({ body: { source_id, platform, settings }, language, signal }) => {
    const known = await auditions.create({ sourceId: source_id, platform, settings }, signal)
    return { status: 200, body: auditionPayload(known, language) }
  })
  route(app, ENDPOINTS.readAudition, ({ params, language }) => ({
    status: 200,
    body: auditionPayload(auditions.read(params.audition_id), language),
  }))
  route(app, ENDPOINTS.readAuditionPicture, ({ params }) => ({
    status: 200,
    body: picturePayload(auditions.read(params.audition_id)),
  }))
  route(app, ENDPOINTS.readEstimate, ({ params, request }) =>
    virtualAnswer(auditions.estimate(params.audition_id), request),
  )
  route(app, ENDPOINTS.readExact, ({ params, request }) =>
    fileAnswer(auditions.exact(params.audition_id), request, new AppError('AUDITION_NOT_READY')),
  )
  route(app, ENDPOINTS.proofAudition, ({ params, language }) => ({
    status: 202,
    body: auditionPayload(auditions.prove(params.audition_id), language),
  }))
}
