#!/usr/bin/env node
/**
 * Masters every song that is put into a folder; the ZIPs go into another, under the song's name. What was made is remembered there in
 * `.made.json`: a song is charged once, whatever breaks off or is started anew, and again only when its file has changed.
 * Usage: LOUDSMITH_KEY=ams_live_… node watch.mjs inbox outbox [spotify,melon]
 */
import { randomUUID } from 'node:crypto'
import { access, mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { allPlatforms, create, fetchMasters, JobFailed, Unreachable } from '../node/master.mjs'

const [inbox, outbox, platforms = allPlatforms] = process.argv.slice(2)
if (!inbox || !outbox || !process.env.LOUDSMITH_KEY) {
  console.error('Usage: LOUDSMITH_KEY=ams_live_… node watch.mjs INBOX OUTBOX [PLATFORMS]')
  process.exit(2)
}
const lookEveryMs = 1000 * Number(process.env.LOUDSMITH_POLL_SECONDS ?? 2)
const sizes = new Map()
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
    if (sizes.get(name) === version && !givenUp.has(version) && !(await isMade(name, version)))
      found.push({ name, version })
    sizes.set(name, version)
  }
  return found
}

/** A ZIP of which nothing is remembered stands for its song as it is. */
async function isMade(name, version) {
  const song = songs[name]
  if (song === undefined) return isThere(targetOf(name))
  return song.version === version && song.isMade === true
}

const targetOf = (name) => path.join(outbox, `${name}.zip`)
const isThere = (file) =>
  access(file).then(
    () => true,
    () => false,
  )

await mkdir(outbox, { recursive: true })
const memory = path.join(outbox, '.made.json')
/** By the name of a song: which version of its file it is about, the key, the platforms and the job of that, and whether its ZIP was made. */
const songs = JSON.parse(await readFile(memory, 'utf8').catch(() => '{}'))

async function remember(name, facts) {
  songs[name] = facts
  await writeFile(`${memory}.part`, JSON.stringify(songs))
  await rename(`${memory}.part`, memory)
}

const notBegun = (version) => ({ version, key: randomUUID(), platforms })

async function masterSong(name, version) {
  let song = songs[name]?.version === version ? songs[name] : notBegun(version)
  // Known before the job is made: sent again with its key and for the same platforms, the song is not charged again.
  await remember(name, song)
  if (song.jobId === undefined) {
    const { jobId } = await create(path.join(inbox, name), song.platforms, song.key)
    console.log(`job ${jobId}`)
    song = { ...song, jobId }
    await remember(name, song)
  }
  try {
    await fetchMasters(song.jobId, targetOf(name))
  } catch (error) {
    // The credit is back, and another try needs a job of its own.
    if (error instanceof JobFailed) await remember(name, notBegun(version))
    throw error
  }
  await remember(name, { ...song, isMade: true })
}

console.log(`watching ${inbox}`)
for (;;) {
  const found = await newSongs().catch((error) => {
    // A drive that is away comes back.
    console.error(`not looked into ${inbox}: ${error.message}`)
    return []
  })
  for (const { name, version } of found) {
    try {
      await masterSong(name, version)
      console.log(`mastered ${name}`)
    } catch (error) {
      // Tried again at the next look while nothing answers, else only when the file changes or this program starts anew.
      if (!(error instanceof Unreachable)) givenUp.add(version)
      console.error(`not mastered ${name}: ${error.message}`)
    }
  }
  await sleep(lookEveryMs)
}
