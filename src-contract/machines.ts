/** Machines that master songs for this one, for the application. */
import Type, { type Static } from 'typebox'
import { exactly, oneOf, orNull, Uuid } from './common.ts'
import { endpoints } from './endpoint.ts'

export const MACHINE_STATES = ['waiting', 'working', 'draining', 'refused', 'gone'] as const
export const SOUND_FACTS = ['engine_version', 'ffmpeg', 'simd'] as const
export const MACHINE_WISHES = ['work', 'drain', 'remove'] as const

/** Problems of a farm: with the shared queue, the file storage, or one machine. None loses a song: attempts wait or are repeated. */
export const FARM_TROUBLES = [
  'queue_away',
  'queue_not_encrypted',
  'machine_unreadable',
  'files_away',
  'files_full',
  'files_refused',
  'files_damaged',
  'files_not_encrypted',
  'disk_full',
  'ffmpeg',
  'clock',
  'bytes_differ',
] as const
export type FarmTrouble = (typeof FARM_TROUBLES)[number]

const troubles = (whose: string) =>
  Type.Array(
    exactly({
      code: oneOf(FARM_TROUBLES),
      message: Type.String({ description: 'One sentence, in the language of the request.' }),
    }),
    { description: `What keeps ${whose} from working at this moment, or others from being kept out.` },
  )

export const Machine = exactly({
  name: Type.String({ description: 'Name of the machine, by which it is told.' }),
  state: oneOf(
    MACHINE_STATES,
    '`waiting` for its owner, `working`, `draining` (takes no more songs), `refused` (its masters would have other bytes), `gone`.',
  ),
  differs: Type.Array(oneOf(SOUND_FACTS), {
    description: 'What it differs in from this machine, where it is refused.',
  }),
  cores: Type.Integer({ description: 'Cores of its processor.' }),
  memory_bytes: Type.Integer({ description: 'Memory that it has.' }),
  slots: Type.Integer({ description: 'Songs that it masters at once.' }),
  engine_version: Type.String({ description: 'Version of its engine.' }),
  ffmpeg: Type.String({ description: 'Version, and the first digits of the SHA-256 of the program.' }),
  simd: Type.String({ description: 'Processor whose WebAssembly SIMD is used; `none` without it.' }),
  job_ids: Type.Array(Uuid, { description: 'Jobs that it works on.' }),
  songs_per_hour: Type.Integer({ description: 'Over the last hour, or since it started.' }),
  errors: Type.Integer({ description: 'Attempts that it could not make since it started.' }),
  troubles: troubles('this machine'),
  seen_at: Type.String({ format: 'date-time', description: 'Moment at which it was last seen.' }),
})
export type Machine = Static<typeof Machine>

export const Machines = exactly({
  machines: Type.Array(Machine, {
    description: 'Further machines by name; none where the service runs without a queue.',
  }),
  queue: orNull(
    exactly({
      waiting: Type.Integer({ description: 'Attempts that wait for a machine.' }),
      active: Type.Integer({ description: 'Attempts that a machine works on.' }),
    }),
  ),
  troubles: troubles('the service'),
  audits: exactly(
    {
      compared: Type.Integer({ description: 'Songs that two machines have made.' }),
      different: Type.Integer({ description: 'Of these, those whose bytes were not the same.' }),
    },
    'Since the service was started.',
  ),
})
export type Machines = Static<typeof Machines>

const tag = 'App'

export const machineEndpoints = endpoints({
  listMachines: {
    method: 'GET',
    path: '/app/machines',
    access: 'session',
    tag,
    summary: 'List the further machines that master songs',
    answers: {
      200: {
        description: 'The machines, the queue to them as it was a few seconds ago, and what is wrong.',
        schema: Machines,
      },
    },
    errors: [],
  },
  changeMachine: {
    method: 'PATCH',
    path: '/app/machines/{name}',
    access: 'session',
    tag,
    summary: 'Let a machine finish and take nothing more, leave, or go on',
    params: exactly({ name: Type.String({ description: 'Name of the machine.' }) }),
    body: exactly({
      wish: oneOf(MACHINE_WISHES, 'It acts within a few seconds. `remove` ends its program once it has finished.'),
    }),
    answers: {
      200: {
        description: 'The machine has been told.',
        schema: exactly({ told: Type.Literal(true, { description: 'Always true.' }) }),
      },
    },
    errors: ['NOT_FOUND', 'UNAVAILABLE'],
  },
})
