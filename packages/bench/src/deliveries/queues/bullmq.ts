/** BullMQ on Redis with an append-only file, as its production guide recommends. Redis keeps the outcomes. */
import { createNodeRedisClient, Queue, Worker } from "bullmq"
import { createClient } from "redis"
import type { Job } from "../job.ts"
import type { Open } from "./Queue.ts"

export const open: Open = async ({ inFlight, post, redisUrl }) => {
  const connect = () => createNodeRedisClient(createClient({ url: redisUrl }) as never)
  const queue = new Queue<Job>("post", { connection: connect() as never })
  let worker: Worker<Job> | undefined
  return {
    fill: (jobs) => queue.addBulk(jobs.map((data) => ({ name: "post", data }))),
    go: async () => {
      worker = new Worker<Job>("post", async ({ data }) => ({ status: await post(data) }), {
        connection: connect() as never,
        concurrency: inFlight
      })
      await worker.waitUntilReady()
    },
    isStored: async () => {
      const { active, wait } = await queue.getJobCounts("wait", "active")
      return active === 0 && wait === 0
    },
    rest: async () => {
      await worker!.close()
      await queue.obliterate({ force: true })
    }
  }
}
