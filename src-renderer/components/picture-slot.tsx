/** A slot for a cover picture, chosen or dropped, with its size and advice. */
import { ImagePlus, TriangleAlert } from 'lucide-react'
import { type DragEvent, useState } from 'react'
import type { StoredCover } from '../../src-contract/covers.ts'
import { useWords } from '../text/context.tsx'
import type { Text } from '../text/en.ts'
import { Button } from './button.tsx'
import { Cover } from './cover.tsx'
import { PICTURES, pickFiles } from './pick-files.ts'
import './picture-slot.css'

/** Least width that receivers advise for a cover, pixels (Spotify's and Apple Music's pages of cover art say 3 000; this is the least). */
const ADVISED_PX = 1400

export interface PictureSlotProps {
  /** Fetches the picture; absent without one. */
  read?: (() => Promise<Blob>) | undefined
  /** Size and colours of the picture, as far as known. */
  size?: Pick<StoredCover, 'width_px' | 'height_px' | 'color_model'> | undefined
  /** Owner of the picture, if it cannot be removed here. */
  note?: string | undefined
  onChoose: (picture: File) => void
  /** Absent without a picture to remove. */
  onRemove?: (() => void) | undefined
}

export const isPicture = ({ type, name }: File): boolean =>
  /^image\/(jpeg|png)$/.test(type) || /\.(jpe?g|png)$/i.test(name)

export function PictureSlot({ read, size, note, onChoose, onRemove }: PictureSlotProps) {
  const { t } = useWords()
  const texts = t.release.cover
  const [isOver, setOver] = useState(false)
  const choose = () => void pickFiles(false, PICTURES).then(([picture]) => picture && onChoose(picture))
  const onDrop = (event: DragEvent) => {
    setOver(false)
    const picture = [...event.dataTransfer.files].find(isPicture)
    if (!picture) return
    event.preventDefault()
    onChoose(picture)
  }
  const advice = size && adviceOf(size, texts)
  return (
    <div className="art">
      <button
        type="button"
        className={`art-button ${isOver ? 'is-over' : ''}`}
        aria-label={read ? texts.change : undefined}
        title={read ? texts.change : texts.drop}
        onClick={choose}
        onDragEnter={() => setOver(true)}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
      >
        {read ? (
          <Cover read={read} slices={null} />
        ) : (
          <span className="no-art">
            <ImagePlus className="i" aria-hidden="true" />
            {texts.drop}
          </span>
        )}
      </button>
      {(size || note || onRemove) && (
        <p className="art-facts">
          <span>{size ? texts.size(size.width_px, size.height_px) : note}</span>
          {onRemove && (
            <Button look="quiet" small onClick={onRemove}>
              {texts.remove}
            </Button>
          )}
        </p>
      )}
      {advice && (
        <p className="art-advice c-warn">
          <TriangleAlert className="i s" aria-hidden="true" />
          <span>{advice}</span>
        </p>
      )}
    </div>
  )
}

function adviceOf(
  { width_px, height_px, color_model = 'rgb' }: NonNullable<PictureSlotProps['size']>,
  texts: Text['release']['cover'],
): string | null {
  if (color_model !== 'rgb') return texts.notRgb(color_model)
  if (width_px !== height_px) return texts.notSquare
  return width_px < ADVISED_PX ? texts.small(ADVISED_PX) : null
}
