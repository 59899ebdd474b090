import type { TObject } from 'typebox'
import { describe, expect, test } from 'vitest'
import { deliveryTarget, playbackGainDb } from '../../src-contract/delivery-target.ts'
import { ENDPOINTS } from '../../src-contract/endpoints.ts'
import { ERRORS } from '../../src-contract/errors.ts'
import { JobCompleted, JobFailed } from '../../src-contract/events.ts'
import { CreatedJob, JOB_STATUSES, Job, MasterFields } from '../../src-contract/jobs.ts'
import { KEY_PREFIX, MAX_DURATION_SECONDS, MAX_UPLOAD_BYTES } from '../../src-contract/limits.ts'
import { PLAN_LIMITS } from '../../src-contract/plans.ts'
import { PLATFORMS } from '../../src-contract/platforms/index.ts'
import { AI_SERVICES, GENRES, TIERS } from '../../src-contract/settings.ts'

/** Platforms of the specification; one that we add is added to the first test alone. */
const SPECIFIED = ['spotify', 'apple_music', 'youtube', 'melon', 'soundcloud'] as const

const members = (schema: TObject) => Object.keys(schema.properties)

describe('the tables of the specification, word for word', () => {
  test('section 2: statuses, platforms, genres, services and tiers', () => {
    expect(JOB_STATUSES).toEqual(['queued', 'done', 'failed'])
    expect(PLATFORMS).toEqual(SPECIFIED)
    expect(GENRES).toEqual(['kpop', 'edm', 'ballad', 'hiphop', 'pop', 'other'])
    expect(AI_SERVICES).toEqual(['suno', 'udio', 'elevenlabs', 'other'])
    expect(TIERS).toEqual(['standard', 'premium'])
  })

  test('section 2: the job’s own fields and the form’s own fields keep their names', () => {
    expect(members(CreatedJob)).toEqual(
      expect.arrayContaining(['job_id', 'status', 'platforms', 'credits_used', 'credits_remaining']),
    )
    expect(members(Job)).toEqual(
      expect.arrayContaining([
        'job_id',
        'status',
        'platforms',
        'credits_used',
        'credits_remaining',
        'download_url',
        'error_message',
      ]),
    )
    expect(members(MasterFields)).toEqual(
      expect.arrayContaining(['platforms', 'genre', 'ai_service', 'tier', 'webhook_url']),
    )
    expect(Object.entries(ENDPOINTS.createJob.form.files).map(([name, { required }]) => [name, required])).toEqual([
      ['file', true],
      ['reference_file', false],
      ...['reference_file_2', 'reference_file_3', 'reference_file_4'].map((name) => [name, false]),
      ['recipe', false],
      // An extension.
      ['cover_file', false],
    ])
  })

  test('section 4: the three endpoints stand at their addresses', () => {
    const { createJob, readJob, downloadResult } = ENDPOINTS
    expect([createJob, readJob, downloadResult].map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /api/v1/master',
      'GET /api/v1/jobs/{job_id}',
      'GET /api/v1/jobs/{job_id}/download',
    ])
    expect(Object.keys(createJob.answers)).toContain('201')
  })

  test('section 6: the two callbacks have exactly their four members', () => {
    expect(members(JobCompleted)).toEqual(['event', 'job_id', 'status', 'download_url'])
    expect(members(JobFailed)).toEqual(['event', 'job_id', 'status', 'error_message'])
  })

  test('section 7: the eight codes have their numbers', () => {
    const specified = Object.entries(ERRORS).filter(([, { origin }]) => origin === 'specification')
    expect(Object.fromEntries(specified.map(([code, { status }]) => [code, status]))).toEqual({
      FILE_TOO_LARGE: 400,
      UNSUPPORTED_FORMAT: 400,
      FILE_TOO_LONG: 400,
      INVALID_PLATFORM: 400,
      INSUFFICIENT_CREDITS: 402,
      CONCURRENT_LIMIT: 429,
      INVALID_API_KEY: 401,
      RATE_LIMIT: 429,
    })
  })

  test('section 8: plans and limits, and the concurrency and credits of the contract', () => {
    expect(PLAN_LIMITS).toEqual({
      free: { keys: 0, requestsPerMinute: 0, webhooks: 0, concurrentJobs: 1, monthlyCredits: 3 },
      starter: { keys: 0, requestsPerMinute: 0, webhooks: 0, concurrentJobs: 2, monthlyCredits: 20 },
      pro: { keys: 5, requestsPerMinute: 30, webhooks: 3, concurrentJobs: 5, monthlyCredits: 100 },
      studio: { keys: 20, requestsPerMinute: 100, webhooks: 10, concurrentJobs: 20, monthlyCredits: 500 },
    })
    expect([MAX_UPLOAD_BYTES, MAX_DURATION_SECONDS, KEY_PREFIX]).toEqual([52_428_800, 600, 'ams_live_'])
  })
})

describe('what is delivered', () => {
  const target = (...asked: Parameters<typeof deliveryTarget>) => {
    const { targetLufs, ceilingDbtp, targetConfidence, ceilingConfidence } = deliveryTarget(...asked)
    return [targetLufs, ceilingDbtp, targetConfidence, ceilingConfidence]
  }

  test('a platform has its own loudness and ceiling, with the confidence of each', () => {
    expect(SPECIFIED.map((platform) => [platform, ...target(platform, 'other', 'platform')])).toEqual([
      ['spotify', -14, -1, 'published', 'published'],
      ['apple_music', -16, -1, 'common_practice', 'published'],
      ['youtube', -14, -1, 'common_practice', 'common_practice'],
      ['melon', -11, -1.5, 'our_recommendation', 'our_recommendation'],
      ['soundcloud', -14, -1.5, 'common_practice', 'common_practice'],
    ])
  })

  test('melon has the loudness of the genre, and so has every platform in competitive mode', () => {
    expect(GENRES.map((genre) => [genre, ...target('melon', genre, 'platform').slice(0, 2)])).toEqual([
      ['kpop', -8.5, -2],
      ['edm', -8, -2],
      ['ballad', -11, -1.5],
      ['hiphop', -8.5, -2],
      ['pop', -9.5, -1.5],
      ['other', -11, -1.5],
    ])
    expect(SPECIFIED.map((platform) => [platform, ...target(platform, 'kpop', 'competitive')])).toEqual([
      ['spotify', -8.5, -2, 'our_recommendation', 'published'],
      ['apple_music', -8.5, -1, 'our_recommendation', 'published'],
      ['youtube', -8.5, -1, 'our_recommendation', 'common_practice'],
      ['melon', -8.5, -2, 'our_recommendation', 'our_recommendation'],
      ['soundcloud', -8.5, -1.5, 'our_recommendation', 'common_practice'],
    ])
  })

  test('a service turns loud masters down to its level, and quiet ones up if it does that', () => {
    const changes = (integratedLufs: number, truePeakDbtp: number) =>
      SPECIFIED.map((platform) =>
        playbackGainDb(deliveryTarget(platform, 'kpop', 'competitive').playback, { integratedLufs, truePeakDbtp }),
      )
    expect(changes(-8, -1)).toEqual([-6, -8, -6, 0, -6])
    expect(changes(-20, -4)).toEqual([3, 3, 0, 0, 0])
    expect(changes(-20, -12)).toEqual([6, 4, 0, 0, 0])
    expect(changes(-20, 0)).toEqual([0, 0, 0, 0, 0])
  })
})
