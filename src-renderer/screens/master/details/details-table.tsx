/** The details of many songs as a table with the editing and pasting of a spreadsheet. */
import { useMemo, useState } from 'react'
import { OWN_METADATA_NAMES, type OwnMetadataName } from '../../../../src-contract/metadata.ts'
import { metadataText } from '../../../../src-contract/metadata-rules.ts'
import { detailText } from '../../../../src-contract/text/details.ts'
import { Button } from '../../../components/button.tsx'
import { Modal } from '../../../components/dialogs.tsx'
import { Sheet } from '../../../components/sheet/sheet.tsx'
import type { CellText } from '../../../components/sheet/sheet-cells.ts'
import { useApp, useSelect } from '../../../state/app-state.ts'
import { metadataField, type WrittenText } from '../../../state/batch-metadata.ts'
import type { SongRow } from '../../../state/song-rows.ts'
import { useWords } from '../../../text/context.tsx'
import { type DetailsRow, detailsColumns } from './details-columns.tsx'

const isName = (id: string): id is OwnMetadataName => OWN_METADATA_NAMES.some((name) => name === id)

/** Returns the cells that are metadata. Pure. */
export const writtenTexts = (cells: readonly CellText[]): WrittenText[] =>
  cells.flatMap(({ rowId, columnId, text }) => (isName(columnId) ? [{ rowId, name: columnId, text }] : []))

/** Returns track numbers in the order of the songs: 1/12, 2/12. Pure. */
export const numbered = (rowIds: readonly string[]): WrittenText[] =>
  rowIds.map((rowId, at) => ({ rowId, name: 'track', text: `${at + 1}/${rowIds.length}` }))

export function DetailsTable({ rows, onClose }: { rows: readonly SongRow[]; onClose: () => void }) {
  const { batch } = useApp()
  const { t, language } = useWords()
  const faulty = useSelect(batch.metadata.store, (state) => state.faulty)
  const [activeId, setActive] = useState<string | null>(null)
  const [tooMany, setTooMany] = useState(0)
  const columns = useMemo(() => detailsColumns(t), [t])
  const shown = useMemo(
    () =>
      rows.flatMap(({ song }) => (song ? [song] : [])).map((song, at): DetailsRow => ({ place: at + 1, song, faulty })),
    [rows, faulty],
  )
  const faultOf = ({ song }: DetailsRow, columnId: string) => {
    const text = faulty[metadataField(song.source.source_id, columnId as OwnMetadataName)]
    if (text === undefined || !isName(columnId)) return undefined
    const read = metadataText(columnId, text)
    return 'broken' in read ? detailText(read.broken, language) : undefined
  }
  const faults = Object.keys(faulty).filter((field) =>
    shown.some(({ song }) => field.startsWith(song.source.source_id)),
  ).length
  const ids = shown.map(({ song }) => song.source.source_id)
  return (
    <Modal
      title={t.songDetails.tableTitle(shown.length)}
      description={t.songDetails.tableText}
      isOpen
      onClose={onClose}
      shape="full"
    >
      <div className="details-table">
        <Sheet
          label={t.songDetails.tableTitle(shown.length)}
          columns={columns}
          rows={shown}
          idOf={({ song }) => song.source.source_id}
          faultOf={faultOf}
          onWrite={(cells) => {
            setTooMany(0)
            batch.metadata.write(writtenTexts(cells))
          }}
          onFurther={(further) => setTooMany(further.length)}
          onActive={setActive}
          activeId={activeId}
        />
      </div>
      <div className="row">
        <Button small onClick={() => batch.metadata.write(numbered(ids))}>
          {t.songDetails.number(ids.length)}
        </Button>
        <p className="grow clip" role="status">
          {faults > 0 && <span className="c-bad">{t.songDetails.toMend(faults)} </span>}
          {tooMany > 0 && <span className="c-warn">{t.songDetails.tooMany(tooMany)}</span>}
        </p>
        <Button onClick={onClose}>{t.songDetails.done}</Button>
      </div>
    </Modal>
  )
}
