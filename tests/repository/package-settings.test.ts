/** Effects of the installers on a machine, as far as their settings show. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const fromBuilder = createRequire(
  createRequire(createRequire(import.meta.url).resolve('electron-builder/package.json')).resolve(
    'app-builder-lib/package.json',
  ),
)
const { load } = fromBuilder('js-yaml') as { load(text: string): unknown }

interface Settings {
  readonly fileAssociations?: unknown
  readonly mac: { readonly fileAssociations: readonly { ext: string; rank: string }[] }
  readonly win: { readonly fileAssociations?: unknown }
  readonly nsis: { readonly include: string }
}

test('songs can be opened with Loudsmith on every system, and none gives it the place of a player', () => {
  const { fileAssociations, mac, win, nsis } = load(read('electron-builder.yml')) as Settings
  expect(mac.fileAssociations.map(({ ext }) => ext).sort()).toEqual(['flac', 'mp3', 'wav'])
  expect(new Set(mac.fileAssociations.map(({ rank }) => rank))).toEqual(new Set(['Alternate']))
  // electron-builder makes whatever it is told here the default program on Windows.
  expect([fileAssociations, win.fileAssociations]).toEqual([undefined, undefined])
  const script = read(nsis.include)
  for (const macro of ['offerFor', 'withdrawFrom']) {
    const given = [...script.matchAll(new RegExp(`!insertmacro ${macro} "(\\w+)"`, 'g'))].map(([, ext]) => ext)
    expect(given.sort()).toEqual(['flac', 'mp3', 'wav'])
  }
  // The nameless value of an extension's key is its default program.
  expect(script).not.toMatch(/WriteRegStr[^\n]*\.\$\{EXT\}" ""/)
})

test('what is signed without a certificate on macOS is not held to libraries of its own team', () => {
  const { mac } = load(read('electron-builder.adhoc.yml')) as { mac: { identity: string; hardenedRuntime: boolean } }
  expect(mac).toEqual({ identity: '-', hardenedRuntime: false })
  expect(read('.github/workflows/release.yml')).toContain('--config electron-builder.adhoc.yml')
})
