import { ADVISED_COVER_PX } from '../../src-contract/limits.ts'
import type { AudioFacts } from './audio-facts.ts'
import type { StoredCover } from './cover.ts'

/**
 * Returns the warnings about the cover of masters, the sent one or else the song's: colours that shops refuse and, for a sent cover, its
 * size. Pure.
 */
export function coverWarnings(sent: StoredCover | undefined, { coverColorModel }: AudioFacts) {
  const { colorModel = 'rgb' } = sent ?? { colorModel: coverColorModel }
  const color = colorModel === 'rgb' ? [] : [{ code: 'COVER_NOT_RGB' as const, values: { colorModel } }]
  if (!sent) return color
  const { widthPx, heightPx } = sent
  const isUsual = widthPx === heightPx && widthPx >= ADVISED_COVER_PX
  return [...(isUsual ? [] : [{ code: 'COVER_UNUSUAL' as const, values: { widthPx, heightPx } }]), ...color]
}
