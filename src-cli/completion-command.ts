import { Argument, type Command } from 'commander'
import { factsOf } from './command-tree.ts'
import { completionScript, SHELLS, type Shell } from './completion.ts'
import type { Messages } from './messages.ts'

/** Adds `completion`, which covers all commands of the program, also ones added later. */
export function registerCompletionCommand(program: Command, _dataDir: string, messages: Messages): void {
  program
    .command('completion')
    .description(messages.completion.about)
    .addArgument(new Argument('<shell>', messages.completion.shell).choices(SHELLS))
    .action((shell: Shell) => void process.stdout.write(completionScript(shell, factsOf(program))))
}
