import type { Command } from 'commander'
import { farmTroubleText } from '../src-contract/text/farm-troubles.ts'
import type { MachineOptions, RunningMachine } from '../src-server/machine.ts'
import { endProcess } from '../src-system/system.ts'
import { printFailure } from './client-command.ts'
import { FAILED } from './exit-codes.ts'
import type { Messages } from './messages.ts'
import { wholeNumberFrom } from './whole-number-option.ts'

type WorkerOptions = MachineOptions & { readonly json?: boolean }

/** Adds `worker`: a further machine that masters another machine's songs. */
export function registerWorkerCommand(program: Command, _dataDir: string, messages: Messages): void {
  program
    .command('worker')
    .description(messages.worker.about)
    .option('--queue <address>', messages.serve.queue)
    .option('--blobs <place>', messages.serve.blobs)
    .option('--name <name>', messages.worker.name)
    .option('--workers <n>', messages.worker.workers, wholeNumberFrom(1, messages.worker.aNumber))
    .option('--json', messages.jsonOption)
    .action((options: WorkerOptions) => work(options, messages))
}

type OnState = NonNullable<MachineOptions['onState']>

/** Returns a reporter of state changes, and of each trouble once when it begins. */
function teller(tell: (fact: object, line: string) => void, messages: Messages): OnState {
  let told: Pick<Parameters<OnState>[0], 'state' | 'troubles'> | undefined
  return ({ state, differs, troubles }) => {
    if (state !== told?.state) tell({ state, differs }, messages.worker.states[state](differs.join(', ')))
    for (const trouble of troubles)
      if (!told?.troubles.includes(trouble)) tell({ trouble }, farmTroubleText(trouble, messages.language))
    told = { state, troubles }
  }
}

/** Masters songs until SIGINT, SIGTERM or its removal by the owner. A failed start prints one sentence and sets exit code 1. */
async function work({ json = false, ...options }: WorkerOptions, messages: Messages): Promise<void> {
  const tell = (fact: object, line: string) => void process.stdout.write(`${json ? JSON.stringify(fact) : line}\n`)
  let machine: RunningMachine
  try {
    const { startMachine } = await import('../src-server/machine.ts')
    machine = await startMachine({
      ...options,
      onState: teller(tell, messages),
    })
  } catch (error) {
    printFailure(error, messages, json)
    process.exitCode = FAILED
    return
  }
  tell({ name: machine.name }, messages.worker.started(machine.name))
  const stop = () => {
    const end = (code: number) => endProcess(() => process.exit(code))
    machine.close().then(
      () => end(0),
      () => end(1),
    )
  }
  machine.removed.then(stop)
  process.on('SIGINT', stop).on('SIGTERM', stop).on('SIGHUP', stop)
}
