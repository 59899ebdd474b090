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
    'density',
    'multiband',
  ])
})

it('a chain without a kind of stage, or with one twice, does not compile', () => {
  type Kinds<List extends readonly string[]> = { [I in keyof List]: { readonly kind: List[I] } }
  type AllButDensity = Kinds<
    ['declip', 'remove_dc', 'declick', 'rumble_filter', 'mono_bass', 'dynamic_cut', 'equalise', 'match', 'multiband']
  >
  const whole: unknown extends EveryKindOnce<readonly [...AllButDensity, { readonly kind: 'density' }]> ? true : false =
    true
  const short: EveryKindOnce<AllButDensity> = { missing: 'density', repeated: undefined as never }
  const twice: EveryKindOnce<readonly [...AllButDensity, { readonly kind: 'density' }, { readonly kind: 'match' }]> = {
    missing: undefined as never,
    repeated: 'match',
  }
  expect([whole, short.missing, twice.repeated]).toEqual([true, 'density', 'match'])
})
