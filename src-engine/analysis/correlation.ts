/** Returns the correlation of two equally long series, −1 to 1; 1 where one of them does not move. Never throws. */
export function correlation(one: ArrayLike<number>, other: ArrayLike<number>): number {
  const count = one.length
  let oneSum = 0
  let otherSum = 0
  for (let i = 0; i < count; i++) {
    oneSum += one[i]!
    otherSum += other[i]!
  }
  let oneSquare = 0
  let otherSquare = 0
  let product = 0
  for (let i = 0; i < count; i++) {
    const a = one[i]! - oneSum / count
    const b = other[i]! - otherSum / count
    oneSquare += a * a
    otherSquare += b * b
    product += a * b
  }
  const norm = Math.sqrt(oneSquare * otherSquare)
  return norm > 0 ? product / norm : 1
}
