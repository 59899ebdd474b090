/** The manual page loudsmith(1), in the macros of man(7), made from the tree of commands. */
import { allCommands, type CommandFacts } from './command-tree.ts'
import { EXIT_CODES } from './exit-codes.ts'

/** Environment variables for users, besides the service's own, which README.md explains. */
const ENVIRONMENT = [
  ['LOUDSMITH_API_KEY', 'API key that loudsmith mcp uses to call the service.'],
  ['LC_ALL, LC_MESSAGES, LANG', 'Language: Korean where the first that is set begins with ko, else English.'],
] as const

/** Returns the page of a program. `settings` are the names of the service's variables. Never throws. */
export function manualPage(program: CommandFacts, version: string, settings: readonly string[]): string {
  const commands = allCommands(program).slice(1)
  return [
    `.TH LOUDSMITH 1 "" "Loudsmith ${escaped(version)}" "User Commands"`,
    '.SH NAME',
    `loudsmith \\- ${escaped(program.about)}`,
    '.SH SYNOPSIS',
    '.B loudsmith',
    '.I command',
    '[\\fIoptions\\fR] [\\fIarguments\\fR]',
    '.SH DESCRIPTION',
    escaped(
      'serve hosts the service; worker masters songs of another machine; every other command is a client of the service that owns the data directory, and starts one for itself where none runs. With --json a command answers in JSON, and a refusal is an error envelope on standard output.',
    ),
    '.SH COMMANDS',
    ...commands.flatMap(section),
    '.SH EXIT STATUS',
    ...EXIT_CODES.flatMap(([code, meaning]) => entry(String(code), meaning)),
    '.SH ENVIRONMENT',
    ...ENVIRONMENT.flatMap(([name, meaning]) => entry(name, meaning)),
    ...entry(settings.join(', '), 'Settings of the service, read at its start.'),
    '',
  ].join('\n')
}

function section({ words, aliases, usage, about, arguments: taken, options }: CommandFacts): string[] {
  return [
    `.SS "${escaped(`${words} ${usage}`)}"`,
    escaped(about),
    ...(aliases.length > 0 ? ['.PP', escaped(`Also called ${aliases.join(', ')}.`)] : []),
    ...taken.filter((one) => one.about !== '').flatMap((one) => entry(one.term, one.about, one.choices)),
    ...options.flatMap(({ flags, about: meaning, choices }) => entry(flags, meaning, choices)),
  ]
}

function entry(term: string, meaning: string, choices: readonly string[] = []): string[] {
  return ['.TP', `.B ${escaped(term)}`, escaped(choices.length > 0 ? `${meaning} (${choices.join(', ')})` : meaning)]
}

/** Returns a one-line text with roff requests and escapes neutralised and hyphens that can be copied. */
function escaped(text: string): string {
  const plain = text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('"', '\\(dq')
  return /^[.']/.test(plain) ? `\\&${plain}` : plain
}
