/** File names that may belong to a song; the actual type is recognised by content. */

/** Extensions without their dots, each written as files have it. */
export const SONG_EXTENSIONS = ['mp3', 'wav', 'wave', 'bwf', 'rf64', 'flac'] as const

const EXTENSION = new RegExp(`\\.(${SONG_EXTENSIONS.join('|')})$`, 'i')

/** Returns whether a file of this name may be a song; hidden files may not. Pure. */
export const isSongName = (name: string): boolean => !name.startsWith('.') && EXTENSION.test(name)

/** Removes a song file's extension from a name; other names stay. Pure. */
export const withoutSongExtension = (name: string): string => name.replace(EXTENSION, '')
