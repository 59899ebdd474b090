/** Columns of the tracks of a release: how each is read, written and displayed. */
import { CircleX, GripVertical } from 'lucide-react'
import type { Job } from '../../../src-contract/jobs.ts'
import { MAX_TITLE_LENGTH } from '../../../src-contract/limits.ts'
import type { Track } from '../../../src-contract/releases.ts'
import { playingTime } from '../../../src-contract/text/numbers.ts'
import { HEADINGS } from '../../components/sheet/headings.ts'
import type { SheetColumn } from '../../components/sheet/sheet.tsx'
import type { TrackUpload } from '../../state/release-uploads.ts'
import { timeShareOf } from '../../state/time-left.ts'
import type { Text } from '../../text/en.ts'
import type { Format } from '../../text/format.ts'

/** A track with its upload, if any. */
export interface TrackRow {
  readonly track: Track
  readonly upload: TrackUpload | undefined
}

export type TextMember = 'title' | 'version' | 'isrc'
export type NamesMember = 'artists' | 'featured_artists' | 'composers' | 'lyricists'

const TEXT_MEMBERS: readonly string[] = ['title', 'version', 'isrc'] satisfies TextMember[]
const NAMES_MEMBERS: readonly string[] = [
  'artists',
  'featured_artists',
  'composers',
  'lyricists',
] satisfies NamesMember[]
/** Returns the text of a written fact of a track. Pure. */
export function factText(track: Track, member: TextMember | NamesMember): string {
  const value = track[member] ?? ''
  return typeof value === 'string' ? value : value.join('; ')
}

const YES = ['yes', 'y', 'true', '1', 'o', 'explicit', '예', '네']

/** Returns the change of a track for the text of a cell; undefined for a read-only cell. Pure. */
export function trackChangeOf(columnId: string, text: string): Readonly<Record<string, unknown>> | undefined {
  if (TEXT_MEMBERS.includes(columnId)) return { [columnId]: text.trim() }
  if (NAMES_MEMBERS.includes(columnId))
    return { [columnId]: text.split(/[;\n]/).flatMap((name) => (name.trim() === '' ? [] : [name.trim()])) }
  return columnId === 'explicit' ? { explicit: YES.includes(text.trim().toLowerCase()) } : undefined
}

/** Headings that mean a column here: a track is its title. */
const HEADINGS_OF: Readonly<Record<string, readonly string[]>> = {
  title: [...HEADINGS.title, 'track'],
  version: HEADINGS.version,
  artists: HEADINGS.artist,
  featured_artists: ['featured', 'featured artists', 'feat', '피처링'],
  composers: HEADINGS.composer,
  lyricists: HEADINGS.lyricist,
  isrc: HEADINGS.isrc,
  explicit: HEADINGS.explicit,
}

/** Columns that hide where there is no room, the last to hide first, with their widths in CSS pixels. */
const RANKED: readonly (readonly [id: string, widthPx: number])[] = [
  ...([
    ['state', 132],
    ['length', 58],
    ['explicit', 36],
    ['lufs', 112],
    ['isrc', 126],
    ['composers', 130],
  ] as const),
  ...([
    ['artists', 130],
    ['version', 96],
    ['lyricists', 130],
    ['featured_artists', 130],
  ] as const),
]
/** Least width of what always shows: number, title, actions. */
const ALWAYS_PX = 52 + 190 + 70

/** Returns the ids of the columns that have no room in a width, CSS pixels. Pure. */
export function hiddenColumns(widthPx: number, ids: readonly string[]): readonly string[] {
  let left = widthPx - ALWAYS_PX
  return RANKED.flatMap(([id, width]) => {
    if (!ids.includes(id)) return []
    if (width > left) return [id]
    left -= width
    return []
  })
}

function column(id: string, label: string, more: Partial<SheetColumn<TrackRow>>): SheetColumn<TrackRow> {
  return { id, name: label, label, headings: HEADINGS_OF[id] ?? [], className: `c-${id}`, text: () => '', ...more }
}

/** Returns the columns in a language; the loudness of the masters is included if there are masters of the record. */
export interface ColumnsDeps {
  readonly t: Text
  readonly format: Format
  readonly hasMasters: boolean
  readonly jobs: Readonly<Record<string, Job>>
}

