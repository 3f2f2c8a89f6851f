/**
 * graphile-worker with the settings of its performance page: jobs are fetched 500 at a time, and completions are
 * written in batches. A job that has succeeded is deleted, which is its outcome.
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
    // One statement, the one that `addJobs` uses, with 20,000 jobs at a time.
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
