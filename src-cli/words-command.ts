/** `words TEXT`: settings for what a master should sound like, said in words. */
import type { Command } from 'commander'
import type { WordsAnswer } from '../src-contract/words.ts'
import { clientCommands } from './client-command.ts'
import type { Messages } from './messages.ts'

/** Adds `words`. */
export function registerWordsCommand(program: Command, dataDir: string, messages: Messages): void {
  const say = messages.words
  clientCommands(program, dataDir, messages)(
    'words',
    say.about,
    (client, text: string[]) =>
      client.call('readWords', { body: { words: text.join(' '), language: messages.language } }),
    (answer) => [answer.summary, ...optionsOf(answer)].join('\n'),
  ).argument('<text...>', say.text)
}

/** Returns the command-line options for these settings; none if nothing changes. */
function optionsOf({ settings }: WordsAnswer): string[] {
  const options = Object.entries(settings).map(([name, value]) => {
    const option = `--${name.replaceAll('_', '-')}`
    return value === true ? option : `${option} ${[value].flat().join(',')}`
  })
  return options.length === 0 ? [] : [options.join(' ')]
}
