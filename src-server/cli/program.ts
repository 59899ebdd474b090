import { Command } from 'commander'
import { displayWidth } from './text-output.ts'
import type { Words } from './words.ts'

/** Commands below it are of the same kind, so that each speaks the same language. */
class SpeakingCommand extends Command {
  readonly words: Words

  constructor(name: string | undefined, words: Words) {
    super(name)
    this.words = words
    const { titles, help, notes, mistakes } = words.commander
    const said = (text: string, rules: Words['commander']['notes']) =>
      rules.reduce((before, [english, own]) => before.replace(english, own), text)
    this.helpOption('-h, --help', help)
      .configureHelp({
        displayWidth,
        styleTitle: (title) => titles[title] ?? title,
        styleOptionDescription: (text) => said(text, notes),
        styleArgumentDescription: (text) => said(text, notes),
      })
      .configureOutput({ outputError: (text, write) => write(said(text, mistakes)) })
  }

  override createCommand(name?: string): Command {
    return new SpeakingCommand(name, this.words)
  }
}

/** Returns the program without commands. What commander says by itself, in help and about mistakes, it says in the language of `words`. */
export function createProgram(words: Words): Command {
  return new SpeakingCommand('loudsmith', words)
    .description(words.about)
    .helpCommand('help [command]', words.commander.help)
    .showHelpAfterError()
}
