/** The side column of a release, one part at a time: the upload, the record, the details, or one track. */
import type { Release } from '../../../src-contract/releases.ts'
import { Segmented } from '../../components/choices.tsx'
import { useWords } from '../../text/context.tsx'
import { DetailsPart } from './details-part.tsx'
import { RecordSection } from './record-section.tsx'
import { RecordSound } from './record-sound.tsx'
import { SIDE_PARTS, showPart, useSide } from './side.ts'
import { TrackSide } from './track-side.tsx'
import { UploadPart } from './upload-part.tsx'
import './side.css'

export function ReleaseSide({ release }: { release: Release }) {
  const { t } = useWords()
  const { part, trackId } = useSide()
  const track = release.tracks.find(({ track_id }) => track_id === trackId) ?? release.tracks[0]
  const shown = part === 'track' && !track ? 'details' : part
  const { parts } = t.release
  return (
    <aside className="side release-side" aria-label={t.release.about}>
      <Segmented
        label={t.release.about}
        value={shown}
        onChoose={showPart}
        options={SIDE_PARTS.filter((value) => value !== 'track' || track).map((value) => ({
          value,
          text: value === 'track' ? parts.track(track?.position ?? 1) : parts[value],
        }))}
      />
      {shown === 'upload' && <UploadPart release={release} />}
      {shown === 'record' && <RecordSection release={release} />}
      {shown === 'record' && <RecordSound release={release} />}
      {shown === 'details' && <DetailsPart release={release} />}
      {shown === 'track' && track && <TrackSide key={track.track_id} release={release} track={track} />}
    </aside>
  )
}
