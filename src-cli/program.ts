import { Command } from 'commander'
import { VERSION } from '../src-server/server/paths.ts'
import { printFailure } from './client-command.ts'
import type { Messages } from './messages.ts'
import { displayWidth } from './text-output.ts'
import { unusable } from './unusable-input.ts'

/** Command whose subcommands have the same class and language. */
class SpeakingCommand extends Command {
  readonly messages: Messages
  readonly asJson: boolean

  constructor(name: string | undefined, messages: Messages, asJson: boolean) {
    super(name)
    this.messages = messages
    this.asJson = asJson
    const { titles, help, notes, mistakes } = messages.commander
    const said = (text: string, rules: Messages['commander']['notes']) =>
      rules.reduce((before, [english, own]) => before.replace(english, own), text)
    this.helpOption('-h, --help', help)
      .configureHelp({
        displayWidth,
        styleTitle: (title) => titles[title] ?? title,
        styleOptionDescription: (text) => said(text, notes),
        styleArgumentDescription: (text) => said(text, notes),
      })
      .configureOutput({
        outputError: (text, write) =>
          asJson ? printFailure(unusable(sentence(text)), messages, asJson) : write(said(text, mistakes)),
      })
  }

  override createCommand(name?: string): Command {
    return new SpeakingCommand(name, this.messages, this.asJson)
  }
}

/** Returns commander's message about a usage error, in one line and without its prefix. */
const sentence = (text: string) =>
  text
    .replace(/^error: /, '')
    .trim()
    .replace(/\s*\n\s*/g, ' ')

/**
 * Returns the program without commands. Commander's own help and error texts are in the language of `messages`; with `asJson` a usage error
 * is an error envelope on standard output. Parsing throws a CommanderError if the program should end.
 */
export function createProgram(messages: Messages, asJson: boolean): Command {
  return new SpeakingCommand('loudsmith', messages, asJson)
    .description(messages.about)
    .version(VERSION, '--version', messages.commander.version)
    .helpCommand('help [command]', messages.commander.help)
    .showHelpAfterError(asJson ? false : messages.commander.seeHelp)
    .exitOverride()
}
