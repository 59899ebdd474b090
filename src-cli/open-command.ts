/** `open`: a one-time link to the page, given to the browser, to a terminal or to a private file, never to a log. */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import { linkOf } from '../src-contract/session.ts'
import { findDataDirectory, ownerOf } from '../src-server/db/data-directory.ts'
import { redirectFile, removeRedirect } from '../src-server/db/redirect-file.ts'
import { type ClientOptions, printFailure, withClientOptions } from './client-command.ts'
import { absolutePath } from './data-dir.ts'
import { FAILED } from './exit-codes.ts'
import type { Messages } from './messages.ts'
import { notSaved } from './save-file.ts'
import { createServiceClient } from './service-client.ts'
import { unusable } from './unusable-input.ts'

interface OpenOptions extends ClientOptions {
  readonly linkFile?: string
  readonly print?: boolean
}

/** Content of one of our own link files, which may be overwritten. */
const LINK_FILE = /^http:\/\/127\.0\.0\.1:\d+\/#\S+\n$/
/** Largest size of a link file, bytes. */
const MAX_LINK_BYTES = 1000

/** Output of the command: one or two lines for a person, JSON members for a program. */
interface Told {
  readonly text: string
  readonly json: object
}

/** Grace period of the opener, ms: without a desktop xdg-open is the browser itself, and ends when it is closed. */
const OPENER_GRACE_MS = 5000

/** Adds `open`. */
export function registerOpenCommand(program: Command, dataDir: string, messages: Messages): void {
  const say = messages.open
  withClientOptions(program.command('open'), dataDir, messages)
    .description(say.about)
    .option('--link-file <file>', say.linkFile, absolutePath(messages))
    .option('--print', say.print)
    .action(async (options: OpenOptions) => {
      try {
        const { text, json } = await open(options, messages)
        process.stdout.write(`${options.json ? JSON.stringify(json) : text}\n`)
      } catch (error) {
        printFailure(error, messages, options.json === true)
        process.exitCode = FAILED
      }
    })
}

async function open(options: OpenOptions, messages: Messages): Promise<Told> {
  const say = messages.open
  const isTerminal = process.stdout.isTTY === true
  if (options.print && !isTerminal) throw unusable(say.noTerminal)
  if (options.linkFile !== undefined) requireReplaceable(options.linkFile, messages)
  const dataDir = findDataDirectory(options.dataDir, { adopts: options.adoptDir === true })
  const link = await newLink(dataDir, messages)
  if (options.linkFile !== undefined) {
    write(options.linkFile, `${link}\n`, messages)
    return { text: say.written(options.linkFile), json: { link_file: options.linkFile } }
  }
  if (options.print) return { text: link, json: { link } }
  // A browser's arguments are visible to every user, so the link is in a file.
  const redirect = redirectFile(dataDir)
  write(redirect, redirectTo(link), messages)
  const isOpened = await openInBrowser(redirect)
  if (!isOpened) removeRedirect(dataDir)
  if (!isOpened && !isTerminal) throw new Error(say.noBrowser)
  // A sandboxed browser may be unable to read the file, so the terminal shows the link too.
  const lines = [...(isOpened ? [say.opened] : []), ...(isTerminal ? [say.orThis(link)] : [])]
  return { text: lines.join('\n'), json: { opened: isOpened } }
}

async function newLink(dataDir: string, messages: Messages): Promise<string> {
  const owner = ownerOf(dataDir)
  if (!owner) throw unusable(messages.open.notRunning)
  const baseUrl = `http://127.0.0.1:${owner.port}`
  const { ticket } = await createServiceClient({ baseUrl, credential: owner.controlToken }, messages).call(
    'createTicket',
  )
  return linkOf(baseUrl, ticket)
}

/** Throws a sentence if `file` exists and is not the link of an earlier call, which may be replaced. */
function requireReplaceable(file: string, messages: Messages): void {
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (!found) return
  const isOurs = found.isFile() && found.size < MAX_LINK_BYTES && LINK_FILE.test(readFileSync(file, 'utf8'))
  if (!isOurs) throw unusable(messages.open.fileThere(file))
}

/** Replaces `file` by a new one of mode 0600. Throws a sentence. */
function write(file: string, text: string, messages: Messages): void {
  const part = `${file}.${randomUUID()}.part`
  try {
    writeFileSync(part, text, { mode: 0o600, flag: 'wx' })
    renameSync(part, file)
  } catch (cause) {
    rmSync(part, { force: true })
    throw notSaved(file, cause, messages)
  }
}

function redirectTo(link: string): string {
  return [
    '<!doctype html><meta charset="utf-8"><title>Loudsmith</title>',
    '<meta name="referrer" content="no-referrer">',
    `<meta http-equiv="refresh" content="0; url=${link}">`,
    `<a href="${link}">Loudsmith</a>\n`,
  ].join('\n')
}

/** Returns whether the system's opener accepted the file: it exits successfully, or keeps running as the browser itself. Never rejects. */
function openInBrowser(file: string): Promise<boolean> {
  const [command, ...messages] =
    process.platform === 'win32'
      ? ['rundll32.exe', 'url.dll,FileProtocolHandler']
      : [process.platform === 'darwin' ? 'open' : 'xdg-open']
  return new Promise((resolve) => {
    const opener = spawn(command as string, [...messages, file], { stdio: 'ignore', windowsHide: true, detached: true })
    const settle = (isOpened: boolean) => {
      clearTimeout(grace)
      opener.unref()
      resolve(isOpened)
    }
    const grace = setTimeout(() => settle(true), OPENER_GRACE_MS)
    opener.on('error', () => settle(false)).on('exit', (code) => settle(code === 0))
  })
}
