/** Details of the songs in scope: names, codes, lyrics and cover of their masters. */
import { Table2 } from 'lucide-react'
import { type ReactNode, useCallback, useId, useState } from 'react'
import type { BatchSong } from '../../../../src-contract/app.ts'
import type { OwnMetadata, OwnMetadataName } from '../../../../src-contract/metadata.ts'
import { maxMetadataLength, metadataText } from '../../../../src-contract/metadata-rules.ts'
import { detailText } from '../../../../src-contract/text/details.ts'
import { Button } from '../../../components/button.tsx'
import { Fold } from '../../../components/fold.tsx'
import { PictureSlot } from '../../../components/picture-slot.tsx'
import { TextField } from '../../../components/text-field.tsx'
import { useApp, useSelect } from '../../../state/app-state.ts'
import { fileText, metadataField, SHARED_METADATA } from '../../../state/batch-metadata.ts'
import type { SongRow } from '../../../state/song-rows.ts'
import { useWords } from '../../../text/context.tsx'
import type { Text } from '../../../text/en.ts'
import { DetailsTable } from './details-table.tsx'
import './details.css'

/** A song with details, possibly still being uploaded. */
interface Described {
  readonly rowId: string
  readonly metadata: OwnMetadata
  /** Absent until it is stored. */
  readonly song?: BatchSong
}

type Songs = readonly Described[]

function describedIn({ rowId, song, upload }: SongRow): Described[] {
  if (song) return [{ rowId, metadata: song.metadata, song }]
  return upload && upload.state !== 'refused' ? [{ rowId, metadata: upload.metadata ?? {} }] : []
}

const storedOf = (songs: Songs) => songs.flatMap(({ song }) => song ?? [])

const isWritten = ({ metadata, song }: Described) => song?.cover !== undefined || Object.keys(metadata).length > 0

/** Returns the typed details in one line. Pure. */
function summaryOf(songs: Songs, t: Text): string {
  const [song] = songs
  if (!song || songs.length > 1) return t.songDetails.written(songs.filter(isWritten).length, songs.length)
  const names = Object.keys(song.metadata).map((name) => t.songDetails.fields[name as OwnMetadataName])
  return [...names, ...(song.song?.cover ? [t.release.cover.label] : [])].join(' · ') || t.songDetails.ofFile
}

/** Fields of the chosen song, or of all chosen songs of `rows`. */
export function DetailsSection({ rows, chosen }: { rows: readonly SongRow[]; chosen: readonly string[] }) {
  const { t } = useWords()
  const [isTable, setTable] = useState(false)
  const meant = chosen.length === 0 ? rows : rows.filter(({ rowId }) => chosen.includes(rowId))
  const songs = meant.flatMap(describedIn)
  if (storedOf(songs).length === 0) return null
  return (
    <>
      <Fold title={t.songDetails.title} summary={summaryOf(songs, t)}>
        {songs.length === 1 ? <OneSong key={songs[0]?.rowId} songs={songs} /> : <ManySongs songs={songs} />}
        {rows.length > 1 && (
          <Button small icon={<Table2 className="i s" aria-hidden="true" />} onClick={() => setTable(true)}>
            {t.songDetails.asTable}
          </Button>
        )}
      </Fold>
      {isTable && <DetailsTable rows={meant.length > 1 ? meant : rows} onClose={() => setTable(false)} />}
    </>
  )
}

function OneSong({ songs }: { songs: Songs }) {
  return (
    <>
      <Field songs={songs} name="title" />
      <Field songs={songs} name="artist" />
      <Field songs={songs} name="album" />
      <Pair>
        <Field songs={songs} name="track" />
        <Field songs={songs} name="year" />
      </Pair>
      <Pair>
        <Field songs={songs} name="isrc" />
        <Field songs={songs} name="bpm" />
      </Pair>
      <Field songs={songs} name="composer" />
      <Field songs={songs} name="copyright" />
      <Field songs={songs} name="comment" />
      <Lyrics songs={songs} />
      <SongCovers songs={storedOf(songs)} />
    </>
  )
}

