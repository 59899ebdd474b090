import { describe, expect, test } from 'vitest'
import { checkAddress, checkUrl, isLoopbackUrl } from '../../../src-server/notify/target-policy.ts'

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

describe('a metadata service outside the link-local ranges is refused in every spelling', () => {
  test.each([
    'http://[fd00:ec2::254]/latest/meta-data',
    'http://[fd00:0ec2:0:0:0:0:0:254]/',
    'http://[fd00:ec2::23]/v1/credentials',
    'http://[fd20:ce::254]/',
    'http://[fd00:c1::a9fe:a9fe]/',
    'http://[fd00:42::42]/',
    'http://100.100.100.200/latest/meta-data',
    'http://1684301000/',
    'http://0x646464c8/',
    'http://0144.0144.0144.0310/',
    'http://100.100.25800/',
    'http://[::ffff:100.100.100.200]/',
    'http://[64:ff9b::100.100.100.200]/',
    'http://[2002:6464:64c8::]/',
    'http://192.0.0.192/opc/v2',
    'http://0xc00000c0/',
    'http://192.0.0.192./',
    'http://[::192.0.0.192]/',
    'http://[fd12::200:5efe:192.0.0.192]/',
    'http://168.63.129.16/machine',
    'http://2822734096/',
    'http://[::ffff:a83f:8110]/',
    'http://168。63。129。16/',
  ])('%s', (url) => expect(refusalOf(url)).toBe('metadata'))
})

describe('a link-local address is refused also inside the addresses of a tunnel or a translator', () => {
  test.each([
    ['Teredo, the client', 'http://[2001:0:4136:e378:8000:63bf:5601:5601]/'],
    ['Teredo, the server', 'http://[2001:0:a9fe:a9fe:8000:63bf:3fff:fdd2]/'],
    ['ISATAP', 'http://[2001:db8::5efe:169.254.169.254]/'],
    ['ISATAP with the universal bit', 'http://[2001:db8::200:5efe:a9fe:a9fe]/'],
    ['ISATAP in a private network', 'http://[fd12:3456::5efe:169.254.169.254]/'],
    ['ISATAP below 6to4', 'http://[2002:c000:0204::5efe:169.254.169.254]/'],
    ['6to4', 'http://[2002:a9fe:a9fe::]/'],
    ['NAT64', 'http://[64:ff9b::a9fe:a9fe]/'],
    ['local NAT64, 96 bits', 'http://[64:ff9b:1::169.254.169.254]/'],
    ['local NAT64, 48 bits', 'http://[64:ff9b:1:a9fe:a9:fe00::]/'],
    ['local NAT64, 56 bits', 'http://[64:ff9b:1:aaa9:fe:a9fe::]/'],
    ['local NAT64, 64 bits', 'http://[64:ff9b:1:abcd:a9:fea9:fe00::]/'],
    ['site-local, its predecessor', 'http://[fec0::1]/'],
    ['the last site-local', 'http://[feff:ffff::1]/'],
  ])('%s: %s', (_what, url) => expect(refusalOf(url)).toBe('link_local'))
})

test.each([
  'http://240.0.0.1/',
  'http://255.255.255.254/',
  'http://0xf0000001/',
  'http://4026531841/',
  'http://[::ffff:250.1.2.3]/',
  'http://[2002:f000:1::]/',
  'http://[64:ff9b:1::240.0.0.1]/',
  'http://[2001:db8::5efe:240.0.0.1]/',
])('%s is refused as reserved', (url) => expect(refusalOf(url)).toBe('reserved'))

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
  'http://172.16.0.9/',
  'http://100.100.100.100/',
  'http://[fd12:3456:789a::7]:5678/hook',
  'http://[fd00:ec3::254]/',
  'http://[64:ff9b::192.168.1.20]/',
  'http://[64:ff9b:1::192.168.1.20]/',
  'http://[64:ff9b:1:c0a8:1:1400::]/',
  'http://[64:ff9b:1:af0:1:200::]/',
  'http://[2002:c0a8:114::1]/',
  'http://[2001:db8::5efe:192.168.1.20]/',
  'http://168.63.129.17/',
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
  expect(checkAddress('fd00:ec2::254%eth0', 80, PORT)).toBe('metadata')
  expect(checkAddress('168.63.129.16', 80, PORT)).toBe('metadata')
  expect(checkAddress('2001:db8::5efe:127.0.0.1', PORT, PORT)).toBe('own_port')
  expect(checkAddress('not an address', 80, PORT)).toBe('malformed')
})

test('an address of this machine is recognised by its spelling, for the offline switch', () => {
  const isLocal = (url: string) => isLoopbackUrl(new URL(url))
  expect(
    ['http://localhost:1/', 'http://127.9.9.9/', 'http://[::1]/', 'http://[::ffff:127.0.0.1]/'].every(isLocal),
  ).toBe(true)
  const afar = [
    'http://192.168.0.1/',
    'http://example.com/',
    'http://localhost.example.com/',
    'http://[2002:7f00:1::]/',
    'http://[64:ff9b::127.0.0.1]/',
    'http://[2001:db8::5efe:127.0.0.1]/',
  ]
  expect(afar.some(isLocal)).toBe(false)
})
