/** A rival: a queue, tuned as its documentation says, whose jobs are posts. */
import type { Job } from "../job.ts"

export interface Surroundings {
  readonly databaseUrl: string
  readonly redisUrl: string
  /** Jobs at once. */
  readonly inFlight: number
  /** Signs and posts; fails when the answer is not 2xx. Answers with the status. */
  readonly post: (job: Job) => Promise<number>
}

export interface Queue {
  readonly fill: (jobs: ReadonlyArray<Job>) => Promise<unknown>
  /** Begins to work on what is there. */
  readonly go: () => Promise<unknown>
  /** Whether the outcome of every job is stored. */
  readonly isStored: () => Promise<boolean>
  /** Ends work, and drops what is left of the jobs. */
  readonly rest: () => Promise<unknown>
}

export type Open = (surroundings: Surroundings) => Promise<Queue>
