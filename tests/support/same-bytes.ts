/** Makes expectations compare arrays of numbers by their bytes. Once in a process: each file that adds a rule slows all that follow it. */
import { expect } from 'vitest'

/** Returns whether two arrays of numbers hold the same bytes, or undefined where the usual comparison must tell, which takes seconds for a song. */
function areSameBytes(one: unknown, other: unknown): true | undefined {
  if (!ArrayBuffer.isView(one) || !ArrayBuffer.isView(other) || one.constructor !== other.constructor) return undefined
  const [a, b] = [one, other].map((view) => Buffer.from(view.buffer, view.byteOffset, view.byteLength))
  return a!.equals(b!) || undefined
}
expect.addEqualityTesters([areSameBytes])
