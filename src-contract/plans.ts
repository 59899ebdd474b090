/** The plan table: specification section 8, plus the concurrency and monthly credits that it leaves open. Data, no code. */
export const PLANS = ['free', 'starter', 'pro', 'studio'] as const
export type Plan = (typeof PLANS)[number]

export interface PlanLimits {
  /** API keys that may be active at once. */
  readonly keys: number
  /** Authenticated requests per sliding minute, all keys together. */
  readonly requestsPerMinute: number
  /** Account webhooks; a job's own webhook_url does not count. */
  readonly webhooks: number
  /** Unfinished jobs at once. */
  readonly concurrentJobs: number
  /** Balance after the monthly top-up. */
  readonly monthlyCredits: number
}

export const PLAN_LIMITS: Record<Plan, PlanLimits> = {
  free: { keys: 0, requestsPerMinute: 0, webhooks: 0, concurrentJobs: 1, monthlyCredits: 3 },
  starter: { keys: 0, requestsPerMinute: 0, webhooks: 0, concurrentJobs: 2, monthlyCredits: 20 },
  pro: { keys: 5, requestsPerMinute: 30, webhooks: 3, concurrentJobs: 5, monthlyCredits: 100 },
  studio: { keys: 20, requestsPerMinute: 100, webhooks: 10, concurrentJobs: 20, monthlyCredits: 500 },
}

/** Credits per job, independent of platforms and tier (specification section 1). */
export const CREDITS_PER_JOB = 1
