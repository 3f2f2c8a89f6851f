/**
 * A rival's process: on request of its parent it fills its queue, works on it, and reports when all outcomes are
 * stored.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { Agent, request } from "undici"
import { bodyOf, eventId, headersOf, type Job, type Template } from "./job.ts"
import type { Open } from "./queues/Queue.ts"

export interface Fill {
  readonly run: string
  readonly count: number
  readonly urls: ReadonlyArray<string>
  readonly template: Template
}

export type Ask = { readonly fill: Fill } | "go" | "stored" | "rest"

const opens: Record<string, () => Promise<{ readonly open: Open }>> = {
  plain: () => import("./queues/plain.ts"),
  graphile: () => import("./queues/graphileWorker.ts"),
  "pg-boss": () => import("./queues/pgBoss.ts"),
  bullmq: () => import("./queues/bullmq.ts")
}

const inFlight = Number(process.env["IN_FLIGHT"])
const dispatcher = new Agent({ connections: inFlight, pipelining: 1, keepAliveTimeout: 60_000 })

const post = async (job: Job) => {
  const { body, statusCode } = await request(job.url, {
    method: "POST",
    headers: headersOf(job),
    body: job.body,
    dispatcher
  })
  await body.text()
  if (statusCode < 200 || statusCode > 299) throw new Error(`answered ${statusCode}`)
  return statusCode
}

const { open } = await opens[process.argv[2]!]!()
const queue = await open({
  databaseUrl: process.env["DATABASE_URL"]!,
  redisUrl: process.env["REDIS_URL"]!,
  inFlight,
  post
})

const jobsOf = ({ count, run, template, urls }: Fill): ReadonlyArray<Job> =>
  Array.from({ length: count }, (_, n) => {
    const id = eventId(run, n)
    return { id, url: urls[n % urls.length]!, body: bodyOf(template, id) }
  })

const perform = async (ask: Ask): Promise<unknown> => {
  switch (ask) {
    case "go":
      return queue.go()
    case "rest":
      return queue.rest()
    case "stored":
      while (!(await queue.isStored())) await sleep(5)
      return
    default:
      return queue.fill(jobsOf(ask.fill))
  }
}

process.on("message", (ask: Ask) => {
  perform(ask).then(
    () => process.send!("done"),
    (cause: unknown) => {
      console.error(cause)
      process.exit(1)
    }
  )
})
process.on("disconnect", () => process.exit(0))
process.send!("ready")
