/**
 * Runs commands of the terminal one after the other in this process, as the command line is started for each, and prints what each
 * said and how it ended. Only for those that say something and end: help, and mistakes in what was typed.
 */
import { pathToFileURL } from 'node:url'
import { CLI, CLI_MODULE } from './built.ts'

const [node = '', , given = '[]'] = process.argv
const writers = [process.stdout, process.stderr].map((stream) => ({ stream, write: stream.write }))
const said: { code: number; text: string }[] = []
for (const [index, words] of (JSON.parse(given) as string[][]).entries()) {
  let text = ''
  process.argv = [node, CLI, ...words]
  process.exitCode = 0
  for (const { stream } of writers) {
    stream.write = (piece: string | Uint8Array) => {
      text += String(piece)
      return true
    }
  }
  // Another address is another module, which runs from its first line to its last.
  await import(`${pathToFileURL(CLI_MODULE)}?${index}`)
  for (const { stream, write } of writers) stream.write = write
  said.push({ code: Number(process.exitCode), text })
}
process.exitCode = 0
process.stdout.write(JSON.stringify(said))
