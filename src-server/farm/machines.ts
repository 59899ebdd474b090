/** Announcements of the machines of a farm and of its owner, kept in Redis for as long as they are repeated. */
import { arch } from 'node:os'
import type { Redis } from 'ioredis'
import Type, { type Static, type TSchema } from 'typebox'
import { oneOf } from '../../src-contract/common.ts'
import { FARM_TROUBLES, type FarmTrouble } from '../../src-contract/machines.ts'
import { engineVersion } from '../../src-engine/version.ts'
import { hasSimd } from '../../src-system/simd.ts'
import type { DigestOf } from '../../src-worker/media/confirmed-binary.ts'
import type { Ffmpeg } from '../../src-worker/media/ffmpeg.ts'
import { ATTEMPT_ID } from './blobs.ts'
import { closed, MessageFault, PROTOCOL, read } from './messages.ts'
import { type FarmTiming, MISSED_BEATS } from './timing.ts'

/** Everything besides the order that the bytes of a master depend on. */
export interface SoundFacts {
  readonly engineVersion: string
  /** Version and the first digits of the SHA-256 of the program. */
  readonly ffmpeg: string
  readonly simd: string
}

/** Announcement of a machine. */
export interface Announcement extends SoundFacts {
  readonly protocol: typeof PROTOCOL
  readonly name: string
  /** Of one start of the program. */
  readonly instance: string
  readonly cores: number
  readonly memoryBytes: number
  /** Songs that it masters at once. */
  readonly slots: number
  readonly state: 'waiting' | 'working' | 'draining' | 'refused'
  /** Facts in which a refused machine differs from the owner. */
  readonly differs: readonly (keyof SoundFacts)[]
  /** Attempts that it works on. */
  readonly attempts: readonly string[]
  readonly songsPerHour: number
  readonly errors: number
  /** Problems that currently keep it from working. */
  readonly troubles: readonly FarmTrouble[]
  /** Its wall clock, milliseconds since 1970. */
  readonly nowMs: number
}

/** Announcement of the owner. */
export interface OwnerAnnouncement extends SoundFacts {
  readonly protocol: typeof PROTOCOL
  readonly databaseId: string
  readonly allowsMixed: boolean
  /** Its wall clock, milliseconds since 1970. */
  readonly nowMs: number
}

/** Wish of the owner about a machine. */
const WISHES = ['drain', 'remove'] as const
export type Wish = (typeof WISHES)[number]

const facts = {
  protocol: Type.Literal(PROTOCOL),
  ...{ engineVersion: Type.String(), ffmpeg: Type.String(), simd: Type.String(), nowMs: Type.Number() },
}
const amount = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

/** Upper bound for the songs that a machine masters at once. */
const MOST_SLOTS = 1024

const Machine = closed<Announcement>()({
  ...facts,
  ...{ name: Type.String(), instance: Type.String(), cores: amount, memoryBytes: amount, errors: amount },
  slots: Type.Integer({ minimum: 1, maximum: MOST_SLOTS }),
  state: oneOf(['waiting', 'working', 'draining', 'refused']),
  differs: Type.Array(oneOf(['engineVersion', 'ffmpeg', 'simd'])),
  attempts: Type.Array(Type.String({ pattern: ATTEMPT_ID.source }), { maxItems: MOST_SLOTS }),
  songsPerHour: amount,
  troubles: Type.Array(oneOf(FARM_TROUBLES), { uniqueItems: true }),
})
const Owner = closed<OwnerAnnouncement>()({
  ...facts,
  ...{ databaseId: Type.String(), allowsMixed: Type.Boolean() },
})

/** Longest announcement that is read, characters. */
const MOST_CHARACTERS = 131_072

/** Prefix of all our keys, including those of BullMQ. */
export const KEY_PREFIX = 'loudsmith'
const OWNER_KEY = `${KEY_PREFIX}:owner`
const machineKey = (name: string) => `${KEY_PREFIX}:machine:${name}`
const wishKey = (name: string) => `${KEY_PREFIX}:wish:${name}`
const givenUpKey = (attemptId: string) => `${KEY_PREFIX}:given-up:${attemptId}`

/** Time for which an attempt that was given up is remembered, s: longer than any takes. */
const GIVEN_UP_SECONDS = 86_400

/** Digits of a checksum that tell two builds apart. */
const BUILD_DIGITS = 12

/** Returns the facts of this machine. Rejects with what `ffmpeg` does. */
export async function soundFacts(ffmpeg: () => Promise<Ffmpeg>, digestOf: DigestOf): Promise<SoundFacts> {
  const { path, version } = await ffmpeg()
  const build = (await digestOf(path)).slice(0, BUILD_DIGITS)
  return { engineVersion, ffmpeg: `${version} (${build})`, simd: hasSimd() ? arch() : 'none' }
}

