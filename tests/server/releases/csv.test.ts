/** Releases as tables of spreadsheets: whatever encoding and separator, formulas as texts, and all or nothing. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Release } from '../../../src-contract/releases.ts'
import type { AppError } from '../../../src-server/http/app-error.ts'
import { readRows } from '../../../src-server/releases/csv-columns.ts'
import { readTable, writeTable } from '../../../src-server/releases/csv-table.ts'
import { createHeldEngine } from '../../support/held-engine.ts'
import { type Service, startService } from '../../support/service.ts'
import { seededRandom } from '../../support/sounds.ts'

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
    ['UTF-16 without a byte order mark', new Uint8Array(utf16.subarray(2))],
    ['UTF-8 with two byte order marks', bytes(`\ufeff\ufeff${plain}`)],
    ['the separator of its first line', bytes('sep=;\r\ntitle;artists\r\n밤;하늘, 바다\r\n')],
    ['a separator that is no common one', bytes('"sep=|"\ntitle|artists\n밤|하늘, 바다\n')],
    ['separators inside of headings', bytes('title ;"artists" \n밤; "하늘, 바다" \n')],
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
    ['title\n"x"y', 'csv_unreadable'],
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
  const rowsOf = (text: string) => {
    const table = readRows(readTable(bytes(text)))
    table.faults.requireNone()
    return table
  }
  const faultsOf = (read: () => void): { row: number; column: string; value: string; broken: object }[] => {
    try {
      read()
    } catch (error) {
      return (error as AppError).details as never
    }
    return []
  }

  test('are known by their headings in English and Korean, in any order and case, and others are named', () => {
    const { rows, ignored } = rowsOf('작곡,Mood,곡명,앨범,TYPE,Explicit,No.\n김; 이,sad,밤,정원,EP,예,3\n')
    expect(ignored).toEqual(['Mood'])
    expect(rows).toMatchObject([
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

  test.each([
    ['track,title', '1,밤', { trackNumber: 1, track: { title: '밤' } }],
    ['track,track title', '1,밤', { trackNumber: 1, track: { title: '밤' } }],
    ['track', '밤', { track: { title: '밤' } }],
    ['트랙 번호,제목', '3/12,밤', { trackNumber: 3, track: { title: '밤' } }],
    ['제목,title,트랙', '낮,밤,07', { trackNumber: 7, track: { title: '밤' } }],
    ['TRACK-TITLE*,Track_Number', '밤,2.0', { trackNumber: 2, track: { title: '밤' } }],
    [' \u00a0title\u00a0 ,\ufeffisrc', '밤\u00a0,KR-A38-24-00001', { track: { title: '밤', isrc: 'KRA382400001' } }],
    ['제목'.normalize('NFD'), '밤', { track: { title: '밤' } }],
    ['title,artist,track artist', '밤,a,b', { track: { artists: ['b'] } }],
    ['artists,title,release_artist', 'a;b,밤,c', { track: { artists: ['a', 'b'] }, release: { artist: 'c' } }],
  ])('of %j are known: the name of a column before its other headings', (header, cells, row) => {
    expect(rowsOf(`${header}\n${cells}\n`).rows).toMatchObject([row])
  })

  test.each([
    ['gap_before_seconds', '2,5', { track: { gap_before_seconds: 2.5 } }],
    ['explicit', '참', { track: { explicit: true } }],
    ['explicit', 'FALSE', { track: { explicit: false } }],
    ['isrc', 'isrc KR-A38-24-00001', { track: { isrc: 'KRA382400001' } }],
    ['upc', '36000291452', { release: { upc: '036000291452' } }],
    ['upc', '36000291452.0', { release: { upc: '036000291452' } }],
    ['release_date', '2026/12/24', { release: { release_date: '2026-12-24' } }],
    ['release_date', '2026. 12. 4.', { release: { release_date: '2026-12-04' } }],
    ['release_date', '2026년 1월 4일', { release: { release_date: '2026-01-04' } }],
    ['release_date', '2026-12-24 00:00:00', { release: { release_date: '2026-12-24' } }],
    ['language', '한국어', { release: { language: 'ko' } }],
    ['language', 'English', { release: { language: 'en' } }],
    ['kind', '정규 앨범', { release: { kind: 'album' } }],
  ])('%s takes %j as spreadsheets and people write it', (column, cell, row) => {
    expect(rowsOf(`title;${column}\n밤;${cell}\n`).rows).toMatchObject([row])
  })

  test.each([
    ['gap_before_seconds', 'abc', { rule: 'number_between', least: 0, most: 60 }],
    ['gap_before_seconds', '1e400', { rule: 'number_between', least: 0, most: 60 }],
    ['explicit', 'maybe', { rule: 'one_of', words: ['yes', 'no'] }],
    ['isrc', 'KR1', { rule: 'isrc' }],
    ['upc', '036000291453', { rule: 'upc' }],
    ['upc', '3.60003E+11', { rule: 'rounded' }],
    ['release_date', '24.12.2026', { rule: 'date' }],
    ['release_date', '2026-02-30', { rule: 'date' }],
    ['release_date', '46380', { rule: 'date' }],
    ['language', 'Klingonisch', { rule: 'language' }],
    ['kind', 'constructor', { rule: 'one_of', words: ['single', 'ep', 'album'] }],
    ['track_number', '12-Mar', { rule: 'track' }],
    ['track_number', '0', { rule: 'track' }],
    ['job_id', 'x', { rule: 'uuid' }],
    ['version', 'x'.repeat(300), { rule: 'characters_at_most', limit: 200 }],
    ['fade_in_shape', 'round', { rule: 'one_of', words: ['linear', 'equal_power', 'smooth'] }],
  ])('%s refuses %j with row, column and value', (column, cell, broken) => {
    const value = cell.slice(0, 60)
    expect(faultsOf(() => rowsOf(`title;${column}\nx;\n밤;${cell}\n`))).toEqual([
      { rule: 'in_row', row: 3, column, value, broken },
    ])
  })

  test('tell every cell that cannot be used, two of one row too, up to twenty in the order of the rows', () => {
    const table = 'Title,gap_before_seconds,explicit,TYPE\na,abc,maybe,ep\nb,1,yes,tape\nc,1,yes,ep,d\n'
    expect(faultsOf(() => rowsOf(table)).map(({ row, column, value }) => [row, column, value])).toEqual([
      ...[[2, 'explicit', 'maybe'] as const, [2, 'gap_before_seconds', 'abc'] as const],
      ...[[3, 'TYPE', 'tape'] as const, [4, '#5', 'd'] as const],
    ])
    expect(faultsOf(() => rowsOf(`title,explicit\n${'x,maybe\n'.repeat(50)}`))).toHaveLength(20)
    expect(faultsOf(() => rowsOf('title,isrc,Title\nx,,y\n'))).toMatchObject([
      { row: 1, column: 'Title', broken: { rule: 'column_twice' } },
    ])
    expect(() => rowsOf('mood\nsad\n')).toThrow('INVALID_REQUEST')
    expect(rowsOf('title,,\nx,note,\n').ignored).toEqual(['#2'])
  })
})

describe('releases by table', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService({ forkEngine: createHeldEngine({ isAutomatic: true }).fork })
  })
  afterAll(() => service.stop())

  const send = (method: string, address: string, table: BlobPart, headers = {}, fields = {}) => {
    const form = new FormData()
    for (const [name, value] of Object.entries<string>(fields)) form.append(name, value)
    form.append('file', new Blob([table]), 'table.csv')
    return service.call(method, address, { body: form, headers })
  }
  const make = (table: BlobPart, headers = {}, fields = {}) =>
    send('POST', '/api/v1/releases/csv', table, headers, fields)
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

  test('carry what is stated about AI: of a track in one cell, of the cover in another, and only differences become its own', async () => {
    const { body } = await service.post('/api/v1/releases', {
      ...{ title: 'x', artist: 'y', kind: 'ep' },
      disclosure: { lyrics: { use: 'none' }, artwork: { use: 'assisted', tools: 'Krita; Firefly', model: '3' } },
      tracks: [
        { title: 'A', disclosure: { vocals: { use: 'generated', tools: 'Suno', model: 'v5' } } },
        { title: 'B' },
      ],
    })
    const url = `/api/v1/releases/${body.release_id}/csv`
    const table = await csvOf(body)
    const put = (changed: string) => send('PUT', url, changed)
    const { header, rows } = readTable(bytes(table))
    const cells = (name: string) => rows.map(({ cells: row }) => row[header.indexOf(name)])
    expect(cells('ai_vocals')).toEqual(['generated; Suno; v5', ''])
    expect(cells('ai_lyrics')).toEqual(['none', 'none'])
    expect(cells('ai_artwork')).toEqual(Array(2).fill('assisted; Krita, Firefly; 3'))
    const same = (await put(table)).body.releases[0]
    expect(same.tracks.map((track: { disclosure?: object }) => track.disclosure)).toEqual([
      ...[{ vocals: { use: 'generated', tools: 'Suno', model: 'v5' } }, undefined],
    ])
    expect(same.disclosure.artwork).toMatchObject({ use: 'assisted', model: '3' })
    const edited = table.replace('generated; Suno; v5', '').replace(/none(?=[^n]*$)/, '전부;;v2')
    const changed = (await put(edited)).body.releases[0]
    expect(changed.tracks.map((track: { disclosure?: object }) => track.disclosure)).toEqual([
      ...[undefined, { lyrics: { use: 'generated', model: 'v2' } }],
    ])
    const wrong = await put(table.replace('generated; Suno', 'perhaps; Suno'))
    expect(wrong.body.error.details).toEqual([
      expect.stringMatching(/^Row 2, ai_vocals: .* one of: none, assisted, generated\.$/),
    ])
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
    const numberTwice = await send('PUT', address, 'track_number,title\n1,x\n1,y\n')
    expect(numberTwice.body.error.details).toEqual([expect.stringMatching(/^Row 3, track_number: “1” .*Row 2 /)])
    const withIsrc = await send('PUT', address, 'track_number,isrc\n1,KRA382400001\n')
    const isrcOfAnother = await send('PUT', address, 'track_number,isrc\n2,KRA382400001\n')
    expect([withIsrc.status, isrcOfAnother.body.error.details]).toEqual([
      ...[200, [expect.stringMatching(/^Row 2, isrc: “KRA382400001” .*Track 1 /)]],
    ])
    await send('PUT', address, 'track_number,isrc\n1,\n')
    expect((await service.get(`/api/v1/releases/${release.release_id}`)).body.tracks).toEqual(changed.tracks)
    expect((await send('PUT', '/api/v1/releases/nobody/csv', twice)).body.error.code).toBe('RELEASE_NOT_FOUND')
    expect((await service.call('PUT', address, { body: new FormData() })).status).toBe(400)
  })

  test.each([
    ['release_title,title\nR,a\n', [/^Row 2, release_artist: It is missing\. /]],
    ['title,artists\na,Kim\nb,Kim\n', [/^Row 2, release_title: It is missing\. /]],
    ['앨범,제목,가수\nR,a,Kim\n,b,Kim\n', [/^Row 3, 앨범: It is missing\. /]],
    ['release_title,title,artist\nR,a,Kim\nR,b,Lee\n', [/^Row 3, release_artist: .* different artists/]],
    ['release_title,release_artist,title\nR,Kim,\n', [/^Row 2, title: It is missing\./]],
    [
      'release_title,release_artist,title,isrc,label\nR,Kim,a,KRA382400001,One\nR,Kim,b,kr-a38-24-00001,Two\n',
      [/^Row 3, isrc: “kr-a38-24-00001” .*Row 2 /, /^Row 3, label: “Two” .*Row 2 /],
    ],
    ['release_title,release_artist,title,no\nR,Kim,a,2\nR,Kim,b,2\n', [/^Row 3, no: “2” .*Row 2 /]],
    ['release_title,artist,title,upc,job_id\nR,Kim,a,1,x\n', [/^Row 2, job_id: “x” /, /^Row 2, upc: “1” /]],
  ])('%j is refused with its cells', async (table, details) => {
    const before = await total()
    const { status, body } = await make(table)
    expect([status, body.error.code, body.error.details.toSorted()]).toEqual([
      ...[400, 'INVALID_REQUEST', details.map((detail) => expect.stringMatching(detail))],
    ])
    expect(await total()).toBe(before)
  })

  test('take the artist of their tracks, the order of their numbers, and their names beside the table', async () => {
    const [duo] = (await make('release_title,title,artist,track\nR,b,Kim; Lee,2\nR,a,Lee,1\n')).body.releases
    expect([duo.artist, duo.tracks.map(({ title }: Release['tracks'][0]) => title)]).toEqual(['Lee', ['a', 'b']])
    const names = { release_title: ' 정원 ', release_artist: '하늘' }
    const [named] = (await make('트랙 번호,제목,release_title\n1,밤,\n', {}, names)).body.releases
    expect(named).toMatchObject({ title: '정원', artist: '하늘', tracks: [{ title: '밤' }] })
    const tooLong = await make('title\nx\n', {}, { release_title: 'x'.repeat(201) })
    expect([tooLong.status, tooLong.body.error.param]).toEqual([400, 'release_title'])
  })

  test('never break the service, whatever a table holds', async () => {
    const random = seededRandom(7)
    const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)]!
    const headings = [
      'title',
      'Title',
      'track',
      '제목',
      'artist',
      'release_title',
      '앨범',
      'upc',
      'isrc',
      'no',
      '',
      '__proto__',
    ]
    headings.push(
      'release_date',
      'kind',
      'language',
      'track_id',
      'job_id',
      'source_id',
      'gap_before_seconds',
      'explicit',
    )
    const cells = [
      '',
      '1',
      'x',
      '밤',
      '"a\nb"',
      '"',
      '=1',
      '\0',
      '\ud800',
      '__proto__',
      'constructor',
      '1e999',
      '2026. 1. 2.',
    ]
    cells.push('KRA382400001', '00000000-0000-0000-0000-000000000000', '-1', ';', '\u00a0', 'y'.repeat(3000))
    const { body: release } = await service.post('/api/v1/releases', { title: 'R', artist: 'A', kind: 'ep' })
    for (let round = 0; round < 80; round++) {
      const [separator, encoding] = [pick([',', ';', '\t']), pick(['utf8', 'utf8', 'utf16le', 'latin1'] as const)]
      const line = (values: readonly string[], count: number) =>
        Array.from({ length: count }, () => pick(values)).join(separator)
      const width = 1 + Math.floor(random() * 6)
      const lines = Array.from({ length: Math.floor(random() * 4) }, () => line(cells, pick([width, width, width + 1])))
      const text = [pick(['', '', '\ufeff', 'sep=;\n']) + line(headings, width), ...lines].join(pick(['\n', '\r\n']))
      const isNew = random() < 0.5
      const table = new Uint8Array(Buffer.from(text, encoding))
      const { status, body } = await (isNew
        ? make(table)
        : send('PUT', `/api/v1/releases/${release.release_id}/csv`, table))
      expect([200, 201, 400, 409], `${JSON.stringify(text)}: ${JSON.stringify(body)}`).toContain(status)
    }
  })
})
