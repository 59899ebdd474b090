import { access, constants } from 'node:fs/promises'
import type { Log } from '../../src-system/log.ts'
import type { Clock, Random } from '../../src-system/system.ts'
import { createDigests, type DigestOf } from '../../src-worker/media/confirmed-binary.ts'
import type { Ffmpeg } from '../../src-worker/media/ffmpeg.ts'
import { type FfmpegPlaces, locateFfmpeg } from '../../src-worker/media/locate.ts'
import { AllowedFolders } from '../access/allowed-folders.ts'
import { Keys } from '../access/keys.ts'
import type { Tickets } from '../access/tickets.ts'
import { Links } from '../artifacts/links.ts'
import { Retention } from '../artifacts/retention.ts'
import { BulkStore } from '../bulk/store.ts'
import type { Config } from '../config.ts'
import { createAccountStore } from '../credits/account.ts'
import { Ledger } from '../credits/ledger.ts'
import type { DataDirectory } from '../db/data-directory.ts'
import type { Db } from '../db/open.ts'
import { createQuarantine } from '../db/quarantine.ts'
import { Removals } from '../db/removals.ts'
import { TrustedTime } from '../db/trusted-time.ts'
import type { FarmWish } from '../farm/places.ts'
import type { FarmTiming } from '../farm/timing.ts'
import { FinishedJobs } from '../jobs/finished-jobs.ts'
import { createFolders } from '../jobs/folders.ts'
import { SourceJobs } from '../jobs/source-jobs.ts'
import { JobStore } from '../jobs/store.ts'
import type { ForkEngine } from '../jobs/worker-pool.ts'
import { Notify } from '../notify/notify.ts'
import { RunStore } from '../releases/run-store.ts'
import { ReleaseStore } from '../releases/store.ts'
import { createSettings, type SettingsStore } from '../settings/settings.ts'
import { SpareRoom } from '../uploads/spare-room.ts'

/** Dependencies that every part of the service gets. */
export interface ServiceDeps {
  readonly dataDir: string
  readonly directory: DataDirectory
  /** True if this process removes expired and left-over files. */
  readonly sweeps: boolean
  readonly host?: 'desktop' | 'browser'
  readonly outputFolder?: string
  readonly resourcesDir?: string
  readonly forkEngine?: ForkEngine
  readonly farm?: FarmWish & {
    readonly allowsMixed?: boolean
    readonly auditEvery?: number
    readonly timing?: FarmTiming
  }
  /** Cores of the machine. */
  readonly cores: number
  readonly config: Config
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** The port that is listened on. */
  readonly port: number
  /** Without a trailing slash. */
  readonly baseUrl: string
  readonly sessionCredential: string
  readonly controlCredential: string
  readonly tickets: Tickets
}

/** A clock that is ahead takes at most the credits of one month early, and none of any later month. */
const LONGEST_MONTH_MS = 31 * 86_400_000

/** Builds the stores over an open database: account, keys, settings, jobs, events. Nothing runs yet. */
export function createCore(deps: ServiceDeps, db: Db) {
  const { dataDir, config, clock, random, log } = deps
  const spareRoom = new SpareRoom({ dataDir, clock, random, log })
  const settings = createSettings({
    db,
    dataDir,
    spareRoom,
    defaultOutputFolder: deps.outputFolder ?? null,
    cores: deps.cores,
  })
  const allowedFolders = new AllowedFolders({ folders: () => settings.read().allowed_folders, dataDir })
  const account = createAccountStore(db)
  const { plan } = account
  const folders = createFolders(dataDir)
  const store = new JobStore(db)
  const finishedJobs = new FinishedJobs(db)
  const time = new TrustedTime({ db, clock, newestMs: () => store.newestMs() })
  const notify = new Notify({
    ...{ db, clock, random, log, plan, baseUrl: deps.baseUrl },
    trustedNow: () => time.now(),
    ownPort: deps.port,
    isOffline: () => settings.read().is_offline,
  })
  const renewalNow = () => Math.min(clock.now(), time.now() + LONGEST_MONTH_MS)
  const keys = new Keys({ db, clock, random, plan, expiryNow: () => time.newest() })
  const removals = new Removals({ db, dataDir, clock, random, log })
  return {
    db,
    spareRoom,
    settings,
    allowedFolders,
    account,
    plan,
    ledger: new Ledger({ db, clock, plan, renewalNow }),
    keys,
    links: new Links({
      ...{ db, clock, random, baseUrl: deps.baseUrl },
      trustedNow: () => time.now(),
      isKeyActive: (keyId) => keys.isActive(keyId),
    }),
    notify,
    folders,
    store,
    finishedJobs,
    sourceJobs: new SourceJobs(db),
    releaseStore: new ReleaseStore(db),
    runStore: new RunStore(db),
    bulkStore: new BulkStore(db),
    time,
    removals,
    quarantine: createQuarantine({ dataDir, clock, log }),
    retention: new Retention({
      db,
      clock,
      time,
      log,
      retentionDays: () => settings.read().retention_days,
      jobs: finishedJobs,
      removals,
      freeing: (run) => spareRoom.use(run),
      notify,
    }),
    ffmpeg: findOnce(() => choiceOf(config, settings), deps.resourcesDir),
  }
}

export type Core = ReturnType<typeof createCore>

/** The ffmpeg that is set: by the environment, or by the owner's confirmed choice. */
type Choice = Pick<FfmpegPlaces, 'explicit' | 'confirmed'>

function choiceOf({ ffmpegPath }: Config, settings: SettingsStore): Choice {
  return { explicit: ffmpegPath, confirmed: ffmpegPath ? undefined : settings.ffmpeg() }
}

/**
 * Returns the configured or found ffmpeg; searches again only if the choice has changed, none was found, or the file is gone or differs
 * from the confirmed one.
 */
function findOnce(choice: () => Choice, resourcesDir: string | undefined): () => Promise<Ffmpeg> {
  const digestOf = createDigests()
  let found: { readonly key: string; readonly ffmpeg: Promise<Ffmpeg> } | undefined
  return async () => {
    const known = found
    const set = choice()
    const isAsKnown = async ({ key, ffmpeg }: NonNullable<typeof found>) =>
      key === JSON.stringify(set) && (await isThere(ffmpeg)) && (await isAsConfirmed(set, digestOf))
    if (known && (await isAsKnown(known))) return known.ffmpeg
    // Another call may have searched meanwhile.
    if (!found || found === known) {
      found = { key: JSON.stringify(set), ffmpeg: locateFfmpeg({ ...set, resourcesDir, digestOf }) }
    }
    return found.ffmpeg
  }
}

async function isAsConfirmed({ confirmed }: Choice, digestOf: DigestOf): Promise<boolean> {
  if (!confirmed) return true
  return digestOf(confirmed.path).then(
    (digest) => digest === confirmed.sha256,
    () => false,
  )
}

async function isThere(ffmpeg: Promise<Ffmpeg>): Promise<boolean> {
  return ffmpeg
    .then(({ path }) => access(path, constants.X_OK))
    .then(
      () => true,
      () => false,
    )
}
