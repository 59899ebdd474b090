import { expect, it } from 'vitest'
import { clientName } from '../../src-renderer/text/client-name.ts'

it.each([
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 Edg/126.0.2592.68',
    'Edge',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15',
    'Safari',
  ],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:127.0) Gecko/20100101 Firefox/127.0', 'Firefox'],
  ['curl/8.5.0', 'curl'],
  ['python-requests/2.32.3', 'python-requests'],
  ['node', 'node'],
  ['릴리즈 봇', '릴리즈 봇'],
  [`${'x'.repeat(300)}/1`, `${'x'.repeat(23)}…`],
  ['', ''],
])('%s is called %s', (userAgent, name) => expect(clientName(userAgent)).toBe(name))
