/** Sentences about the details of songs in English. */
import type { OwnMetadataName } from '../../src-contract/metadata.ts'
import { plural } from './plural.ts'

export const detailsEn = {
  title: 'Details',
  ofFile: 'As in the file',
  written: (count: number, of: number) => (count === 0 ? 'As in the files' : `Written for ${count} of ${of}`),
  fields: {
    title: 'Title',
    artist: 'Artist',
    album: 'Album',
    track: 'Track',
    year: 'Year',
    isrc: 'ISRC',
    composer: 'Composer',
    copyright: 'Copyright',
    comment: 'Comment',
    lyrics: 'Lyrics',
    bpm: 'BPM',
  } satisfies Record<OwnMetadataName, string>,
  coverAdvice: 'Square, 1400 px or more is advised',
  asTable: 'Edit as a table',
  tableTitle: (count: number) => `Details of ${plural(count, 'song', 'songs')}`,
  tableText:
    'Type into a cell or paste cells from a spreadsheet; a first row of headings is understood. Grey is what the file says, and what an emptied cell goes back to.',
  number: (count: number) => `Number the tracks 1 to ${count}`,
  tooMany: (count: number) => `${plural(count, 'pasted row', 'pasted rows')} had no song left and stayed out.`,
  toMend: (count: number) => `${plural(count, 'cell', 'cells')} in red: not taken as written.`,
  done: 'Done',
}