function ManySongs({ songs }: { songs: Songs }) {
  return (
    <>
      {SHARED_METADATA.map((name) => (
        <Field key={name} songs={songs} name={name} />
      ))}
      <SongCovers songs={storedOf(songs)} />
    </>
  )
}

const Pair = ({ children }: { children: ReactNode }) => <div className="edge-pair">{children}</div>

interface FieldProps {
  songs: Songs
  name: OwnMetadataName
}

/** The text of a field during typing, and the text of the songs. */
function useField({ songs, name }: FieldProps) {
  const { batch } = useApp()
  const { t, language } = useWords()
  const faulty = useSelect(batch.metadata.store, (state) => state.faulty)
  const [typed, setTyped] = useState<string | null>(null)
  const written = songs.map(({ rowId, metadata }) => faulty[metadataField(rowId, name)] ?? metadata[name] ?? '')
  const shown = songs.map(({ song }, at) => written[at] || (song ? fileText(song, name) : ''))
  const isMixed = shown.some((text) => text !== shown[0])
  const read = metadataText(name, written[0] ?? '')
  return {
    label: t.songDetails.fields[name],
    value: typed ?? (isMixed ? '' : (written[0] ?? '')),
    placeholder: isMixed ? t.sound.mixed : shown[0] || (name === 'lyrics' ? t.songDetails.ofFile : t.release.none),
    // No validation while the text is being typed.
    problem: typed === null && !isMixed && 'broken' in read && detailText(read.broken, language),
    maxLength: maxMetadataLength(name),
    onChange(text: string) {
      setTyped(text)
      batch.metadata.write(songs.map(({ rowId }) => ({ rowId, name, text })))
    },
    onBlur: () => setTyped(null),
  }
}

function Field(props: FieldProps) {
  return <TextField {...useField(props)} isOptional spellCheck={false} />
}

/** Lyrics may have any number of lines. */
function Lyrics({ songs }: { songs: Songs }) {
  const id = useId()
  const { label, problem, onChange, ...field } = useField({ songs, name: 'lyrics' })
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        {label}
      </label>
      <textarea
        id={id}
        className="input lines"
        rows={4}
        {...field}
        onChange={(event) => onChange(event.target.value)}
      />
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  )
}

/** The cover of the songs: their own if all share one, else that in the file of a single song. */
function SongCovers({ songs }: { songs: readonly BatchSong[] }) {
  const { client, batch } = useApp()
  const { t } = useWords()
  const [song] = songs
  const id = song?.source.source_id ?? ''
  const own = songs.every(({ cover }) => cover?.sha256 === song?.cover?.sha256) ? song?.cover : undefined
  const hasOfFile = songs.length === 1 && song?.source.has_cover === true
  // biome-ignore lint/correctness/useExhaustiveDependencies: another picture has another sum
  const read = useCallback(
    () =>
      client
        .open(own ? 'readDeskCover' : 'readSourceCover', { params: { source_id: id } })
        .then((answer) => answer.blob()),
    [client, id, own?.sha256],
  )
  const ids = songs.map(({ source }) => source.source_id)
  const isAnyOwn = songs.some(({ cover }) => cover !== undefined)
  return (
    <section className="field details-cover" aria-label={t.release.cover.label}>
      <span className="label">{t.release.cover.label}</span>
      <PictureSlot
        read={own || hasOfFile ? read : undefined}
        size={own}
        note={isAnyOwn ? t.sound.mixed : hasOfFile ? t.songDetails.ofFile : t.songDetails.coverAdvice}
        onChoose={(picture) => void batch.metadata.setCover(ids, picture)}
        onRemove={isAnyOwn ? () => void batch.metadata.setCover(ids, null) : undefined}
      />
    </section>
  )
}