/** Returns the facts in which a machine would make other bytes than the owner. Pure. */
export function differences(own: SoundFacts, owner: SoundFacts): (keyof SoundFacts)[] {
  return (['engineVersion', 'ffmpeg', 'simd'] as const).filter((fact) => own[fact] !== owner[fact])
}

/** Difference between two clocks that is reported, ms: far beyond the age of an announcement. */
const CLOCK_LIMIT_MS = 60_000

/** Returns whether an announcement comes from a clock that is off by more than a minute. Pure. */
export function isClockOff({ nowMs }: Pick<Announcement, 'nowMs'>, ownMs: number): boolean {
  return Math.abs(nowMs - ownMs) > CLOCK_LIMIT_MS
}

/** Announcements of owner and machines in Redis. All methods reject with the connection's error. */
export class Machines {
  readonly #redis: Redis
  readonly #lifeMs: number

  constructor(redis: Redis, { beatMs }: Pick<FarmTiming, 'beatMs'>) {
    this.#redis = redis
    this.#lifeMs = beatMs * MISSED_BEATS
  }

  async announce(machine: Announcement): Promise<void> {
    await this.#redis.set(machineKey(machine.name), JSON.stringify(machine), 'PX', this.#lifeMs)
  }

  async announceOwner(owner: OwnerAnnouncement): Promise<void> {
    await this.#redis.set(OWNER_KEY, JSON.stringify(owner), 'PX', this.#lifeMs)
  }

  async owner(): Promise<OwnerAnnouncement | undefined> {
    return known(Owner, await this.#text(OWNER_KEY))
  }

  async find(name: string): Promise<Announcement | undefined> {
    return known(Machine, await this.#text(machineKey(name)))
  }

  /** Returns the present machines by name, and the keys with unreadable announcements, with the reason. */
  async list(): Promise<{ readonly machines: Announcement[]; readonly unreadable: ReadonlyMap<string, string> }> {
    const keys = new Set<string>()
    for await (const found of this.#redis.scanStream({ match: machineKey('*'), count: 1000 })) {
      for (const key of found as string[]) keys.add(key)
    }
    const machines: Announcement[] = []
    const unreadable = new Map<string, string>()
    for (const key of [...keys].sort()) {
      try {
        const text = await this.#text(key)
        const machine = text === null ? undefined : announcement(Machine, text)
        if (machine && machineKey(machine.name) !== key) throw new MessageFault('it has the name of another')
        if (machine) machines.push(machine)
      } catch (cause) {
        if (!(cause instanceof MessageFault)) throw cause
        unreadable.set(key, cause.message)
      }
    }
    return { machines, unreadable }
  }

  /** Returns the text under a key, or null. Rejects with a {@link MessageFault} for any other or too large a value. */
  async #text(key: string): Promise<string | null> {
    try {
      const text = await this.#redis.getrange(key, 0, MOST_CHARACTERS)
      if (text.length > MOST_CHARACTERS) throw new MessageFault('it is too long')
      return text === '' ? null : text
    } catch (cause) {
      throw /^WRONGTYPE/.test((cause as Error).message) ? new MessageFault('it is no text') : cause
    }
  }

  /** Takes an announcement back. */
  async leave(name: string): Promise<void> {
    await this.#redis.del(machineKey(name), wishKey(name))
  }

  async wish(name: string, wish: Wish | undefined): Promise<void> {
    if (wish) await this.#redis.set(wishKey(name), wish)
    else await this.#redis.del(wishKey(name))
  }

  async wishFor(name: string): Promise<Wish | undefined> {
    const wish = await this.#text(wishKey(name))
    return WISHES.find((known) => known === wish)
  }

  /** Tells the machine of an attempt that its result will not be used. */
  async giveUp(attemptId: string): Promise<void> {
    await this.#redis.set(givenUpKey(attemptId), '1', 'EX', GIVEN_UP_SECONDS)
  }

  async isGivenUp(attemptId: string): Promise<boolean> {
    return (await this.#redis.exists(givenUpKey(attemptId))) === 1
  }
}

/** Returns an announcement that fits its schema. Throws a {@link MessageFault} for anything else. */
function announcement<Schema extends TSchema>(schema: Schema, text: string): Static<Schema> {
  try {
    return read(schema, JSON.parse(text))
  } catch (cause) {
    throw cause instanceof SyntaxError ? new MessageFault('it is no JSON') : cause
  }
}

/** Returns an announcement; undefined for a missing or unreadable one. */
function known<Schema extends TSchema>(schema: Schema, text: string | null): Static<Schema> | undefined {
  try {
    return text === null ? undefined : announcement(schema, text)
  } catch (cause) {
    if (cause instanceof MessageFault) return undefined
    throw cause
  }
}
