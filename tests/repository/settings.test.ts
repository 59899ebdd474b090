import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { EDGE_NAMES, REFERENCE_NAMES, SETTING_NAMES, STEERING_NAMES } from '../../src-contract/settings.ts'

const root = path.join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')

/** Settings of requests and commands alone: the page makes what it makes without them. */
const WITHOUT_CONTROL: readonly string[] = ['release_level', 'naming', 'ascii_names', 'file_tags']

test('every setting has its control on the page, but for those of requests alone', () => {
  // The curve only draws what the faders set.
  const files = globSync('src-renderer/screens/master/**/*.tsx', { cwd: root })
    .filter((file) => path.basename(file) !== 'response-curve.tsx')
    .map(read)
  const hasControl = (name: string) => {
    const named = new RegExp(`'${name}'|[cC]hange\\(\\{ ${name}\\b|name="${name}"`)
    return files.some((text) => named.test(text))
  }
  expect(SETTING_NAMES.filter((name) => !hasControl(name))).toEqual(WITHOUT_CONTROL)
})

test('the documentation says what every setting of sound and edges does', () => {
  const fields = [...read('docs/engine/steering.md').matchAll(/^\| (`\w+`(?:, `\w+`)*) \|/gm)].flatMap(([, names]) =>
    names!.replaceAll('`', '').split(', '),
  )
  expect([...STEERING_NAMES, ...EDGE_NAMES, ...REFERENCE_NAMES].filter((name) => !fields.includes(name))).toEqual([])
})
