/** A platform: on or off, its target, its ceiling, and the source of the target. */
import { Check } from 'lucide-react'
import type { CSSProperties } from 'react'

/** Ends of the ruler, LUFS. */
const RULER_FROM = -20
const RULER_TO = -6

export interface PlatformCellProps {
  name: string
  label: string
  isOn: boolean
  target: string
  ceiling: string
  targetLufs: number
  source: string
  onToggle: () => void
}

export function PlatformCell(props: PlatformCellProps) {
  const { name, label, isOn, target, ceiling, targetLufs, source, onToggle } = props
  const at = Math.min(1, Math.max(0, (targetLufs - RULER_FROM) / (RULER_TO - RULER_FROM)))
  return (
    <button type="button" className="plat" aria-pressed={isOn} onClick={onToggle} title={label}>
      <span className="nm">
        <span className="clip">{name}</span>
        <span className="box">
          <Check aria-hidden="true" />
        </span>
      </span>
      <span className="tg">
        <span className="num">{target}</span>
        <span className="unit">LUFS</span>
        <span className="lg">
          <span className="num">{ceiling}</span>
          <span className="unit">dBTP</span>
        </span>
      </span>
      <span className="ruler" style={{ '--at': at } as CSSProperties} />
      <span className="tick clip">{source}</span>
    </button>
  )
}
