import { setTimeout as sleep } from 'node:timers/promises'
import type { ReleasePlan } from '../src-contract/release-mastering.ts'
import type { Release } from '../src-contract/releases.ts'
import { change, decibels } from '../src-contract/text/numbers.ts'
import { type AddCommand, type ClientOptions, runClientCommand } from './client-command.ts'
import type { Messages } from './messages.ts'
import type { ServiceClient } from './service-client.ts'
import { table } from './text-output.ts'

/** Polling interval of a release's state during mastering, ms. */
const LOOK_EVERY_MS = 1000

/** Adds `release plan`, `master` and `cancel`. */
export function registerMasteringCommands(command: AddCommand, messages: Messages): void {
  const say = messages.release
  command(
    'plan <id>',
    say.plan,
    (client, id: string) => completePlan(client, id),
    (plan) => describePlan(plan, messages),
  )
  command(
    'master <id>',
    say.master,
    async (client, id: string, options: ClientOptions & { readonly wait?: boolean }) => {
      const begun = await client.call('masterRelease', { params: { release_id: id } })
      const release = options.wait ? await ended(client, id) : begun
      if (release.mastering.state === 'failed') process.exitCode = 1
      return release
    },
    (release) => describeMastering(release, messages),
  ).option('--wait', say.wait)
  command('cancel <id>', say.cancel).action((id: string, options: ClientOptions) => {
    let isRunning = false
    return runClientCommand(
      options,
      messages,
      async (client) => {
        const params = { release_id: id }
        isRunning = (await client.call('readRelease', { params })).mastering.state === 'mastering'
        return client.call('cancelRelease', { params })
      },
      (release) => [describeMastering(release, messages), ...(isRunning ? [] : [say.notRunning])].join('\n'),
    )
  })
}

async function completePlan(client: ServiceClient, id: string): Promise<ReleasePlan> {
  for (;;) {
    const plan = await client.call('planRelease', { params: { release_id: id } })
    if (plan.is_complete) return plan
  }
}

async function ended(client: ServiceClient, id: string): Promise<Release> {
  for (;;) {
    const release = await client.call('readRelease', { params: { release_id: id } })
    if (release.mastering.state !== 'mastering') return release
    await sleep(LOOK_EVERY_MS)
  }
}

const lufs = (value: number | null | undefined) => `${decibels(value)} LUFS`

function describePlan(plan: ReleasePlan, { release: say }: Messages): string {
  const rows = plan.tracks.map((track) => [
    String(track.position),
    track.title,
    lufs(track.source_lufs),
    lufs(track.target_lufs),
    ...track.outliers.map(({ kind, distance_db }) => `${say.outliers[kind]} ${change(distance_db)} dB`),
  ])
  const held = plan.expected_held_back
  const heldTrack = held && plan.tracks.find(({ track_id }) => track_id === held.track_id)
  return [
    say.planned(lufs(plan.planned_lufs), plan.credits_needed, plan.credits_available),
    table(rows),
    ...(held && heldTrack ? [say.mayComeDown(heldTrack.title, decibels(held.down_lu, 1))] : []),
  ].join('\n')
}

function describeMastering({ mastering, tracks }: Release, { release: say }: Messages): string {
  const { state, progress, record_lufs, held_back: held, failure } = mastering
  const rows = tracks.map(({ position, title, master }) => [
    String(position),
    title,
    master ? say.masters[master.state] : '',
    master?.integrated_lufs === undefined ? '' : lufs(master.integrated_lufs),
    master?.job_id ?? '',
  ])
  const heldTrack = tracks.find(({ track_id }) => track_id === held?.track_id)
  return [
    say.mastering[state](progress),
    table(rows),
    ...(record_lufs === undefined ? [] : [say.record(lufs(record_lufs))]),
    ...(held && heldTrack ? [say.cameDown(heldTrack.title, decibels(held.down_lu))] : []),
    ...(failure ? [failure.message] : []),
  ].join('\n')
}
