/** File names and texts of forms, in the bytes of the many clients that write them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHeldEngine } from '../../support/held-engine.ts'
import { type Answer, type Service, startService } from '../../support/service.ts'
import { wavSong } from '../../support/songs.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ forkEngine: createHeldEngine().fork })
})
afterAll(() => service.stop())

const bytes = (text: string) => Buffer.from(text, 'latin1')
const utf8 = (text: string) => Buffer.from(text).toString('latin1')

interface Form {
  /** Heads and contents of further parts, a character a byte. */
  readonly parts?: readonly (readonly [head: string, content: string])[]
  /** Head of the song, without it there is none. */
  readonly song?: string
}

/** Sends a form as bytes, with CRLF between its lines. */
async function send({ parts = [], song }: Form): Promise<Answer> {
  const texts = [['Content-Disposition: form-data; name="platforms"', 'spotify'] as const, ...parts]
  const body = [
    ...texts.map(([head, content]) => bytes(`--b\r\n${head}\r\n\r\n${content}\r\n`)),
    ...(song === undefined ? [] : [bytes(`--b\r\n${song}\r\n\r\n`), wavSong(), bytes('\r\n')]),
    bytes('--b--\r\n'),
  ]
  return service.call('POST', '/api/v1/master', {
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
    body: Buffer.concat(body),
  })
}

/** Makes a job and returns it, out of the queue again. */
async function job(form: Form) {
  const { status, body } = await send(form)
  expect([status, body.error?.message]).toEqual([201, undefined])
  const made = await service.job(body.job_id)
  await service.call('DELETE', `/api/v1/jobs/${body.job_id}`)
  return made
}

const NIGHT_TRAIN = '밤기차.wav'

describe('a file name is read', () => {
  test.each([
    [
      'from filename* where both are there, in either order',
      `filename="=?UTF-8?Q?=EB=B0=A4=EA=B8=B0=EC=B0=A8.wav?="; filename*=UTF-8''%EB%B0%A4%EA%B8%B0%EC%B0%A8.wav`,
    ],
    ['from filename* that comes first', `filename*=utf-8'ko'%EB%B0%A4%EA%B8%B0%EC%B0%A8.wav; filename="x.wav"`],
    ['from filename* in another charset', `filename*=EUC-KR''%B9%E3%B1%E2%C2%F7.wav; filename=x.wav`],
    ['from filename* in a charset of its Windows number', `filename*=cp949''%B9%E3%B1%E2%C2%F7.wav`],
    [
      'from filename* in pieces (RFC 2231)',
      `filename*0*=utf-8''%EB%B0%A4%EA%B8; filename*1*=%B0%EC%B0%A8; filename*2=".wav"`,
    ],
    ['beside a filename* that is none', `filename*=nonsense; filename="${utf8(NIGHT_TRAIN)}"`],
    ['from a Base64 word', 'filename="=?utf-8?B?67Ck6riw7LCoLndhdg==?="'],
    ['from a quoted-printable word without quotation marks', 'filename==?UTF-8?q?=EB=B0=A4=EA=B8=B0=EC=B0=A8.wav?='],
    ['from words in another charset', 'filename="=?ks_c_5601-1987?B?ueOx4sL3?= =?us-ascii?Q?.wav?="'],
    [
      'from several words that cut a character, folded over two lines',
      'filename="=?utf-8?B?67Ck6rg=?=\r\n =?utf-8?B?sOywqC53YXY=?="',
    ],
    ['from a word with letters around it', 'filename="=?utf-8?B?67Ck6riw7LCo?=.wav"'],
    ['in UTF-8', `filename="${utf8(NIGHT_TRAIN)}"`],
    ['in CP949', 'filename="\xb9\xe3\xb1\xe2\xc2\xf7.wav"'],
    ['percent-encoded', 'filename="%EB%B0%A4%EA%B8%B0%EC%B0%A8.wav"'],
    ['in UTF-8 that was taken for Latin-1 and encoded again', `filename="${utf8(utf8(NIGHT_TRAIN))}"`],
    ['in a Windows path', `filename="C:\\songs\\${utf8(NIGHT_TRAIN)}"`],
  ])('%s', async (_how, filename) => {
    const made = await job({ song: `Content-Disposition: form-data; name="file"; ${filename}` })
    expect([made.filename, made.title]).toEqual([NIGHT_TRAIN, '밤기차'])
  })

  test.each([
    ['syllables beyond KS X 1001 in CP949', 'filename="\x8cc\xb9\xe6\xb0\xa2\xc7\xcf.wav"', '똠방각하.wav'],
    ['Western letters', 'filename="Caf\xe9 \xc0 la carte.wav"', 'Café À la carte.wav'],
    ['Japanese in Shift_JIS that is named', "filename*=Shift_JIS''%96%E9.wav", '夜.wav'],
    ['quotation marks as browsers write them', 'filename="a %22b%22 100% 100%25.wav"', 'a "b" 100% 100%25.wav'],
    ['quotation marks as curl writes them', 'filename="a \\"b\\" \\\\c.wav"', 'c.wav'],
    ['what only looks like a word', 'filename="=?what?.wav"', '=?what?.wav'],
    ['Western letters in UTF-8', `filename="${utf8('Ångström ½ °C.wav')}"`, 'Ångström ½ °C.wav'],
    ['the name of an unknown charset', 'filename="=?x-nobody?Q?caf=C3=A9.wav?="', 'café.wav'],
  ])('with %s', async (_what, filename, expected) => {
    const made = await job({ song: `Content-Disposition: form-data; name="file"; ${filename}` })
    expect(made.filename).toBe(expected)
  })

  test('in the charset that the form names for all of it', async () => {
    const made = await job({
      parts: [['Content-Disposition: form-data; name="_charset_"', 'shift_jis']],
      song: 'Content-Disposition: form-data; name="file"; filename="\x96\xe9.wav"',
    })
    expect(made).toMatchObject({ filename: '夜.wav', warnings: [] })
  })
})

