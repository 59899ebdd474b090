/** State of the machine for the application. */
import type { SystemState } from '../../src-contract/app.ts'
import type { Ffmpeg } from '../../src-worker/media/ffmpeg.ts'
import { FfmpegMissingError } from '../../src-worker/media/locate.ts'
import { tryFfmpegIn } from '../../src-worker/media/trial.ts'
import type { Quarantined } from '../db/quarantine.ts'

export interface SystemStateDeps {
  readonly appVersion: string
  readonly engineVersion: string
  readonly baseUrl: string
  readonly dataDir: string
  /** Folder below it for trials of ffmpeg. */
  readonly tmp: string
  readonly host: SystemState['host']
  readonly hasSimd: boolean
  readonly cores: number
  /** Rejects without an ffmpeg. */
  readonly ffmpeg: () => Promise<Ffmpeg>
  readonly freeBytes: () => number
  readonly usedBytes: () => number
  readonly quarantined: () => Promise<Quarantined>
  /** True if the disk of the data directory has access rights. */
  readonly isPrivate: boolean
}

/** Returns the reader of the machine's state. A missing ffmpeg is null, not an error. */
export function createSystemStateReader(deps: SystemStateDeps): () => Promise<SystemState> {
  const { appVersion, engineVersion, baseUrl, dataDir, tmp, host, hasSimd, ffmpeg, freeBytes, usedBytes } = deps
  const { cores, quarantined, isPrivate } = deps
  let proven: string | undefined
  /** Resolves with the reason that an ffmpeg cannot work in the data folder; a working one is not tried again. */
  const faultOf = async (found: Ffmpeg): Promise<{ fault?: string }> => {
    const name = `${found.path} ${found.version}`
    if (name === proven) return {}
    try {
      await tryFfmpegIn(found, tmp, ['flac', 'mp3'])
      proven = name
      return {}
    } catch (error) {
      return { fault: error instanceof Error ? error.message : String(error) }
    }
  }
  return async () => {
    let lack: SystemState['ffmpeg_lack'] = null
    const found = await ffmpeg().catch((cause: unknown) => {
      lack = cause instanceof FfmpegMissingError ? cause.lack : 'ffmpeg_missing'
      return undefined
    })
    const { folder, items, bytes, leftInPlace } = await quarantined()
    return {
      app_version: appVersion,
      engine_version: engineVersion,
      node_version: process.versions.node,
      base_url: baseUrl,
      data_dir: dataDir,
      ffmpeg: found
        ? { path: found.path, version: found.version, origin: found.origin, ...(await faultOf(found)) }
        : null,
      ffmpeg_lack: lack,
      has_simd: hasSimd,
      cores,
      free_bytes: freeBytes(),
      used_bytes: usedBytes(),
      host,
      is_private: isPrivate,
      quarantine: items > 0 ? { folder, items, bytes, left_in_place: [...leftInPlace] } : null,
    }
  }
}
