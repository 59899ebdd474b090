import { expect, test } from 'vitest'
import type { Edges } from '../../../src-contract/edges.ts'
import { WHOLE_SONG } from '../../../src-contract/settings.ts'
import type { TrackRecord } from '../../../src-server/releases/release.ts'
import { gapBeside, lacksEdges } from '../../../src-server/releases/track-edges.ts'

const PLAIN = {
  ...{ trim_start_seconds: 0, trim_end_seconds: 0, fade_in_seconds: 0, fade_in_shape: 'linear' },
  ...{ fade_out_seconds: 0, fade_out_shape: 'linear', gap_before_seconds: 0, gap_in_file: false },
  continuous_with_next: false,
}
const made = (facts: Partial<TrackRecord['facts']> = {}, edges: Partial<Edges> = {}) => ({
  track: { trackId: 'a', facts: { ...PLAIN, ...facts } } as unknown as TrackRecord,
  edges: { ...WHOLE_SONG, ...edges },
})

test('a track lacks the trims and fades with which its master was not made, and their shapes', () => {
  expect(lacksEdges(made(), undefined)).toBe(false)
  expect(lacksEdges(made({ trim_end_seconds: 2 }), undefined)).toBe(true)
  expect(lacksEdges(made({ trim_end_seconds: 2 }, { trim_end_seconds: 2 }), undefined)).toBe(false)
  expect(lacksEdges(made({}, { trim_end_seconds: 2 }), undefined)).toBe(true)
  const fade = { fade_out_seconds: 3, fade_out_shape: 'smooth' } as const
  expect(lacksEdges(made(fade, fade), undefined)).toBe(false)
  expect(lacksEdges(made(fade, { ...fade, fade_out_shape: 'linear' }), undefined)).toBe(true)
  // The shape of no fade is that of nothing.
  expect(lacksEdges(made({ fade_in_shape: 'smooth' }), undefined)).toBe(false)
})

test('a gap lacks only where it is to be part of the file before it, and is beside the files wherever it is not', () => {
  const [own, inFile] = [made({ gap_before_seconds: 2 }), made({ gap_before_seconds: 2, gap_in_file: true })]
  const [plain, silent] = [made(), made({}, { pad_end_seconds: 2 })]
  expect([lacksEdges(own, plain), gapBeside(own, plain)]).toEqual([false, 2])
  expect([lacksEdges(inFile, plain), gapBeside(inFile, plain)]).toEqual([true, 2])
  expect([lacksEdges(inFile, silent), gapBeside(inFile, silent)]).toEqual([false, 0])
  expect([lacksEdges(inFile, undefined), gapBeside(inFile, undefined)]).toEqual([false, 0])
})

test('a track lacks what goes over into it, and the cut that it asks for after it was made as one', () => {
  const [goesOver, ends] = [made({ continuous_with_next: true }), made()]
  expect([lacksEdges(made(), goesOver), lacksEdges({ ...made(), isContinued: true }, goesOver)]).toEqual([true, false])
  expect([lacksEdges(made(), ends), lacksEdges({ ...made(), isContinued: true }, ends)]).toEqual([false, true])
})
