/**
 * pg-boss: several workers of one process that fetch in batches, and fetch again at once while batches are full. Each
 * job's outcome is stored separately.
 */
import { PgBoss } from "pg-boss"
import type { Job } from "../job.ts"
import type { Open } from "./Queue.ts"

const queue = "post"
const batchSize = Number(process.env["PGBOSS_BATCH"] ?? 16)

export const open: Open = async ({ databaseUrl, inFlight, post }) => {
  const boss = new PgBoss({ connectionString: databaseUrl, max: 10, supervise: false, schedule: false })
  await boss.start()
  await boss.createQueue(queue)
  const db = boss.getDb()
  return {
    fill: (jobs) =>
      boss.insert(
        queue,
        jobs.map((job) => ({ data: job }))
      ),
    go: () =>
      boss.work<Job>(
        queue,
        {
          batchSize,
          localConcurrency: inFlight / batchSize,
          pollingIntervalSeconds: 0.5,
          burstWhenBatchFull: true,
          perJobResults: true
        },
        (jobs) =>
          Promise.all(
            jobs.map(async ({ data, id }) => ({
              id,
              status: "completed" as const,
              output: { status: await post(data) }
            }))
          )
      ),
    isStored: async () => {
      const { rows } = await db.executeSql("select 1 from pgboss.job where state < 'completed' limit 1", [])
      return rows.length === 0
    },
    rest: async () => {
      await boss.offWork(queue)
      await boss.deleteAllJobs(queue)
    }
  }
}
