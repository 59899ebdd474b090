/** Names of the files that may hold a song; what a file really is, its content tells. */

/** Extensions without their dots, each written as files have it. */
export const SONG_EXTENSIONS = ['mp3', 'wav', 'wave', 'bwf', 'rf64', 'flac'] as const

const EXTENSION = new RegExp(`\\.(${SONG_EXTENSIONS.join('|')})$`, 'i')

/** Returns whether a file of this name may be a song; one that the system hides is none. Pure. */
export const isSongName = (name: string): boolean => !name.startsWith('.') && EXTENSION.test(name)

/** Returns the name of a song's file without the extension; another one stays. Pure. */
export const withoutSongExtension = (name: string): string => name.replace(EXTENSION, '')
