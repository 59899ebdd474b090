/** Values kept over a reload in the browser's storage. */

/** Parses the value stored under a key; returns `fallback` if it is missing or `isFit` rejects it. Never throws. */
export function readStored<Value>(
  storage: Pick<Storage, 'getItem'>,
  key: string,
  isFit: (stored: Value) => boolean,
  fallback: Value,
): Value {
  try {
    const stored = JSON.parse(storage.getItem(key) ?? '') as Value
    return isFit(stored) ? stored : fallback
  } catch {
    return fallback
  }
}
