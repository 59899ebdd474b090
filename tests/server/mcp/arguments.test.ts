/** Arguments of tools in the shapes in which clients send them. */
import { expect, test } from 'vitest'
import { AppError } from '../../../src-server/http/app-error.ts'
import { ACCOUNT_TOOLS } from '../../../src-server/mcp/account-tools.ts'
import { readArguments } from '../../../src-server/mcp/arguments.ts'
import { BATCH_TOOLS } from '../../../src-server/mcp/batch-tools.ts'
import { RELEASE_TOOLS } from '../../../src-server/mcp/release-tools.ts'
import { SONG_TOOLS } from '../../../src-server/mcp/song-tools.ts'
import { seededRandom } from '../../support/sounds.ts'

const SEED = 20_261
/** A small part of a campaign; `npm run campaign` sets the whole number. */
const ROUNDS = Number(process.env.MCP_ROUNDS ?? 200)

const TOOLS = [...SONG_TOOLS, ...ACCOUNT_TOOLS, ...BATCH_TOOLS, ...RELEASE_TOOLS]
const inputOf = (name: string) => TOOLS.find((tool) => tool.name === name)!.input

test('JSON in strings, nulls and nested values are read by the schema of their place', () => {
  const master = { file: '/a.wav', platforms: ['spotify'] }
  const as = (args: object) => readArguments(inputOf('master'), { ...master, ...args })
  expect(as({ platforms: '["spotify", "melon"]' })).toMatchObject({ platforms: ['spotify', 'melon'] })
  expect(as({ settings: '{"tilt_db": "2", "formats": "[\\"flac24\\"]"}' })).toMatchObject({
    settings: { tilt_db: 2, formats: ['flac24'] },
  })
  // Null stays where it is a valid value.
  expect(as({ title: null, wait: null, settings: { target_lufs: null } })).toEqual({
    ...master,
    settings: { target_lufs: null },
  })
  expect(as({ title: '["spotify"]', artist: '5', metadata: { a: '5', b: null } })).toMatchObject({
    ...{ title: '["spotify"]', artist: '5', metadata: { a: '5', b: null } },
  })
  expect(as({ title: 5, year: 2024 })).toMatchObject({ title: '5', year: '2024' })
  expect(readArguments(inputOf('master'), JSON.stringify({ ...master, confirm: true }))).toEqual({
    ...{ ...master, confirm: true },
  })
  const songs = JSON.stringify([{ path: '/a.wav', job_id: null, tilt_db: '1', release_master: 'true' }])
  expect(readArguments(inputOf('create_batch'), { songs })).toEqual({
    songs: [{ path: '/a.wav', tilt_db: 1, release_master: true }],
  })
  expect(() => readArguments(inputOf('delete_preset'), { name: 5 }), 'what is acted on').toThrow(AppError)
  for (const wrong of [
    { confirm: 'true' },
    { confirm: null },
    { file: null },
    { wait: '1.5' },
    { platforms: 'melon' },
    { title: 0.5 },
  ])
    expect(() => as(wrong), JSON.stringify(wrong)).toThrow(AppError)
})

interface Shape {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly anyOf?: readonly Shape[]
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly minimum?: number
}

const bipolar = seededRandom(SEED)
const random = () => Math.min(0.999_999, Math.abs(bipolar()))
const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)] as Value

const ODD = [
  null,
  '',
  '5',
  'true',
  'null',
  '[]',
  '{}',
  '[[[',
  '"x"',
  '__proto__',
  'a'.repeat(3000),
  '\ud800',
  -1,
  1e308,
]

/** Returns a value that a schema may take, with something odd in some places. */
function sentFor(shape: Shape): unknown {
  if (random() < 0.1) return pick<unknown>([...ODD, true, [], {}, [null], { __proto__: null, constructor: 1 }])
  const value = fitting(shape.anyOf ? pick(shape.anyOf) : shape)
  return random() < 0.25 ? JSON.stringify(value) : value
}

function fitting(shape: Shape): unknown {
  if (shape.enum) return pick(shape.enum)
  if (shape.properties) {
    const chosen = Object.entries(shape.properties).filter(([name]) => name !== 'confirm' && random() < 0.5)
    return Object.fromEntries(chosen.map(([name, member]) => [name, sentFor(member)]))
  }
  if (shape.type === 'array') return shape.items ? [sentFor(shape.items)] : []
  if (shape.type === 'number' || shape.type === 'integer') return shape.minimum ?? 1
  return shape.type === 'boolean' ? random() < 0.5 : '/a'
}

/** Arguments with which nothing but the confirmation is missing. */
const COMPLETE = [
  ['master', { file: '/a.wav', platforms: ['spotify'] }],
  ['create_batch', { songs: [{ path: '/a.wav' }] }],
  ['retry_job', { job_id: 'a' }],
  ['resume_batch', { batch_id: 'a' }],
  ['master_release', { release_id: 'a' }],
] as const

test(`${ROUNDS} hostile arguments (seed ${SEED}): a refusal names the place, and nothing is confirmed that was not`, () => {
  let taken = 0
  for (let round = 0; round < ROUNDS; round++) {
    const isComplete = random() < 0.2
    const [name, complete] = isComplete ? pick(COMPLETE) : [pick(TOOLS).name, undefined]
    const input = inputOf(name)
    const given = complete ?? sentFor(input as Shape)
    const odd = pick(['true', 1, 'yes', null, [true], { true: true }])
    const isObject = typeof given === 'object' && given !== null && !Array.isArray(given)
    const args = isObject && (isComplete || random() < 0.2) ? { ...given, confirm: odd } : given
    try {
      expect(readArguments(input, args).confirm, `round ${round}, ${name}`).toBeUndefined()
      taken++
    } catch (error) {
      expect(error, `round ${round}, ${name}: ${JSON.stringify(args)}`).toMatchObject({ code: 'INVALID_REQUEST' })
      expect((error as AppError).param, `round ${round}, ${name}`).toBeTruthy()
    }
  }
  expect(taken).toBeGreaterThan(ROUNDS / 20)
})
