/** What the owner has chosen. A choice is a row; what was never chosen has its default of the day. */
import path from 'node:path'
import type { Settings } from '../contract/app.ts'
import { DEFAULT_RETENTION_DAYS } from '../contract/limits.ts'
import type { Db } from '../db/open.ts'
import { invalidRequest } from '../http/app-error.ts'
import { locateFfmpeg } from '../media/locate.ts'
import type { SpareRoom } from '../uploads/spare-room.ts'
import { requireOutputFolder } from './chosen-folder.ts'

export interface SettingsArguments {
  readonly db: Db
  readonly dataDir: string
  /** A shorter retention frees room, and other folders take what is written. */
  readonly spareRoom: Pick<SpareRoom, 'use'>
  /** Where plain masters go unless the owner says otherwise; null for a server without a screen. */
  readonly defaultOutputFolder: string | null
  /** Engine processes that suit this machine. */
  readonly defaultEngineWorkers: number
}

/** Makes the settings over an open database. */
export function createSettings(given: SettingsArguments) {
  const { db, dataDir, spareRoom, defaultOutputFolder, defaultEngineWorkers } = given
  const defaults: Settings = {
    language: 'system',
    theme: 'system',
    retention_days: DEFAULT_RETENTION_DAYS,
    disk_quota_bytes: null,
    output_folder: defaultOutputFolder,
    engine_workers: defaultEngineWorkers,
    ffmpeg_path: null,
    is_offline: false,
  }
  const selectAll = db.prepare<[], { name: string; value: string }>('SELECT name, value FROM settings')
  const upsert = db.prepare<[string, string]>(
    'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  )
  const write = db.transaction((patch: Partial<Settings>) => {
    for (const [name, value] of Object.entries(patch)) upsert.run(name, JSON.stringify(value))
  })

  function load(): Settings {
    const chosen = selectAll.all().map(({ name, value }) => [name, JSON.parse(value) as unknown])
    return { ...defaults, ...Object.fromEntries(chosen) }
  }
  let current = load()

  return {
    /** Returns the settings of this moment. */
    read: (): Settings => current,

    /**
     * Stores a change that fits the schema. Throws INVALID_REQUEST for a folder that cannot be written and for what is no ffmpeg
     * that runs.
     */
    async change(patch: Partial<Settings>): Promise<Settings> {
      if (typeof patch.output_folder === 'string') await requireOutputFolder(patch.output_folder, dataDir)
      if (typeof patch.ffmpeg_path === 'string') await requireFfmpeg(patch.ffmpeg_path)
      spareRoom.use(() => write(patch))
      current = load()
      return current
    },
  }
}

export type SettingsStore = ReturnType<typeof createSettings>

async function requireFfmpeg(file: string): Promise<void> {
  try {
    if (!path.isAbsolute(file)) throw new Error('relative')
    await locateFfmpeg({ explicit: file })
  } catch (cause) {
    throw invalidRequest('not_ffmpeg', { param: 'ffmpeg_path', cause })
  }
}
