import { expect, test } from 'vitest'
import { newSecret, signedHeaders } from '../../../src-server/notify/signature.ts'
import { systemRandom } from '../../../src-system/system.ts'

test('a signature is the one that the Standard Webhooks reference vector gives', () => {
  const headers = signedHeaders(
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    'msg_p5jXN8AQM9LWM0D4loKWxJek',
    1614265330,
    '{"test": 2432232314}',
  )
  expect(headers).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

test('a secret is whsec_ and 32 random bytes in base64, and never the same twice', () => {
  const secret = newSecret(systemRandom.randomBytes)
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(newSecret(systemRandom.randomBytes)).not.toBe(secret)
})
