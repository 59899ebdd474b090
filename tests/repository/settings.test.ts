import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { SETTING_NAMES, STEERING_NAMES } from '../../src-contract/settings.ts'

const root = path.join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')

test('every setting has its control on the page', () => {
  // The curve only draws what the faders set.
  const files = globSync('src-renderer/screens/master/**/*.tsx', { cwd: root })
    .filter((file) => path.basename(file) !== 'response-curve.tsx')
    .map(read)
  const hasControl = (name: string) => {
    const named = new RegExp(`'${name}'|[cC]hange\\(\\{ ${name}\\b|name="${name}"`)
    return files.some((text) => named.test(text))
  }
  expect(SETTING_NAMES.filter((name) => !hasControl(name))).toEqual([])
})

test('the documentation says what every setting of the sound does', () => {
  const fields = [...read('docs/engine/steering.md').matchAll(/^\| (`\w+`(?:, `\w+`)*) \|/gm)].flatMap(([, names]) =>
    names!.replaceAll('`', '').split(', '),
  )
  expect(STEERING_NAMES.filter((name) => !fields.includes(name))).toEqual([])
})
