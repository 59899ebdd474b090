/** What another tool must offer to stand in the tables: one file in bench/peers that exports a `peer`. */
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
  /** Program that must be on the PATH. */
  readonly program: string
  /** Renders one master as the tool does by itself. `run` executes a command and counts its cost. */
  readonly reachTarget?: (files: Files, targetLufs: number, ceilingDbtp: number, run: Run) => Promise<void>
  /** Raises by a gain and limits, so that it can be brought to a target from outside in a closed loop. */
  readonly limit?: (files: Files, gainDb: number, ceilingDbtp: number, run: Run) => Promise<void>
}

export type Run = (command: string, commandArguments: readonly string[]) => Promise<Ran>

/** Returns every peer of the folder. */
export async function readPeers(): Promise<Peer[]> {
  const folder = path.join(import.meta.dirname, 'peers')
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.ts'))
    .sort()
  return Promise.all(files.map(async (file) => ((await import(path.join(folder, file))) as { peer: Peer }).peer))
}
