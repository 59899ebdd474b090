/** Interface of another tool in the tables: one file in bench/peers that exports a `peer`. */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import type { Ran } from './cost.ts'

export interface Files {
  /** 16-bit stereo WAV. */
  readonly input: string
  /** WAV to write, 24 bit if the tool can. */
  readonly output: string
}

export interface Peer {
  readonly name: string
  /** Command that succeeds if the tool is installed. */
  readonly check: readonly [program: string, ...rest: string[]]
  /** Renders one master with the tool's own targeting. `run` executes a command and counts its cost. */
  readonly reachTarget?: (files: Files, targetLufs: number, ceilingDbtp: number, run: Run) => Promise<void>
  /** Applies a gain and limits, for a closed loop that brings it to a target from outside. */
  readonly limit?: (files: Files, gainDb: number, ceilingDbtp: number, run: Run) => Promise<void>
}

export type Run = (command: string, commandArguments: readonly string[]) => Promise<Ran>

/** Returns the installed peers of the folder and reports the missing ones. */
export async function readPeers(say: (line: string) => void): Promise<Peer[]> {
  const folder = path.join(import.meta.dirname, 'peers')
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.ts'))
    .sort()
  const peers = await Promise.all(
    files.map(async (file) => ((await import(path.join(folder, file))) as { peer: Peer }).peer),
  )
  return peers.filter(({ name, check: [program, ...rest] }) => {
    const isThere = spawnSync(program, rest, { stdio: 'ignore' }).status === 0
    if (!isThere) say(`Not installed, and left out: ${name}.`)
    return isThere
  })
}
