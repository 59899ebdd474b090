/** The endpoints of the machines that master songs for this one. */
import type { FastifyInstance } from 'fastify'
import { ENDPOINTS } from '../../src-contract/endpoints.ts'
import type { FarmTrouble, Machine } from '../../src-contract/machines.ts'
import { farmTroubleText } from '../../src-contract/text/farm-troubles.ts'
import { isoTime } from '../../src-system/system.ts'
import { AppError } from '../http/app-error.ts'
import { route } from '../http/route.ts'
import type { Farm, SeenMachine } from './farm.ts'
import type { SoundFacts } from './machines.ts'

/** Time limit for answers of the queue, ms: requests wait while it is unreachable. */
const ANSWER_LIMIT_MS = 2000

/** Serves `/app/machines`; without a farm there are none. */
export function machineRoutes(app: FastifyInstance, farm: Farm | undefined): void {
  route(app, ENDPOINTS.listMachines, ({ language }) => {
    const told = (troubles: readonly FarmTrouble[]) =>
      troubles.map((code) => ({ code, message: farmTroubleText(code, language) }))
    const machines = farm?.seen().map((machine) => ({ ...shown(machine), troubles: told(machine.troubles) })) ?? []
    return {
      status: 200,
      body: {
        machines,
        queue: farm?.depth() ?? null,
        troubles: told(farm?.troubles() ?? []),
        audits: farm?.audits() ?? { compared: 0, different: 0 },
      },
    }
  })
  route(app, ENDPOINTS.changeMachine, async ({ params: { name }, body: { wish } }) => {
    if (!farm?.seen().some((machine) => machine.name === name && machine.isThere)) throw new AppError('NOT_FOUND')
    await inTime(farm.wish(name, wish === 'work' ? undefined : wish))
    return { status: 200, body: { told: true } }
  })
}

async function inTime<Answer>(answer: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new AppError('UNAVAILABLE')), ANSWER_LIMIT_MS)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}

const FACT_NAMES = { engineVersion: 'engine_version', ffmpeg: 'ffmpeg', simd: 'simd' } as const satisfies Record<
  keyof SoundFacts,
  string
>

function shown(machine: SeenMachine): Omit<Machine, 'troubles'> {
  const { name, cores, slots, ffmpeg, simd, errors } = machine
  return {
    ...{ name, cores, slots, ffmpeg, simd, errors },
    state: machine.isThere ? machine.state : 'gone',
    differs: machine.differs.map((fact) => FACT_NAMES[fact]),
    memory_bytes: machine.memoryBytes,
    engine_version: machine.engineVersion,
    job_ids: machine.isThere ? machine.attempts.map((id) => id.slice(0, id.lastIndexOf('-'))) : [],
    songs_per_hour: machine.songsPerHour,
    seen_at: isoTime(machine.seenAtMs),
  }
}
