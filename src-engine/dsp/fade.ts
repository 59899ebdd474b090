/** Returns the gain of a fade at a part of its length, 0 (silent) to 1 (untouched). */
export function fadeGain(shape: 'linear' | 'equal_power' | 'smooth', part: number): number {
  switch (shape) {
    case 'linear':
      return part
    case 'equal_power':
      return Math.sqrt(part)
    case 'smooth':
      return (1 - Math.cos(Math.PI * part)) / 2
  }
}
