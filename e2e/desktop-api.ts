/** API steps shared by desktop specs. */
import type { Batch } from '../src-contract/app.ts'
import type { Job } from '../src-contract/jobs.ts'
import { expect } from './desktop-fixtures.ts'

export type HostedJob = Pick<Job, 'job_id' | 'title' | 'status' | 'results' | 'output_folder'>
/** Calls the API and returns its JSON. */
export type Call = (method: string, address: string, body?: string) => Promise<unknown>

/** Waits for a song in the batch, starts it and returns its job once it has ended. */
export async function masterOneSong(call: Call, timeout: number): Promise<HostedJob> {
  const songs = async () => ((await call('GET', '/app/desk')) as Batch).songs
  await expect.poll(async () => (await songs()).length).toBe(1)
  const [song] = await songs()
  await call('POST', '/app/desk/start', JSON.stringify({ source_ids: [song?.source.source_id] }))
  const jobs = async () => ((await call('GET', '/api/v1/jobs')) as { jobs: Job[] }).jobs
  await expect.poll(async () => (await jobs())[0]?.status, { timeout }).toMatch(/done|failed/)
  const [job] = await jobs()
  if (!job) throw new Error('the job is gone')
  return job
}
