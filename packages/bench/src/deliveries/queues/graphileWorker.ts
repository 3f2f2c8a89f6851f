/**
 * graphile-worker with what its page on performance sets: jobs fetched 500 at a time, and their completion written in
 * batches. A job that has succeeded is deleted: its outcome is that it is gone.
 */
import { Logger, makeWorkerUtils, run, type Runner } from "graphile-worker"
import pg from "pg"
import type { Job } from "../job.ts"
import type { Open } from "./Queue.ts"

const quiet = new Logger(() => () => undefined)

export const open: Open = async ({ databaseUrl, inFlight, post }) => {
  const pgPool = new pg.Pool({ connectionString: databaseUrl, max: inFlight / 4 })
  const utils = await makeWorkerUtils({ pgPool, logger: quiet })
  await utils.migrate()
  let runner: Runner | undefined
  return {
    // One statement: it is what `addJobs` calls, with 20,000 jobs at once.
    fill: (jobs) => utils.addJobs(jobs.map((job) => ({ identifier: "post", payload: job }))),
    go: async () => {
      runner = await run({
        pgPool,
        logger: quiet,
        noHandleSignals: true,
        taskList: { post: (payload) => post(payload as Job).then(() => undefined) },
        preset: {
          worker: {
            concurrentJobs: inFlight,
            localQueue: { size: 500 },
            completeJobBatchDelay: 0,
            failJobBatchDelay: 0
          }
        }
      })
    },
    isStored: async () => {
      const { rows } = await pgPool.query("select 1 from graphile_worker._private_jobs limit 1")
      return rows.length === 0
    },
    rest: () => runner!.stop()
  }
}
