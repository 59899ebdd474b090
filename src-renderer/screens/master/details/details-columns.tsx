/** Columns of the song details: how each is read and displayed. */
import type { BatchSong } from '../../../../src-contract/app.ts'
import type { OwnMetadataName } from '../../../../src-contract/metadata.ts'
import { maxMetadataLength } from '../../../../src-contract/metadata-rules.ts'
import { HEADINGS } from '../../../components/sheet/headings.ts'
import type { SheetColumn } from '../../../components/sheet/sheet.tsx'
import { fileText, metadataField } from '../../../state/batch-metadata.ts'
import type { Text } from '../../../text/en.ts'

/** A song with the texts that break a rule. */
export interface DetailsRow {
  readonly place: number
  readonly song: BatchSong
  readonly faulty: Readonly<Record<string, string>>
}

const TABLE_NAMES = [
  'title',
  'artist',
  'album',
  'track',
  'year',
  'isrc',
  'composer',
  'copyright',
  'bpm',
  'comment',
  'lyrics',
] as const satisfies readonly OwnMetadataName[]

/** Returns the text typed for a song, even if it breaks a rule; undefined where the file's tag applies. */
function writtenIn({ song, faulty }: DetailsRow, name: OwnMetadataName): string | undefined {
  return faulty[metadataField(song.source.source_id, name)] ?? song.metadata[name]
}

/** Returns the columns in a language. */
export function detailsColumns(t: Text): SheetColumn<DetailsRow>[] {
  const written = (name: (typeof TABLE_NAMES)[number]): SheetColumn<DetailsRow> => ({
    id: name,
    name: t.songDetails.fields[name],
    label: t.songDetails.fields[name],
    headings: HEADINGS[name],
    className: `c-${name}`,
    maxLength: maxMetadataLength(name),
    hasLines: name === 'lyrics',
    text: (row) => writtenIn(row, name) ?? fileText(row.song, name),
    look(row) {
      const own = writtenIn(row, name)
      return own === undefined ? (
        <span className="clip faint" title={t.songDetails.ofFile}>
          {fileText(row.song, name)}
        </span>
      ) : (
        <span className="clip">{own}</span>
      )
    },
  })
  const place: SheetColumn<DetailsRow> = {
    id: 'place',
    name: '#',
    label: t.release.table.number,
    headings: [],
    className: 'c-number',
    isFixed: true,
    text: ({ place: number }) => String(number),
  }
  return [place, ...TABLE_NAMES.map(written)]
}