export function trackColumns(
  { t, format, hasMasters, jobs }: ColumnsDeps,
  actionsOf: (row: TrackRow) => React.ReactNode,
): SheetColumn<TrackRow>[] {
  const texts = t.release.table
  const written = (id: TextMember, label: string) =>
    column(id, label, { text: ({ track }) => factText(track, id), maxLength: MAX_TITLE_LENGTH })
  const names = (id: NamesMember, label: string) => column(id, label, { text: ({ track }) => factText(track, id) })
  const loudness = column('lufs', texts.loudness, {
    name: 'LUFS',
    isFixed: true,
    text: ({ track }) =>
      track.master?.integrated_lufs === undefined ? '' : format.level(track.master.integrated_lufs),
    look: ({ track }) => <Loudness track={track} t={t} format={format} />,
  })
  return [
    column('number', texts.number, {
      name: '#',
      isFixed: true,
      text: ({ track }) => String(track.position),
      look: ({ track }) => (
        <span className="grip" draggable title={texts.drag}>
          <GripVertical className="i s" aria-hidden="true" />
          {track.position}
        </span>
      ),
    }),
    written('title', texts.title),
    column('length', texts.length, {
      isFixed: true,
      text: ({ track }) => (track.duration_seconds === undefined ? '' : playingTime(track.duration_seconds)),
    }),
    column('state', texts.state, {
      isFixed: true,
      text: (row) => stateText(row, t, jobs),
      look: (row) => <StateLook row={row} text={stateText(row, t, jobs)} />,
    }),
    ...(hasMasters ? [loudness] : []),
    written('version', texts.version),
    names('artists', texts.artists),
    names('featured_artists', texts.featured_artists),
    written('isrc', texts.isrc),
    column('explicit', texts.explicit, {
      name: 'E',
      text: ({ track }) => (track.explicit ? 'yes' : 'no'),
      flag: { on: 'yes', off: 'no', isOn: ({ track }) => track.explicit },
      look: ({ track }) => <ExplicitLook isExplicit={track.explicit} t={t} />,
    }),
    names('composers', texts.composers),
    names('lyricists', texts.lyricists),
    column('actions', texts.actions, { name: '', isFixed: true, look: actionsOf }),
  ]
}

function ExplicitLook({ isExplicit, t }: { isExplicit: boolean; t: Text }) {
  const texts = t.release.table
  return (
    <>
      <span className={`flag ${isExplicit ? 'is-on' : ''}`} aria-hidden="true">
        {isExplicit ? 'E' : ''}
      </span>
      <span className="vh">{isExplicit ? texts.isExplicit : texts.isClean}</span>
    </>
  )
}

/** Returns the remaining time of a running job, s; null before it can be estimated. Pure. */
function leftSeconds({ started_at, tier, progress }: Job, nowMs: number): number | null {
  const share = timeShareOf(tier ?? 'standard', progress)
  if (started_at === undefined || share < LEAST_SHARE) return null
  return ((nowMs - Date.parse(started_at)) / 1000) * (1 / share - 1)
}

/** Share of the work after which the rest can be estimated. */
const LEAST_SHARE = 0.2

/** Returns the stage of a track's job with its percent and the time left. Pure. */
function stageText(job: Job, t: Text): string {
  const stage = job.stage ?? 'waiting'
  if (stage === 'waiting') return t.release.states.queued
  const left = leftSeconds(job, Date.now())
  return `${t.row.stages[stage]} ${job.progress} %${left === null ? '' : `, ${t.row.timeLeft(left)}`}`
}

function stateText({ track, upload }: TrackRow, t: Text, jobs: ColumnsDeps['jobs']): string {
  if (upload?.state === 'sending') return t.release.sending(upload.percent)
  if (upload?.state === 'waiting') return t.release.waitingToSend
  if (upload?.state === 'refused') return t.row.refusedBy[upload.refusal?.code ?? ''] ?? t.release.notAccepted
  const { master } = track
  const job = jobs[master?.job_id ?? track.job_id ?? '']
  if (job?.status === 'queued') return stageText(job, t)
  if (master?.state === 'queued' || master?.state === 'waiting') return t.release.states.queued
  if (master?.state === 'done' || master?.state === 'failed') return t.release.states[master.state]
  return t.release.states[track.state]
}

function StateLook({ row: { track, upload }, text }: { row: TrackRow; text: string }) {
  const state = track.master?.state ?? track.state
  const isBad = upload?.state === 'refused' || (!upload && (state === 'failed' || state === 'gone'))
  const isMade = !upload && (state === 'done' || track.state === 'done')
  return (
    <span title={text} className={`clip state ${isBad ? 'c-bad' : isMade ? 'is-made' : 'faint'}`}>
      {isBad && <CircleX className="i s" aria-hidden="true" />}
      {text}
    </span>
  )
}

/** Largest distance from the record that the dot shows, LU. */
const MOST_LU = 6

/** Loudness of the master, and its position relative to the record. */
function Loudness({ track: { master }, t, format }: { track: Track; t: Text; format: Format }) {
  if (master?.integrated_lufs === undefined) return <span />
  const lufs = format.level(master.integrated_lufs)
  const offset = master.offset_lu ?? 0
  const place = 50 + (50 * Math.max(-MOST_LU, Math.min(MOST_LU, offset))) / MOST_LU
  const text = t.release.record.relationLabel(lufs, format.signed(offset))
  return (
    <span className="beside" title={text}>
      <span className="num">{lufs}</span>
      <span className="rel" role="img" aria-label={text}>
        <i style={{ left: `${place}%` }} />
      </span>
    </span>
  )
}
