/** Names of sets of files for people. Pure. */
import { RELEASE } from '../../src-contract/delivery-target.ts'
import { formatFacts } from '../../src-contract/formats.ts'
import { platformNames } from '../../src-contract/platforms/index.ts'
import type { FileSet } from '../../src-contract/release-exports.ts'
import type { Language } from '../../src-contract/text/language.ts'

const WORDS = {
  en: { release: 'release master', none: 'without tags', folder: (name: string) => `folder ${name}` },
  ko: { release: '릴리스 마스터', none: '태그 없음', folder: (name: string) => `${name} 폴더` },
} as const

/** Describes a set: its format, its kind of master, whether it has labels, and its folder. */
export function setName({ folder, master, format, labels }: FileSet, language: Language): string {
  const say = WORDS[language]
  return [
    formatFacts(format).name,
    master === RELEASE ? say.release : platformNames(language)[master],
    ...(labels === 'none' ? [say.none] : []),
    ...(folder === '' ? [] : [say.folder(folder)]),
  ].join(' · ')
}

/** Returns whether two sets, or files of sets, belong to the same set. */
export function sameSet(one: FileSet, other: FileSet): boolean {
  const keys = ['folder', 'master', 'format', 'labels'] as const
  return keys.every((key) => one[key] === other[key])
}
