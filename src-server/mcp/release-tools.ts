/** Tools for singles, EPs and albums. Exports are the owner's: the API gives them to no key. */
import Type from 'typebox'
import { exactly } from '../../src-contract/common.ts'
import { NewRelease, ReleaseChange, ReleaseQuery } from '../../src-contract/releases.ts'
import { PageSize } from './account-tools.ts'
import { Confirm, IdempotencyKey, idempotent } from './song-tools.ts'
import { tool } from './tool.ts'

const LIST_SIZE = 10
const ReleaseId = Type.String({ description: 'Identifier of the release.' })

export const RELEASE_TOOLS = [
  tool({
    name: 'list_releases',
    title: 'List releases',
    description: 'Singles, EPs and albums, newest first.',
    input: exactly({ ...ReleaseQuery.properties, limit: PageSize }),
    effect: 'reads',
    endpoint: 'listReleases',
    run: async ({ limit = LIST_SIZE, ...query }, { client, signal }) => ({
      value: await client.call('listReleases', { query: { ...query, limit }, signal }),
    }),
  }),
  tool({
    name: 'read_release',
    title: 'Read a release',
    description: 'One release with its tracks in order and the state of its mastering.',
    input: exactly({ release_id: ReleaseId }),
    effect: 'reads',
    endpoint: 'readRelease',
    run: async ({ release_id }, { client, signal }) => ({
      value: await client.call('readRelease', { params: { release_id }, signal }),
    }),
  }),
  tool({
    name: 'create_release',
    title: 'Make a release',
    description: 'Makes a single, EP or album. Each track names the `job_id` of a song that was mastered. Free.',
    input: exactly({ ...NewRelease.properties, idempotency_key: IdempotencyKey }),
    effect: 'changes',
    endpoint: 'createRelease',
    run: async ({ idempotency_key, ...body }, { client }) => ({
      value: await client.call('createRelease', { body, headers: idempotent(idempotency_key) }),
    }),
  }),
  tool({
    name: 'change_release',
    title: 'Change a release',
    description: 'Changes the facts of a release that `changes` names. Free.',
    input: exactly({ release_id: ReleaseId, changes: ReleaseChange }),
    effect: 'changes',
    endpoint: 'changeRelease',
    run: async ({ release_id, changes }, { client }) => ({
      value: await client.call('changeRelease', { params: { release_id }, body: changes }),
    }),
  }),
  tool({
    name: 'master_release',
    title: 'Master a release',
    description:
      'Masters the tracks of a release as one record; 1 credit for each song. Without `confirm` it answers the plan and what it would cost. The release tells how far it is.',
    input: exactly({ release_id: ReleaseId, confirm: Confirm, idempotency_key: IdempotencyKey }),
    effect: 'spends',
    endpoint: 'masterRelease',
    run: async ({ release_id, confirm, idempotency_key }, { client, signal }) => {
      const params = { release_id }
      if (!confirm) return { value: { dry_run: true, ...(await client.call('planRelease', { params, signal })) } }
      return { value: await client.call('masterRelease', { params, headers: idempotent(idempotency_key) }) }
    },
  }),
  tool({
    name: 'cancel_release',
    title: 'Stop mastering a release',
    description: 'Cancels and refunds its jobs that have not ended; the last finished record stays.',
    input: exactly({ release_id: ReleaseId }),
    effect: 'ends',
    endpoint: 'cancelRelease',
    run: async ({ release_id }, { client }) => ({
      value: await client.call('cancelRelease', { params: { release_id } }),
    }),
  }),
]
