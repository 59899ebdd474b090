import { expect, test } from 'vitest'
import { clientName } from '../../../src-server/access/client-name.ts'

test.each([
  ['curl/8.5.0', 'curl 8.5'],
  ['python-requests/2.31.0', 'python-requests 2.31'],
  ['Python-urllib/3.11', 'Python-urllib 3.11'],
  ['PostmanRuntime/7.36.3', 'PostmanRuntime 7.36'],
  ['Apache-HttpClient/4.5.14 (Java/17.0.9)', 'Apache-HttpClient 4.5'],
  ['Go-http-client/2.0', 'Go-http-client 2.0'],
  ['axios/1.6.2', 'axios 1.6'],
  ['okhttp/5.0.0-alpha.12', 'okhttp 5.0'],
  ['GuzzleHttp/7', 'GuzzleHttp 7'],
  ['git/unknown', 'git'],
  ['node', 'node'],
  ['My studio script', 'My studio script'],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
    'Chrome',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 Edg/126.0.2592.87',
    'Edge',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Whale/3.26.244.21 Safari/537.36',
    'Whale',
  ],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0', 'Firefox'],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15',
    'Safari',
  ],
  ['Mozilla/5.0 (Windows NT; Windows NT 10.0; ko-KR) WindowsPowerShell/5.1.19041.4522', 'PowerShell'],
  ['Mozilla/5.0 (compatible)', 'Browser'],
])('a program that calls itself %s is shown as %s, and what is shown once stays so', (header, name) => {
  expect(clientName(header)).toBe(name)
  expect(clientName(name)).toBe(name)
})

test('a header that is empty, endless or unprintable is no name, a short one, and a printable one', () => {
  expect([clientName(undefined), clientName(''), clientName(' \t')]).toEqual([undefined, undefined, undefined])
  for (const header of [
    'x'.repeat(5000),
    `${'x'.repeat(5000)}/1.2`,
    `a/${'1'.repeat(5000)}`,
    `Mozilla/${'5'.repeat(5000)}`,
  ]) {
    expect(clientName(header)?.length).toBeLessThanOrEqual(40)
  }
  expect(clientName('evil\u0000\u001b[31m/1.0')).toMatch(/^[\x20-\x7e]+$/)
})
