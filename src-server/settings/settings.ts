/** Settings of the owner. Each choice is a row; a setting without one has the default of this version. */
import path from 'node:path'
import type { Settings } from '../../src-contract/app.ts'
import { DEFAULT_RETENTION_DAYS } from '../../src-contract/limits.ts'
import { realPath } from '../../src-system/disk.ts'
import { type ConfirmedFfmpeg, inspectFfmpeg } from '../../src-worker/media/locate.ts'
import type { Db } from '../db/open.ts'
import { invalidRequest, unusable } from '../http/app-error.ts'
import type { SpareRoom } from '../uploads/spare-room.ts'
import { requireOutputFolder, requireSongFolder } from './chosen-folder.ts'

export interface SettingsDeps {
  readonly db: Db
  readonly dataDir: string
  /** A shorter retention and other folders may free room on a full disk. */
  readonly spareRoom: Pick<SpareRoom, 'use'>
  /** Folder for plain masters unless the owner chooses another; null for a server without a screen. */
  readonly defaultOutputFolder: string | null
  /** Cores of this machine: the most engine processes; the default is half of them. */
  readonly cores: number
}

/** Row of the confirmed digest for `ffmpeg_path`; it is never sent to clients. */
const FFMPEG_SHA256 = 'ffmpeg_sha256'
type Stored = Settings & { [FFMPEG_SHA256]: string | null }

/** Makes the settings over an open database. */
export function createSettings(deps: SettingsDeps) {
  const { db, dataDir, spareRoom, defaultOutputFolder, cores } = deps
  const defaults: Settings = {
    language: 'system',
    theme: 'system',
    retention_days: DEFAULT_RETENTION_DAYS,
    disk_quota_bytes: null,
    output_folder: defaultOutputFolder,
    engine_workers: Math.max(1, Math.floor(cores / 2)),
    ffmpeg_path: null,
    allowed_folders: [],
    farm: null,
    is_offline: false,
  }
  const selectAll = db.prepare<[], { name: string; value: string }>('SELECT name, value FROM settings')
  const upsert = db.prepare<[string, string]>(
    'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  )
  const write = db.transaction((patch: Partial<Stored>) => {
    for (const [name, value] of Object.entries(patch)) upsert.run(name, JSON.stringify(value))
  })

  function load(): { readonly settings: Settings; readonly ffmpegSha256: string | null } {
    const chosen = selectAll.all().map(({ name, value }) => [name, JSON.parse(value) as unknown])
    const { [FFMPEG_SHA256]: ffmpegSha256 = null, ...stored } = Object.fromEntries(chosen) as Partial<Stored>
    const settings = { ...defaults, ...stored }
    // A data folder may come from a larger machine.
    return { settings: { ...settings, engine_workers: Math.min(settings.engine_workers, cores) }, ffmpegSha256 }
  }
  let current = load()

  return {
    /** Returns the current settings. */
    read: (): Settings => current.settings,

    /** Returns the configured ffmpeg with its owner's confirmation; undefined without one. */
    ffmpeg(): ConfirmedFfmpeg | undefined {
      const { settings, ffmpegSha256 } = current
      return settings.ffmpeg_path === null ? undefined : { path: settings.ffmpeg_path, sha256: ffmpegSha256 }
    },

    /**
     * Stores a change that matches the schema and that its caller may make. Throws INVALID_REQUEST for a folder that is not writable, for
     * more engine processes than cores, for a newly allowed folder that is not readable, and for an ffmpeg that does not run. The ffmpeg is
     * run once for this check, which confirms it.
     */
    async change(patch: Partial<Settings>): Promise<Settings> {
      if ((patch.engine_workers ?? 1) > cores)
        throw unusable('engine_workers', { rule: 'between', least: 1, most: cores })
      if (typeof patch.output_folder === 'string') await requireOutputFolder(patch.output_folder, dataDir)
      const folders = patch.allowed_folders
      const allowed = folders ? { allowed_folders: await realFolders(folders, current.settings, dataDir) } : {}
      const confirmed = patch.ffmpeg_path === undefined ? {} : { [FFMPEG_SHA256]: await sha256Of(patch.ffmpeg_path) }
      spareRoom.use(() => write({ ...patch, ...allowed, ...confirmed }))
      current = load()
      return current.settings
    },
  }
}

export type SettingsStore = ReturnType<typeof createSettings>

/** Returns the real paths of folders, each once. Throws INVALID_REQUEST for a newly allowed folder that cannot be read, or is our own. */
async function realFolders(
  folders: readonly string[],
  { allowed_folders: before }: Settings,
  dataDir: string,
): Promise<string[]> {
  const real: string[] = []
  for (const folder of folders) {
    if (!before.includes(folder)) {
      if (!path.isAbsolute(folder)) throw invalidRequest('folder_not_absolute', { param: 'allowed_folders' })
      await requireSongFolder(folder, dataDir, 'allowed_folders')
    }
    real.push(before.includes(folder) ? folder : await realPath(folder))
  }
  return [...new Set(real)]
}

/** Returns the SHA-256 of a working ffmpeg; null without one. Throws INVALID_REQUEST for anything else. */
async function sha256Of(file: string | null): Promise<string | null> {
  if (file === null) return null
  const found = await inspectFfmpeg(file)
  if (typeof found === 'string') throw invalidRequest(found, { param: 'ffmpeg_path' })
  return found.sha256
}
