/** The commands as plain facts, for shells and for the manual page. */
import type { Command } from 'commander'
import { ListOption } from './setting-options.ts'

export interface OptionFacts {
  /** Form in help: `--status <status>`. */
  readonly flags: string
  /** Name on the command line: `--status`. */
  readonly long: string
  readonly about: string
  readonly takesValue: boolean
  readonly choices: readonly string[]
}

export interface CommandFacts {
  /** Words of the call: `loudsmith jobs list`. */
  readonly words: string
  /** Alternatives to the last word. */
  readonly aliases: readonly string[]
  readonly about: string
  /** Its arguments as shown in usage. */
  readonly usage: string
  readonly arguments: readonly { readonly term: string; readonly about: string; readonly choices: readonly string[] }[]
  readonly options: readonly OptionFacts[]
  readonly commands: readonly CommandFacts[]
}

/** Returns the facts of a command and of all its subcommands, in the order of help. */
export function factsOf(command: Command, before = ''): CommandFacts {
  const help = command.createHelp()
  const words = `${before}${before && ' '}${command.name()}`
  return {
    words,
    aliases: command.aliases(),
    about: command.description(),
    usage: command.usage(),
    arguments: command.registeredArguments.map((argument) => ({
      term: help.argumentTerm(argument),
      about: argument.description,
      choices: argument.argChoices ?? [],
    })),
    options: help.visibleOptions(command).map((option) => ({
      flags: option.flags,
      long: option.long ?? option.flags,
      about: option.description,
      takesValue: option.required || option.optional,
      choices: option instanceof ListOption ? option.words : (option.argChoices ?? []),
    })),
    commands: command.commands.map((one) => factsOf(one, words)),
  }
}

/** Returns a command and all its subcommands, parents first. */
export function allCommands(command: CommandFacts): CommandFacts[] {
  return [command, ...command.commands.flatMap(allCommands)]
}
