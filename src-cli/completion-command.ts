import { Argument, type Command } from 'commander'
import { factsOf } from './command-tree.ts'
import { completionScript, SHELLS, type Shell } from './completion.ts'
import type { Messages } from './messages.ts'

/** Adds `completion`, which knows all commands of the program, also those that are added later. */
export function registerCompletionCommand(program: Command, _dataDir: string, messages: Messages): void {
  program
    .command('completion')
    .description(messages.completion.about)
    .addArgument(new Argument('<shell>', messages.completion.shell).choices(SHELLS))
    .action((shell: Shell) => void process.stdout.write(completionScript(shell, factsOf(program))))
}
