import { describe, expect, it } from 'vitest'
import { PLATFORMS } from '../../../src-contract/platforms/index.ts'
import { chooseTitle, resultFolderName, safeTitle } from '../../../src-worker/result/names.ts'

describe('a title in a file name', () => {
  it.each([
    ['등불 아래', '등불 아래'],
    ['Cafe\u0301', 'Café'],
    ['AC/DC: "Live" <1999>?', 'AC DC Live 1999'],
    ['..\\..\\etc/passwd', 'etc passwd'],
    ['CON', '_CON'],
    ['com1.wav', '_com1.wav'],
    ['aux .remix', '_aux .remix'],
    ['Concert', 'Concert'],
    ['ends with dots...', 'ends with dots'],
    ['a\u202eb\u0000c\nd', 'a b c d'],
    ['...', 'Untitled'],
    ['', 'Untitled'],
    ['lone \ud800 surrogate', 'lone \ufffd surrogate'],
  ])('%j becomes %j', (title, expected) => {
    expect(safeTitle(title)).toBe(expected)
  })

  it('is at most 80 characters and never splits one that is made of several', () => {
    expect(safeTitle('x'.repeat(300))).toBe('x'.repeat(80))
    const family = '👨‍👩‍👧‍👦'
    expect(safeTitle(family.repeat(30)).replaceAll(family, '')).toBe('')
  })

  it('has at most 80 UTF-16 units, as Windows counts, and no single surrogate', () => {
    expect(safeTitle('🌙'.repeat(60))).toBe('🌙'.repeat(40))
    expect(safeTitle(`a${'🌙'.repeat(60)}`)).toBe(`a${'🌙'.repeat(39)}`)
    expect(safeTitle(`aux.${'x'.repeat(200)}`)).toBe(`_aux.${'x'.repeat(75)}`)
  })

  it.each([
    ['Latin letters', 'x'.repeat(300)],
    ['Hangul', '가'.repeat(300)],
    ['emoji', '🌙'.repeat(150)],
    ['words that end where a name is cut', `${'word '.repeat(7)}Word. And so on`.repeat(4)],
    ['a reserved name', `aux.${'y'.repeat(99)}`],
  ])('stays below 260 UTF-16 units where Explorer unpacks it: %s', (_of, title) => {
    const folder = resultFolderName(title, '12345678-0000-4000-8000-000000000000')
    const unpacked = `C:\\Users\\${'u'.repeat(20)}\\Downloads\\${folder} (1)`
    for (const platform of PLATFORMS)
      expect(`${unpacked}\\${folder}\\${safeTitle(title)}_${platform}.wav`.length).toBeLessThan(260)
    expect(folder).toMatch(/^[^ .].*[^ .]_master_12345678$/u)
    expect(folder.isWellFormed()).toBe(true)
  })

  it.each(['Night Train', '밤기차 (Remastered 2024)', 'x'.repeat(40)])(
    'is whole in the folder of an ordinary song: %s',
    (title) => {
      expect(resultFolderName(title, '12345678-0000')).toBe(`${title}_master_12345678`)
    },
  )

  it('leaves room for every ending within the 255 bytes of a file name', () => {
    const zip = `${resultFolderName('가'.repeat(100), '12345678-0000-4000-8000-000000000000')}.zip`
    expect(Buffer.byteLength(zip)).toBeLessThanOrEqual(255)
  })
})

describe('the title of a song', () => {
  it('is the request’s, else the tag’s, else the file’s name', () => {
    expect(chooseTitle('Asked', 'Tagged', 'file.mp3')).toBe('Asked')
    expect(chooseTitle(undefined, 'Tagged', 'file.mp3')).toBe('Tagged')
    expect(chooseTitle(undefined, '  ', 'C:\\music\\My.Song.FLAC')).toBe('My.Song')
    expect(chooseTitle(undefined, undefined, '.mp3')).toBe('Untitled')
  })
})
