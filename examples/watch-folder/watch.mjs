#!/usr/bin/env node
/**
 * Masters every song that is put into a folder; the ZIPs go into another, under the song's name.
 * Usage: LOUDSMITH_KEY=ams_live_… node watch.mjs inbox outbox [spotify,melon]
 */
import { randomUUID } from 'node:crypto'
import { access, mkdir, readdir, rename, stat } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { allPlatforms, master, Unreachable } from '../node/master.mjs'

const [inbox, outbox, platforms = allPlatforms] = process.argv.slice(2)
if (!inbox || !outbox || !process.env.LOUDSMITH_KEY) {
  console.error('Usage: LOUDSMITH_KEY=ams_live_… node watch.mjs INBOX OUTBOX [PLATFORMS]')
  process.exit(2)
}
const lookEveryMs = 1000 * Number(process.env.LOUDSMITH_POLL_SECONDS ?? 2)
const sizes = new Map()
const keys = new Map()
const givenUp = new Set()

/** Songs that have not been mastered yet and whose size has not changed since the last look: they are copied completely. */
async function newSongs() {
  const found = []
  for (const name of await readdir(inbox)) {
    if (name.startsWith('.') || !/\.(mp3|wav|flac)$/i.test(name)) continue
    const facts = await stat(path.join(inbox, name)).catch(() => undefined)
    // Gone since it was listed, as the name of an unfinished copy is, or a folder.
    if (!facts?.isFile()) continue
    const { size, mtimeMs } = facts
    const version = `${name} ${size} ${mtimeMs}`
    if (sizes.get(name) === version && !givenUp.has(version) && !(await isThere(targetOf(name))))
      found.push({ name, version })
    sizes.set(name, version)
  }
  return found
}

const targetOf = (name) => path.join(outbox, `${name}.zip`)
const isThere = (file) =>
  access(file).then(
    () => true,
    () => false,
  )

await mkdir(outbox, { recursive: true })
console.log(`watching ${inbox}`)
for (;;) {
  const songs = await newSongs().catch((error) => {
    // A drive that is away comes back.
    console.error(`not looked into ${inbox}: ${error.message}`)
    return []
  })
  for (const { name, version } of songs) {
    const part = path.join(outbox, `.${name}.part`)
    try {
      // The same song keeps its key: when it is sent again, it is not charged again.
      if (!keys.has(version)) keys.set(version, randomUUID())
      await master(path.join(inbox, name), part, platforms, keys.get(version))
      await rename(part, targetOf(name))
      console.log(`mastered ${name}`)
    } catch (error) {
      // Tried again at the next look while nothing answers, else only when the file changes.
      if (!(error instanceof Unreachable)) givenUp.add(version)
      console.error(`not mastered ${name}: ${error.message}`)
    }
  }
  await sleep(lookEveryMs)
}
