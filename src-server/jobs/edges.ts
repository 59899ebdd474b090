import { type Edges, edgeFault } from '../../src-contract/edges.ts'
import { AppError } from '../http/app-error.ts'

/** Throws TRIMMED_AWAY or FADES_OVERLAP, naming the setting, for edges that a song of this length cannot have. */
export function requireEdges(edges: Edges, { durationSeconds }: { readonly durationSeconds: number }): void {
  const fault = edgeFault(edges, durationSeconds)
  if (fault) throw new AppError(fault.code, { ...fault.values }, { param: fault.param })
}