describe('a title is read', () => {
  const song = 'Content-Disposition: form-data; name="file"; filename="a.wav"'
  const title = 'Content-Disposition: form-data; name="title"'
  test.each([
    ['in UTF-8', [[title, utf8('밤기차')]]],
    ['in CP949', [[title, '\xb9\xe3\xb1\xe2\xc2\xf7']]],
    [
      'in the charset of its part',
      [[`${title}\r\nContent-Type: text/plain; charset="EUC-KR"`, '\xb9\xe3\xb1\xe2\xc2\xf7']],
    ],
    [
      'in UTF-8, though its part says ASCII as some libraries always do',
      [[`${title}\r\nContent-Type: text/plain; charset=US-ASCII`, utf8('밤기차')]],
    ],
    [
      'in its own bytes, though its part says UTF-8',
      [[`${title}\r\nContent-Type: text/plain; charset=utf-8`, '\xb9\xe3\xb1\xe2\xc2\xf7']],
    ],
    [
      'in the charset of the form, which comes last',
      [
        [title, '\xb9\xe3\xb1\xe2\xc2\xf7'],
        ['Content-Disposition: form-data; name="_charset_"', 'euc-kr'],
      ],
    ],
    ['as mail programs write it', [[`${title}\r\nContent-Transfer-Encoding: base64`, '67Ck6riw7LCo']]],
    ['taken for Latin-1 and encoded again', [[title, utf8(utf8('밤기차'))]]],
  ] as [string, [string, string][]][])('%s', async (_how, parts) => {
    expect((await job({ parts, song })).title).toBe('밤기차')
  })

  test('and an artist is read alike', async () => {
    const parts = [['Content-Disposition: form-data; name=artist', '\xbe\xc6\xc0\xcc\xc0\xaf'] as const]
    expect((await job({ parts, song })).artist).toBe('아이유')
  })
})

describe('a part without a filename', () => {
  const head = (type: string) => `Content-Disposition: form-data; name="file"${type}`
  test.each(['audio/wav', 'audio/x-flac; rate=44100', 'application/octet-stream', 'application/ogg'])(
    'of the type %s is a file',
    async (type) => {
      expect(await job({ song: head(`\r\nContent-Type: ${type}`) })).toMatchObject({
        filename: 'audio',
        title: 'audio',
      })
    },
  )

  test('of no type is told that it has none', async () => {
    for (const type of ['', '\r\nContent-Type: text/plain']) {
      const { status, body } = await send({ song: head(type) })
      expect([status, body.error.code, body.error.param]).toEqual([400, 'INVALID_REQUEST', 'file'])
      expect(body.error.message).toContain('filename')
    }
  })
})
