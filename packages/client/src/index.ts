/**
 * Client of Loudsmith: typed calls of the API served on this computer, for Node from 20 and for the service's own
 * pages.
 */
export {
  ApiError,
  type CallArguments,
  type CallParameters,
  type ClientErrorCode,
  type FilePart,
} from '../../../src-contract/client.ts'
export type { AnswerOf, EndpointName } from '../../../src-contract/endpoints.ts'
export type { FollowedEvent, FollowOptions } from '../../../src-contract/follow-events.ts'
export { createLoudsmith, type Loudsmith, type LoudsmithOptions, type Mastering } from './loudsmith.ts'
export type { OnSent } from './sending.ts'
export {
  type VerifiedWebhook,
  type VerifyOptions,
  verifyWebhook,
  WebhookError,
  type WebhookHeaders,
} from './webhook.ts'
