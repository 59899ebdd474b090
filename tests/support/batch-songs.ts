/** Songs of a batch as the server tells them. */
import type { BatchSong, Source } from '../../src-contract/app.ts'
import { DEFAULT_SETTINGS, type MasterSettings } from '../../src-contract/settings.ts'

/** A stored song with bytes of its own. */
export const sourceOf = (id: string): Source => ({
  source_id: id,
  filename: `${id}.wav`,
  title: id,
  size_bytes: 1,
  sha256: `bytes of ${id}`,
  codec: 'wav',
  duration_seconds: 60,
  sample_rate_hz: 44_100,
  channels: 2,
  has_cover: false,
  tags: {},
  created_at: '2026-01-01T00:00:00.000Z',
})

/** A song that was not looked at yet and not started. */
export const batchSong = (id: string, change: Partial<BatchSong> = {}): BatchSong => ({
  source: sourceOf(id),
  state: 'ready',
  settings: null,
  metadata: {},
  analysis: null,
  job_ids: [],
  ...change,
})

export const someSettings: MasterSettings = {
  ...DEFAULT_SETTINGS,
  platforms: ['spotify'],
  genre: 'pop',
  ai_service: 'suno',
  tier: 'standard',
  intensity: 50,
  loudness: 'platform',
  reference_source_id: null,
  reference_amount: 70,
}
