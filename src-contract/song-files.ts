/** File names that may belong to a song; the actual type is recognised by content. */

/** Extensions without their dots, each written as files have it. */
export const SONG_EXTENSIONS = ['mp3', 'wav', 'wave', 'bwf', 'rf64', 'flac'] as const

/** Value of `accept` that admits the containers below besides MP3, WAV and FLAC. */
export const ACCEPT_ANY = 'any'

/** Accepted kinds of files: the specification's, or all. */
export type Accept = typeof ACCEPT_ANY | undefined

/** Containers that the application accepts besides MP3, WAV and FLAC, by their name in facts, with their display name. */
export const OTHER_CONTAINERS = {
  aiff: { name: 'AIFF', extensions: ['aif', 'aiff', 'aifc'], mediaType: 'audio/aiff', isVideo: false },
  caf: { name: 'CAF', extensions: ['caf'], mediaType: 'audio/x-caf', isVideo: false },
  m4a: { name: 'M4A', extensions: ['m4a'], mediaType: 'audio/mp4', isVideo: false },
  ogg: { name: 'Ogg', extensions: ['ogg', 'oga', 'opus'], mediaType: 'audio/ogg', isVideo: false },
  wavpack: { name: 'WavPack', extensions: ['wv'], mediaType: 'audio/x-wavpack', isVideo: false },
  mp4: { name: 'MP4', extensions: ['mp4', 'm4v'], mediaType: 'video/mp4', isVideo: true },
  mov: { name: 'MOV', extensions: ['mov', 'qt'], mediaType: 'video/quicktime', isVideo: true },
} as const
export type OtherContainer = keyof typeof OTHER_CONTAINERS

/** Returns whether a format of a song's facts is one of these containers. Pure. */
export const isOtherContainer = (format: string): format is OtherContainer => format in OTHER_CONTAINERS

export const OTHER_CONTAINER_NAMES = Object.keys(OTHER_CONTAINERS) as OtherContainer[]

const extensionsOf = (names: readonly OtherContainer[]) => names.flatMap((name) => OTHER_CONTAINERS[name].extensions)

/** Extensions of files in a folder that the application takes: a video in a folder is seldom meant. */
export const FOLDER_EXTENSIONS: readonly string[] = [
  ...SONG_EXTENSIONS,
  ...extensionsOf(OTHER_CONTAINER_NAMES.filter((name) => !OTHER_CONTAINERS[name].isVideo)),
]
/** Extensions of files that the application takes one by one. */
export const ANY_EXTENSIONS: readonly string[] = [...SONG_EXTENSIONS, ...extensionsOf(OTHER_CONTAINER_NAMES)]

const endingIn = (extensions: readonly string[]) => new RegExp(`\\.(${extensions.join('|')})$`, 'i')
const EXTENSION = endingIn(SONG_EXTENSIONS)
const FOLDER_EXTENSION = endingIn(FOLDER_EXTENSIONS)
const ANY_EXTENSION = endingIn(ANY_EXTENSIONS)

const isVisible = (name: string) => !name.startsWith('.')

/** Returns whether a file of this name may be an MP3, WAV or FLAC; hidden files may not. Pure. */
export const isSongName = (name: string): boolean => isVisible(name) && EXTENSION.test(name)

/** Returns whether a file of this name in a folder may be a song that the application takes. Pure. */
export const isFolderSongName = (name: string): boolean => isVisible(name) && FOLDER_EXTENSION.test(name)

/** Returns whether a file of this name, by itself, may be a song that the application takes. Pure. */
export const isAnySongName = (name: string): boolean => isVisible(name) && ANY_EXTENSION.test(name)

/** Removes a song file's extension from a name; other names stay. Pure. */
export const withoutSongExtension = (name: string): string => name.replace(EXTENSION, '')

/** Removes the extension of a song in a container from a name; other names stay. Pure. */
export const withoutAnyExtension = (name: string): string => name.replace(ANY_EXTENSION, '')
