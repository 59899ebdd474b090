import { describe, expect, it } from 'vitest'
import { chooseTitle, resultFolderName, safeTitle } from '../../src-server/artifacts/names.ts'

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
