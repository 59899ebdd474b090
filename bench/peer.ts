/** What another tool must offer to stand in the tables: one file in bench/peers that exports a `peer`. */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import type { Ran } from './cost.ts'

export interface Files {
  /** 16-bit stereo WAV. */
  readonly input: string
  /** WAV to write, 24 bit where the tool can. */
  readonly output: string
}

export interface Peer {
  readonly name: string
  /** Command that succeeds where the tool is installed. */
  readonly check: readonly [program: string, ...rest: string[]]
  /** Renders one master as the tool does by itself. `run` executes a command and counts its cost. */
  readonly reachTarget?: (files: Files, targetLufs: number, ceilingDbtp: number, run: Run) => Promise<void>
  /** Raises by a gain and limits, so that it can be brought to a target from outside in a closed loop. */
  readonly limit?: (files: Files, gainDb: number, ceilingDbtp: number, run: Run) => Promise<void>
}

export type Run = (command: string, commandArguments: readonly string[]) => Promise<Ran>

/** Returns the peers of the folder that are installed, and says which are not. */
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
