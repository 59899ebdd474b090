/** Releases as tables of spreadsheets: whatever encoding and separator, formulas as texts, and all or nothing. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Release } from '../../../src-contract/releases.ts'
import { readRows } from '../../../src-server/releases/csv-columns.ts'
import { readTable, writeTable } from '../../../src-server/releases/csv-table.ts'
import { createHeldEngine } from '../../support/held-engine.ts'
import { type Service, startService } from '../../support/service.ts'

const bytes = (text: string) => new Uint8Array(Buffer.from(text))
const cellsOf = (table: Uint8Array) => readTable(table).rows.map(({ cells }) => cells)

describe('a table', () => {
  const plain = 'title,artists\n밤,"하늘, 바다"\n'
  const utf16 = Buffer.from('\ufefftitle\tartists\n밤\t하늘, 바다\n', 'utf16le')
  // "밤" and "하늘, 바다" in code page 949, as Excel in Korean saves them.
  const cp949 = [
    ...bytes('title;artists\r\n'),
    0xb9,
    0xe3,
    0x3b,
    0xc7,
    0xcf,
    0xb4,
    0xc3,
    0x2c,
    0x20,
    0xb9,
    0xd9,
    0xb4,
    0xd9,
  ]

  test.each([
    ['UTF-8', bytes(plain)],
    ['UTF-8 with a byte order mark', bytes(`\ufeff${plain}`)],
    ['UTF-16 with tabs', new Uint8Array(utf16)],
    ['UTF-16 of the other order', new Uint8Array(Buffer.from(utf16).swap16())],
    ['code page 949 with semicolons', Uint8Array.from(cp949)],
  ])('in %s is read', (_, table) => {
    expect(readTable(table).header).toEqual(['title', 'artists'])
    expect(cellsOf(table)).toEqual([['밤', '하늘, 바다']])
  })

  test('keeps quotes, line breaks and the numbers of its rows; short rows are filled up', () => {
    expect(readTable(bytes('a,b\n"say ""hi""\nyou",x\n\n,\nshort\n')).rows).toEqual([
      { row: 2, cells: ['say "hi"\nyou', 'x'] },
      { row: 5, cells: ['short', ''] },
    ])
  })

  test('keeps a formula as text, and writes it so that no spreadsheet calculates it', () => {
    const cells = ['=1+1', '+82', '-3', '@x', '\tx', '＝1', "'=1", "''=1", "'Til Dawn", 'a=b', '']
    expect(cellsOf(bytes(`a\n${cells.slice(0, 4).join('\n')}`))).toEqual(cells.slice(0, 4).map((cell) => [cell]))
    const written = writeTable(['a', ...cells.map(String)], [cells.concat('end')])
    for (const cell of written.split('\r\n')[1]?.split(',') ?? []) expect(cell).not.toMatch(/^"?[=+\-@\t＝]/)
    expect(cellsOf(bytes(written))).toEqual([cells.concat('end')])
    expect(written).toMatch(/^\ufeff/)
  })

  test.each([
    ['', 'csv_no_rows'],
    ['title\n', 'csv_no_rows'],
    ['title\n"open', 'csv_unreadable'],
    [`title\n${'x\n'.repeat(501)}`, 'csv_too_many_rows'],
  ])('%j is refused: %s', (text, reason) => {
    expect(() => readTable(bytes(text))).toThrow(
      expect.objectContaining({ values: expect.objectContaining({ reason }) }),
    )
  })

  test('of 500 rows is read, and bytes of no encoding are not', () => {
    expect(readTable(bytes(`title\n${'x\n'.repeat(500)}`)).rows).toHaveLength(500)
    expect(() => readTable(Uint8Array.of(0x61, 0x0a, 0xff, 0x80, 0xff))).toThrow('INVALID_REQUEST')
  })
})

describe('the columns of a table', () => {
  const rowsOf = (text: string) => readRows(readTable(bytes(text)))

  test('are known by their headings in English and Korean, in any order and case, and others are named', () => {
    const { rows, ignored } = rowsOf('작곡,Mood,곡명,앨범,TYPE,Explicit,No.\n김; 이,sad,밤,정원,EP,예,3\n')
    expect(ignored).toEqual(['Mood'])
    expect(rows).toEqual([
      {
        ...{ row: 2, trackNumber: 3, release: { title: '정원', kind: 'ep' } },
        track: { composers: ['김', '이'], title: '밤', explicit: true },
      },
    ])
  })

  test('leave what they lack and what is empty where it is needed, and clear what can be left out', () => {
    expect(rowsOf('title,isrc,artists,gap_before_seconds\n,,,\nx\n').rows.map(({ track }) => track)).toEqual([
      { title: 'x', isrc: '', artists: [] },
    ])
    expect(rowsOf('title,isrc\nx,\n').rows[0]?.track).toEqual({ title: 'x', isrc: '' })
  })

  test('take decimal commas, and a UPC whose zero a spreadsheet dropped', () => {
    const { track, release } = rowsOf('title;gap_before_seconds;upc\na;2,5;36000291452\n').rows[0] ?? {}
    expect([track?.gap_before_seconds, release?.upc]).toEqual([2.5, '036000291452'])
  })

  test('tell every cell that cannot be used, up to twenty, with its row and heading', () => {
    const table = 'Title,gap_before_seconds,explicit,type\na,abc,yes,ep\nb,1,maybe,ep\nc,99,no,ep\nd,1,no,tape\n'
    const broken = (row: number, column: string, detail: object) => ({ rule: 'in_row', row, column, broken: detail })
    expect(() => rowsOf(table)).toThrow(
      expect.objectContaining({
        param: 'file',
        details: [
          broken(2, 'gap_before_seconds', expect.objectContaining({})),
          broken(3, 'explicit', { rule: 'one_of', words: ['yes', 'no'] }),
          broken(4, 'gap_before_seconds', { rule: 'number_between', least: 0, most: 60 }),
          broken(5, 'type', { rule: 'one_of', words: ['single', 'ep', 'album'] }),
        ],
      }),
    )
    const many = `title,explicit\n${'x,maybe\n'.repeat(50)}`
    expect(() => rowsOf(many)).toThrow(expect.objectContaining({ details: expect.objectContaining({ length: 20 }) }))
    expect(() => rowsOf('mood\nsad\n')).toThrow('INVALID_REQUEST')
  })
})

describe('releases by table', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService({ forkEngine: createHeldEngine({ isAutomatic: true }).fork })
  })
  afterAll(() => service.stop())

  const send = (method: string, address: string, table: string, headers = {}) => {
    const form = new FormData()
    form.append('file', new Blob([table]), 'table.csv')
    return service.call(method, address, { body: form, headers })
  }
  const make = (table: string, headers = {}) => send('POST', '/api/v1/releases/csv', table, headers)
  const csvOf = async ({ release_id }: Release) =>
    (await service.get(`/api/v1/releases/${release_id}/csv`)).body as string
  const total = async () => (await service.get('/api/v1/releases')).body.total

  test('are made, one for each title, artist and UPC, once for an Idempotency-Key', async () => {
    const rows = ['a,Ep,Band', 'b,Ep,Band', 'c,Other,Band', 'd,Ep,Band', 'e,Ep,Band']
    const table = `title,release_title,release_artist\n${rows.join('\n')}\n`
    const { status, body } = await make(table, { 'idempotency-key': 'table' })
    expect(status).toBe(201)
    const shown = body.releases.map(({ title, kind, tracks }: Release) => [
      title,
      kind,
      tracks.map((one) => one.title).join(''),
    ])
    expect(shown).toEqual([
      ['Ep', 'ep', 'abde'],
      ['Other', 'single', 'c'],
    ])
    const again = await make(table, { 'idempotency-key': 'table' })
    expect([again.body, again.headers.get('idempotent-replayed'), await total()]).toEqual([body, 'true', 2])
  })

  test('are all made or none, and the refusal names the cells', async () => {
    const before = await total()
    const { status, body } = await make(
      'title,isrc,release_title,release_artist,upc\na,KRA382400001,Ep,Band,\nb,KR1,Ep,Band,\nc,,Two,Band,123\nd,,Two,Band,123\n',
    )
    expect([status, body.error.param]).toEqual([400, 'file'])
    expect(body.error.details).toEqual([
      expect.stringMatching(/^Row 3, isrc: /),
      expect.stringMatching(/^Row 4, upc: /),
    ])
    const many = await make(`title,release_title,release_artist\n${'x,Long,Band\n'.repeat(101)}`)
    expect([many.status, many.body.error.code, await total()]).toEqual([409, 'TRACK_LIMIT', before])
  })

  test('come out and go in again as they are', async () => {
    const tracks = [
      { title: '=1+1', artists: ['하늘', 'A, B'], isrc: 'KRA382400001', explicit: true, fade_out_shape: 'smooth' },
      { title: 'say "hi"', version: '@live', composers: ['김'], gap_before_seconds: 2.5 },
    ]
    const facts = { title: '밤', artist: '하늘', kind: 'album', upc: '036000291452', p_line: '2026 하늘' }
    const { body: release } = await service.post('/api/v1/releases', { ...facts, tracks })
    const table = await csvOf(release)
    const { body, status } = await send('PUT', `/api/v1/releases/${release.release_id}/csv`, table)
    expect(status).toBe(200)
    expect(body).toEqual({ releases: [{ ...release, changed_at: expect.any(String) }], ignored_columns: [] })
    const [copy] = (await make(table.replaceAll(/,[0-9a-f-]{36}\r/g, ',\r'))).body.releases
    const withoutIds = (one: Release) => ({ ...one, tracks: one.tracks.map(({ track_id: _, ...rest }) => rest) })
    expect(withoutIds(copy)).toEqual({
      ...withoutIds(release),
      ...{ release_id: copy.release_id, created_at: expect.any(String), changed_at: expect.any(String) },
    })
  })

  test('change the tracks of their identifiers or numbers, add others, and give them their order', async () => {
    const { body: release } = await service.post('/api/v1/releases', {
      ...{ title: 'Ep', artist: 'Band', kind: 'ep' },
      tracks: ['a', 'b', 'c'].map((title) => ({ title, composers: ['Kim'] })),
    })
    const address = `/api/v1/releases/${release.release_id}/csv`
    const [, second] = release.tracks
    const table = `track_number,track_id,title,lyricists\n3,,C,Lee\n,${second.track_id},B,\n,,new,\n`
    const [changed] = (await send('PUT', address, table)).body.releases
    expect(
      changed.tracks.map(({ title, composers, lyricists }: Release['tracks'][0]) => [title, composers, lyricists]),
    ).toEqual([
      ['C', ['Kim'], ['Lee']],
      ['B', ['Kim'], []],
      ['new', [], []],
      ['a', ['Kim'], []],
    ])
    const twice = `track_id,title\n${second.track_id},x\n${second.track_id},y\n`
    expect((await send('PUT', address, twice)).body.error.details).toEqual([expect.stringMatching(/^Row 3, track_id/)])
    expect((await service.get(`/api/v1/releases/${release.release_id}`)).body).toEqual(changed)
    expect((await send('PUT', '/api/v1/releases/nobody/csv', twice)).body.error.code).toBe('RELEASE_NOT_FOUND')
    expect((await service.call('PUT', address, { body: new FormData() })).status).toBe(400)
  })
})
