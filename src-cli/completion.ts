/** Shell completion scripts, made from the tree of commands. */
import { allCommands, type CommandFacts, type OptionFacts } from './command-tree.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/** Returns the script of a shell for a program. Never throws. */
export function completionScript(shell: Shell, program: CommandFacts): string {
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](program)
}

/** Last words of a command: its name and its aliases. */
const namesOf = ({ words, aliases }: CommandFacts) => [words.slice(words.lastIndexOf(' ') + 1), ...aliases]
const parentOf = ({ words }: CommandFacts) => words.slice(0, words.lastIndexOf(' '))
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** Lines of `case` that lead from a command by a word to the next. */
function steps(program: CommandFacts, change: (words: string) => string): string[] {
  return allCommands(program)
    .slice(1)
    .map((command) => {
      const patterns = namesOf(command).map((name) => `"${parentOf(command)} ${name}"`)
      return `${patterns.join('|')}) ${change(command.words)} ;;`
    })
}

/** Calls `line` for each option that takes a value, and returns the lines. */
function values(program: CommandFacts, line: (place: string, option: OptionFacts) => string): string[] {
  return allCommands(program).flatMap(({ words, options }) =>
    options.filter(({ takesValue }) => takesValue).map((option) => line(`"${words} ${option.long}")`, option)),
  )
}

const indented = (lines: readonly string[]) => lines.map((line) => `      ${line}`).join('\n')

/** Returns the line for a value: one of the choices, or bash's own completion of files. */
function bashValue(place: string, { choices }: OptionFacts): string {
  const reply = choices.length > 0 ? `COMPREPLY=($(compgen -W ${quoted(choices.join(' '))} -- "$current")); ` : ''
  return `${place} ${reply}return ;;`
}

function bashScript(program: CommandFacts): string {
  const words = allCommands(program).map(({ words: at, commands, options, arguments: taken }) => {
    const offered = [
      ...commands.flatMap(namesOf),
      ...taken.flatMap(({ choices }) => choices),
      ...options.map(({ long }) => long),
    ]
    return `"${at}") offered=${quoted(offered.join(' '))} ;;`
  })
  return `# Completion of loudsmith for bash: source <(loudsmith completion bash)
_loudsmith() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} at=loudsmith word offered=
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $word" in
${indented(steps(program, (at) => `at="${at}"`))}
    esac
  done
  case "$at $before" in
${indented(values(program, bashValue))}
  esac
  case "$at" in
${indented(words)}
  esac
  COMPREPLY=($(compgen -W "$offered" -- "$current"))
}
complete -o default -F _loudsmith loudsmith
`
}

function zshScript(program: CommandFacts): string {
  const entry = (name: string, about: string) => quoted(`${name.replaceAll(':', '\\:')}:${about}`)
  const words = allCommands(program).map(({ words: at, commands, options, arguments: taken }) => {
    const offered = [
      ...commands.flatMap((command) => namesOf(command).map((name) => entry(name, command.about))),
      ...taken.flatMap(({ choices, about }) => choices.map((choice) => entry(choice, about))),
      ...options.map(({ long, about }) => entry(long, about)),
    ]
    return `"${at}") offered=(${offered.join(' ')}) ;;`
  })
  return `#compdef loudsmith
# Completion of loudsmith for zsh: source <(loudsmith completion zsh)
_loudsmith() {
  local at=loudsmith word
  local -a offered
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
${indented(steps(program, (at) => `at="${at}"`))}
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${indented(values(program, (place, { choices }) => `${place} ${choices.length > 0 ? `compadd -- ${choices.map(quoted).join(' ')}` : '_files'}; return ;;`))}
  esac
  case "$at" in
${indented(words)}
  esac
  _describe 'loudsmith' offered || _files
}
compdef _loudsmith loudsmith
`
}

function fishScript(program: CommandFacts): string {
  const fishQuoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  const moves = allCommands(program)
    .slice(1)
    .map((command) => {
      const patterns = namesOf(command).map((name) => fishQuoted(`${parentOf(command)} ${name}`))
      return `            case ${patterns.join(' ')}\n                set at ${fishQuoted(command.words)}`
    })
  const lines = allCommands(program).flatMap((command) => {
    const at = `complete -c loudsmith -n ${fishQuoted(`__loudsmith_at ${command.words}`)}`
    return [
      ...command.commands.flatMap((one) =>
        namesOf(one).map((name) => `${at} -f -a ${fishQuoted(name)} -d ${fishQuoted(one.about)}`),
      ),
      ...command.arguments
        .filter(({ choices }) => choices.length > 0)
        .map(({ choices, about }) => `${at} -f -a ${fishQuoted(choices.join(' '))} -d ${fishQuoted(about)}`),
      ...command.options.map(({ long, about, takesValue, choices }) => {
        const value = choices.length > 0 ? ` -x -a ${fishQuoted(choices.join(' '))}` : takesValue ? ' -r' : ''
        return `${at} -l ${long.replace(/^--?/, '')}${value} -d ${fishQuoted(about)}`
      }),
    ]
  })
  return `# Completion of loudsmith for fish: loudsmith completion fish | source
function __loudsmith_at
    set -l at loudsmith
    for word in (commandline -opc)[2..-1]
        switch "$at $word"
${moves.join('\n')}
        end
    end
    test "$at" = "$argv"
end
${lines.join('\n')}
`
}
