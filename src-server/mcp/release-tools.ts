/** Tools for singles, EPs and albums. */
import Type from 'typebox'
import { exactly } from '../../src-contract/common.ts'
import { type ExportedRelease, ExportRequest, type ReleaseReadiness } from '../../src-contract/release-exports.ts'
import { NewRelease, ReleaseChange, ReleaseQuery } from '../../src-contract/releases.ts'
import { fullPath } from './files.ts'
import { Confirm, DEFAULT_ROWS, IdempotencyKey, idempotent, PageSize, pathArgument } from './shared-arguments.ts'
import { tool } from './tool.ts'

const ReleaseId = Type.String({ description: 'Identifier of the release.' })

/** Returns a summary of an export: its files, and each receiver's remedies. The certificate in the folder contains the rest. */
function shortExport({ folder, zip, certificate }: ExportedRelease): object {
  const { files, unapplied_tracks, receivers } = certificate
  return {
    folder,
    ...(zip === undefined ? {} : { zip }),
    files: files.map(({ name }) => name),
    unapplied_tracks,
    receivers: receivers.map(({ receiver, outcome, checks }) => ({
      receiver,
      outcome,
      remedies: checks.flatMap(({ remedies }) => remedies.map(({ message }) => message)),
    })),
  }
}

/** Returns a summary of the readiness: for the chosen receivers with their faults, else the verdicts of all. */
function shortReadiness({ chosen, receivers, remarks }: ReleaseReadiness): object {
  const shown = chosen.length > 0 ? receivers.slice(0, chosen.length) : receivers
  return {
    chosen,
    remarks,
    receivers: shown.map(({ receiver, verdicts, fields = [], checks }) => ({
      receiver,
      verdicts,
      ...(chosen.length === 0
        ? {}
        : {
            fields: fields.flatMap(({ field, need, state, message }) =>
              state === 'given' ? [] : [{ field, need, state, message }],
            ),
            remedies: checks.flatMap(({ remedies }) => remedies.map(({ message }) => message)),
          }),
    })),
  }
}

export const RELEASE_TOOLS = [
  tool({
    name: 'list_releases',
    title: 'List releases',
    description: 'Singles, EPs and albums, newest first.',
    input: exactly({ ...ReleaseQuery.properties, limit: PageSize }),
    effect: 'reads',
    endpoint: 'listReleases',
    run: async ({ limit = DEFAULT_ROWS, ...query }, { client, signal }) => ({
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
    name: 'check_release',
    title: 'Check a release for its receivers',
    description:
      'What the chosen distributors would find in a release before it is exported: whether files and names are ready, what is missing and the remedies. Without a choice (`receivers` of the release) it answers the verdicts of all.',
    input: exactly({ release_id: ReleaseId }),
    effect: 'reads',
    endpoint: 'readReadiness',
    run: async ({ release_id }, { client, signal }) => ({
      value: shortReadiness(await client.call('readReadiness', { params: { release_id }, signal })),
    }),
  }),
  tool({
    name: 'export_release',
    title: 'Export a release',
    description:
      'Writes a mastered release into one folder, ready for upload, with a signed delivery certificate. Free; nothing of others is overwritten. Without `confirm` it answers the names that it would give, and nothing is written.',
    input: exactly({
      release_id: ReleaseId,
      ...ExportRequest.properties,
      folder: pathArgument('Full path of an allowed folder; that of the release is made in it.'),
      confirm: Confirm,
    }),
    effect: 'changes',
    endpoint: 'exportRelease',
    run: async ({ release_id, confirm, folder, ...rest }, { client, signal }) => {
      const params = { release_id }
      const body = { ...rest, folder: fullPath(folder, 'folder') }
      if (!confirm) return { value: { dry_run: true, ...(await client.call('nameExport', { params, body, signal })) } }
      return { value: shortExport(await client.call('exportRelease', { params, body, signal })) }
    },
  }),
  tool({
    name: 'verify_release',
    title: 'Check an exported release',
    description: 'Compares every file of an exported folder, or of its ZIP, with its signed certificate.',
    input: exactly({ folder: pathArgument('Full path inside the folders that the owner allowed.') }),
    effect: 'reads',
    endpoint: 'verifyFolder',
    run: async ({ folder }, { client, signal }) => ({
      value: await client.call('verifyFolder', { body: { folder: fullPath(folder, 'folder') }, signal }),
    }),
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
