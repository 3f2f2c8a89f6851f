/** A rival: a queue, tuned as its documentation recommends, whose jobs are posts. */
import type { Job } from "../job.ts"

export interface Surroundings {
  readonly databaseUrl: string
  readonly redisUrl: string
  /** Concurrent jobs. */
  readonly inFlight: number
  /** Signs and posts; returns the status, and fails unless it is 2xx. */
  readonly post: (job: Job) => Promise<number>
}

export interface Queue {
  readonly fill: (jobs: ReadonlyArray<Job>) => Promise<unknown>
  /** Starts work on the queued jobs. */
  readonly go: () => Promise<unknown>
  /** Whether the outcome of every job is stored. */
  readonly isStored: () => Promise<boolean>
  /** Stops work, and drops the remaining jobs. */
  readonly rest: () => Promise<unknown>
}

export type Open = (surroundings: Surroundings) => Promise<Queue>
