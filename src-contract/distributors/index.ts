/** Receivers of releases, in display order: the services' own rules, then distributors, the most used first. */
import { withAdvice } from './advice.ts'
import { amuse } from './amuse.ts'
import { appleMusicDelivery } from './apple_music_delivery.ts'
import { audiomaze } from './audiomaze.ts'
import { catapult } from './catapult.ts'
import { cdBaby } from './cd_baby.ts'
import { distroKid } from './distrokid.ts'
import { ditto } from './ditto.ts'
import { landr } from './landr.ts'
import { melabel } from './melabel.ts'
import { musicMyBand } from './musicmyband.ts'
import { nepcine } from './nepcine.ts'
import { omziki } from './omziki.ts'
import { routeNote } from './routenote.ts'
import type { DistributorProfile } from './rules.ts'
import { spotifyDelivery } from './spotify_delivery.ts'
import { sundesire } from './sundesire.ts'
import { symphonic } from './symphonic.ts'
import { tuneCore } from './tunecore.ts'
import { unitedMasters } from './unitedmasters.ts'

const ALL = [
  ...[spotifyDelivery, appleMusicDelivery],
  ...[distroKid, tuneCore, cdBaby, landr, unitedMasters, amuse, ditto, routeNote],
  ...[symphonic, audiomaze, omziki, musicMyBand, nepcine, melabel, catapult, sundesire],
] as const

export type Distributor = (typeof ALL)[number]['id']

/** Names of all receivers on the wire. */
export const DISTRIBUTORS = ALL.map(({ id }) => id) as unknown as readonly [Distributor, ...Distributor[]]

const BY_ID = new Map<Distributor, DistributorProfile>(
  ALL.map((profile) => [profile.id, { ...profile, rules: withAdvice(profile.rules) }]),
)

/** Returns a receiver with its rules, completed by our advice. */
export function distributorProfile(distributor: Distributor): DistributorProfile {
  return BY_ID.get(distributor)!
}
