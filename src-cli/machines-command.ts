import type { Command } from 'commander'
import type { MACHINE_WISHES, Machines } from '../src-contract/machines.ts'
import { farmTroubleText } from '../src-contract/text/farm-troubles.ts'
import { commandGroup } from './client-command.ts'
import type { Messages } from './messages.ts'
import type { ServiceClient } from './service-client.ts'
import { formatBytes, table } from './text-output.ts'

type Wish = (typeof MACHINE_WISHES)[number]

/** Adds `machines`: the further machines that master songs, their troubles, and requests to them. */
export function registerMachinesCommand(program: Command, dataDir: string, messages: Messages): void {
  const say = messages.machines
  const command = commandGroup(program, { name: 'machines', about: say.about, dataDir, messages })
  command('list', say.list, listed, (answer) => describe(answer, messages))
  const wishes: readonly (readonly [string, Wish])[] = [
    ['drain', 'drain'],
    ['resume', 'work'],
    ['remove', 'remove'],
  ]
  for (const [name, wish] of wishes)
    command(
      name,
      say.wishes[wish],
      async (client, machine: string) => {
        await client.call('changeMachine', { params: { name: machine }, body: { wish } })
        return listed(client)
      },
      (answer) => describe(answer, messages),
    ).argument('<name>', say.name)
}

const listed = (client: ServiceClient) => client.call('listMachines', {})

function describe({ machines, queue, troubles, audits }: Machines, messages: Messages): string {
  const say = messages.machines
  const sentence = ({ code }: Machines['troubles'][number]) => farmTroubleText(code, messages.language)
  if (!queue) return say.alone
  const rows = machines.map((machine) => [
    machine.name,
    say.states[machine.state],
    say.size(machine.cores, formatBytes(machine.memory_bytes)),
    say.work(machine.job_ids.length, machine.slots),
    say.speed(machine.songs_per_hour),
    say.errors(machine.errors),
  ])
  return [
    ...(machines.length === 0 ? [say.none] : [table(rows)]),
    say.depth(queue.active, queue.waiting),
    ...(audits.compared > 0 ? [say.audits(audits.compared, audits.different)] : []),
    ...troubles.map(sentence),
    ...machines.flatMap(({ name, troubles }) => troubles.map((one) => `${name}: ${sentence(one)}`)),
  ].join('\n')
}
