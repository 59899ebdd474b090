/**
 * Coefficient c of the one-pole smoother state += (1 − c)·(input − state) that covers 63 % of a step in `timeMs`; 0 for a time of 0 (no
 * smoothing). The smoother runs at `stepHz`.
 */
export function onePoleCoefficient(timeMs: number, stepHz: number): number {
  return timeMs > 0 ? Math.exp(-1000 / (timeMs * stepHz)) : 0
}
