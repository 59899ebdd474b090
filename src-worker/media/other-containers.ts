/** Containers accepted besides MP3, WAV and FLAC with `accept=any`, one row each. */
import type { FileHandle } from 'node:fs/promises'
import type { OtherContainer } from '../../src-contract/song-files.ts'
import { countAiffChunks, readAiffSound, readAiffTags } from './aiff.ts'
import { countCafTags, readCafSound, readCafTags } from './caf.ts'
import { type ContainerSound, type ContainerTags, MAX_TAG_ENTRIES, type SoundFault } from './container-sound.ts'
import { isText } from './file-bytes.ts'
import { isCrowded } from './id3.ts'
import { countMp4Tags, readMp4Sound, readMp4Tags } from './mp4-song.ts'
import { countOggTags, readOggSound, readOggTags } from './ogg.ts'
import { readWavpackSound } from './wavpack.ts'

interface ContainerKind {
  /** Returns whether a file of this kind starts with these bytes. */
  readonly isIt: (start: Buffer) => boolean
  /** ffmpeg's demuxer, and the options it is called with. */
  readonly demuxer: string
  readonly options?: readonly string[]
  readonly readSound: (handle: FileHandle) => Promise<ContainerSound | SoundFault>
  /** Absent where the tags are around the sound, as in an MP3. */
  readonly readTags?: (handle: FileHandle) => Promise<ContainerTags>
  /** Number of tags that ffmpeg would read. */
  readonly countTags?: (handle: FileHandle) => Promise<number>
}

/** Names of the first box of a file of ISO or QuickTime; any but the first may begin one of QuickTime, which has no brand. */
const FIRST_BOXES = ['ftyp', 'moov', 'mdat', 'wide', 'free', 'skip', 'pnot']
/** Brands of audio files, as opposed to videos and QuickTime. */
const SOUND_BRANDS = /^M4[AB]/

function brandOf(start: Buffer): string | undefined {
  if (!FIRST_BOXES.some((name) => isText(start, 4, name))) return undefined
  return isText(start, 4, 'ftyp') ? start.toString('latin1', 8, 12) : 'qt  '
}

/** Sound in other files, which QuickTime allows, is never read: neither option is set by default, and both are named for good. */
const MOV = {
  demuxer: 'mov',
  options: ['-enable_drefs', '0', '-use_absolute_path', '0'],
  readSound: readMp4Sound,
  readTags: readMp4Tags,
  countTags: countMp4Tags,
}

const KINDS: Readonly<Record<OtherContainer, ContainerKind>> = {
  aiff: {
    isIt: (start) => isText(start, 0, 'FORM') && /^AIF[FC]$/.test(start.toString('latin1', 8, 12)),
    demuxer: 'aiff',
    readSound: readAiffSound,
    readTags: readAiffTags,
    countTags: async (handle) =>
      isCrowded((await readAiffTags(handle)).id3 ?? Buffer.alloc(0))
        ? Number.POSITIVE_INFINITY
        : countAiffChunks(handle),
  },
  caf: {
    isIt: (start) => isText(start, 0, 'caff'),
    demuxer: 'caf',
    readSound: readCafSound,
    readTags: readCafTags,
    countTags: countCafTags,
  },
  m4a: { isIt: (start) => SOUND_BRANDS.test(brandOf(start) ?? ''), ...MOV },
  mov: { isIt: (start) => brandOf(start) === 'qt  ', ...MOV },
  mp4: { isIt: (start) => brandOf(start) !== undefined, ...MOV },
  ogg: {
    isIt: (start) => isText(start, 0, 'OggS'),
    demuxer: 'ogg',
    readSound: readOggSound,
    readTags: readOggTags,
    countTags: countOggTags,
  },
  wavpack: { isIt: (start) => isText(start, 0, 'wvpk'), demuxer: 'wv', readSound: readWavpackSound },
}

/** Returns the container of a file that starts with these bytes; undefined for any other file. Never throws. */
export function containerOf(start: Buffer): OtherContainer | undefined {
  return (Object.keys(KINDS) as OtherContainer[]).find((name) => KINDS[name].isIt(start))
}

/** Returns the sound of a file, or why it is refused. Throws the system's error. */
export async function readContainerSound(
  handle: FileHandle,
  container: OtherContainer,
): Promise<ContainerSound | SoundFault> {
  const { readSound, countTags } = KINDS[container]
  const sound = await readSound(handle)
  if ('fault' in sound) return sound
  return ((await countTags?.(handle)) ?? 0) > MAX_TAG_ENTRIES ? { fault: 'crowded' } : sound
}

/** Returns the tags within a container; undefined if its tags are around the sound. Throws the system's error. */
export async function readContainerTags(
  handle: FileHandle,
  container: OtherContainer,
): Promise<ContainerTags | undefined> {
  return KINDS[container].readTags?.(handle)
}

/** Decoders by the codec of AudioFacts, if their names differ. */
const DECODERS: Readonly<Record<string, string>> = { mp3: 'mp3float,mp3', pcm_u8: 'pcm_u8', pcm_s8: 'pcm_s8' }

/**
 * Returns ffmpeg's demuxer and options for a file. Only the decoder of its codec may run: not that of a picture or a video, which ffmpeg
 * would otherwise try just to describe it.
 */
export function containerInput(
  container: OtherContainer,
  codec: string,
): { readonly format: string; readonly options: readonly string[] } {
  const { demuxer, options = [] } = KINDS[container]
  const decoders = DECODERS[codec] ?? (codec.startsWith('pcm_') ? `${codec}le,${codec}be` : codec)
  return { format: demuxer, options: [...options, '-codec_whitelist', decoders] }
}
