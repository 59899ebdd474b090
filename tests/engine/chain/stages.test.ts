import { expect, it } from 'vitest'
import { chain, type EveryKindOnce } from '../../../src-engine/stages/index.ts'

it('the stages run in the order that docs/engine.md describes', () => {
  expect(chain.map(({ kind }) => kind)).toEqual([
    'declip',
    'remove_dc',
    'declick',
    'rumble_filter',
    'mono_bass',
    'dynamic_cut',
    'equalise',
    'match',
    'steer_tone',
    'steer_width',
    'density',
    'multiband',
    'punch',
    'warmth',
  ])
})

it('a chain without a kind of stage, or with one twice, does not compile', () => {
  const none: EveryKindOnce<readonly []> = { missing: 'density', repeated: undefined as never }
  type Twice = readonly [{ readonly kind: 'match' }, { readonly kind: 'declip' }, { readonly kind: 'match' }]
  const twice: EveryKindOnce<Twice> = { missing: 'density', repeated: 'match' }
  expect([none.missing, twice.missing, twice.repeated]).toEqual(['density', 'density', 'match'])
})
