import { describe, expect, test } from 'vitest'
import { checkAddress, checkUrl, isLoopbackUrl } from '../../src-server/notify/target-policy.ts'

const PORT = 47310
const refusalOf = (url: string) => {
  const verdict = checkUrl(url, PORT)
  return 'refusal' in verdict ? verdict.refusal : 'allowed'
}

describe('the metadata address is refused in every spelling', () => {
  test.each([
    'http://169.254.169.254/latest/meta-data',
    'http://169.254.169.254:8080/',
    'https://169.254.169.254/',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://0xA9.0xFE.0xA9.0xFE/',
    'http://0251.0376.0251.0376/',
    'http://025177524776/',
    'http://169.254.43518/',
    'http://169.16689662/',
    'http://169.254.169.254./',
    'http://[::ffff:169.254.169.254]/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://[0:0:0:0:0:ffff:169.254.169.254]/',
    'http://[::169.254.169.254]/',
    'http://[::ffff:0:169.254.169.254]/',
    'http://[64:ff9b::169.254.169.254]/',
    'http://[2002:a9fe:a9fe::1]/',
    'http://１６９.２５４.１６９.２５４/',
    'http://169。254。169。254/',
    'http://%31%36%39.254.169.254/',
    'http://[fe80::1]/',
    'http://[febf::1]/',
  ])('%s', (url) => expect(refusalOf(url)).toBe('link_local'))
})

test.each([
  ['http://0.0.0.0/', 'unspecified'],
  ['http://0/', 'unspecified'],
  ['http://[::]/', 'unspecified'],
  ['http://[::ffff:0.0.0.0]/', 'unspecified'],
  ['http://224.0.0.1/', 'multicast'],
  ['http://[ff02::1]/', 'multicast'],
  ['http://255.255.255.255/', 'multicast'],
  ['http://[::ffff:239.1.1.1]/', 'multicast'],
])('%s is refused as %s', (url, refusal) => expect(refusalOf(url)).toBe(refusal))

describe('the own port is refused on every spelling of loopback', () => {
  test.each([
    'http://127.0.0.1:47310/',
    'http://127.1:47310/x',
    'http://127.200.3.4:47310/',
    'http://2130706433:47310/',
    'http://0x7f.1:47310/',
    'http://localhost:47310/',
    'http://LOCALHOST.:47310/',
    'http://hooks.localhost:47310/',
    'http://[::1]:47310/',
    'http://[0:0:0:0:0:0:0:1]:47310/',
    'http://[::ffff:127.0.0.1]:47310/',
    'https://[::ffff:7f00:1]:47310/',
  ])('%s', (url) => expect(refusalOf(url)).toBe('own_port'))

  test('also when it is the port of the scheme', () => {
    expect(checkUrl('http://localhost/', 80)).toEqual({ refusal: 'own_port' })
    expect(checkUrl('https://localhost/', 443)).toEqual({ refusal: 'own_port' })
  })
})

test.each([
  'http://127.0.0.1:5678/webhook/loudsmith',
  'http://localhost:3000/',
  'http://[::1]:5678/',
  'http://192.168.1.20/hook?token=a@b',
  'http://10.0.0.7:47310/',
  'https://hooks.example.com/a/b#c',
  'HTTPS://Example.com',
  'http://예시.한국/훅',
])('%s is allowed: local receivers are the normal case', (url) => expect(refusalOf(url)).toBe('allowed'))

test.each([
  ['http://user:secret@example.com/', 'credentials'],
  ['http://user@example.com/', 'credentials'],
  ['http://@example.com/', 'credentials'],
  ['ftp://example.com/', 'scheme'],
  ['file:///etc/passwd', 'scheme'],
  ['javascript:alert(1)', 'scheme'],
  ['//example.com/', 'not_absolute'],
  ['/hook', 'not_absolute'],
  ['http:///hook', 'malformed'],
  ['http:////example.com/hook', 'malformed'],
  ['example.com/hook', 'not_absolute'],
  ['http:/example.com', 'not_absolute'],
  ['http:example.com', 'not_absolute'],
  ['', 'not_absolute'],
  ['http://', 'malformed'],
  ['http://a b/', 'malformed'],
  ['http:\\\\example.com', 'malformed'],
  ['http://exa\tmple.com/', 'malformed'],
  ['http://256.1.1.1/', 'malformed'],
  ['http://[fe80::1%25eth0]/', 'malformed'],
  ['http://example.com:99999/', 'malformed'],
])('%j is refused as %s', (url, refusal) => expect(refusalOf(url)).toBe(refusal))

test('2048 characters are allowed and one more is not', () => {
  const start = 'http://example.com/'
  expect(refusalOf(start + 'a'.repeat(2048 - start.length))).toBe('allowed')
  expect(refusalOf(start + 'a'.repeat(2049 - start.length))).toBe('too_long')
})

test('an address that a name resolved to is judged like one that was written', () => {
  expect(checkAddress('169.254.169.254', 80, PORT)).toBe('link_local')
  expect(checkAddress('fe80::1%eth0', 80, PORT)).toBe('link_local')
  expect(checkAddress('::ffff:127.0.0.1', PORT, PORT)).toBe('own_port')
  expect(checkAddress('127.0.1.1', PORT, PORT)).toBe('own_port')
  expect(checkAddress('127.0.0.1', 5678, PORT)).toBeUndefined()
  expect(checkAddress('203.0.113.9', PORT, PORT)).toBeUndefined()
  expect(checkAddress('not an address', 80, PORT)).toBe('malformed')
})

test('what leads to this machine is known by its spelling, for the offline switch', () => {
  const isLocal = (url: string) => isLoopbackUrl(new URL(url))
  expect(
    ['http://localhost:1/', 'http://127.9.9.9/', 'http://[::1]/', 'http://[::ffff:127.0.0.1]/'].every(isLocal),
  ).toBe(true)
  expect(['http://192.168.0.1/', 'http://example.com/', 'http://localhost.example.com/'].some(isLocal)).toBe(false)
})
