/** What has to have ended when a world does: work that is due, and what the service has open in Postgres. */
import type { InWorld } from "./inWorld.ts"
import { wrong } from "./plans.ts"

/** A worker looks every five seconds. */
const overdueMillis = 8_000
/** The first attempts of a delivery come sooner, and so does the next look after a failed one. */
const patienceMillis = 120_000

/** Rows that are due for longer than a worker needs to see them, and deliveries and refunds without an end. */
export const unfinished = async ({ control, world }: InWorld): Promise<ReadonlyArray<string>> => {
  // A runner whose clock was wrong wrote times of its own: what it put off comes that much later.
  const until = world.now + patienceMillis + (world.marks.has("a clock was wrong") ? wrong.millis : 0)
  for (;;) {
    const left = await world.holding(async () => {
      const time = `to_timestamp(${(world.now - overdueMillis) / 1_000})`
      const queues = (await queuesIn(control)).map(
        ([table, column, only]) =>
          `select '${table}.${column}' as what, count(*) as rows from ${table} where ${only} and ${column} < ${time}`
      )
      // A payment that the bank reports later is not due yet.
      const reports = "select 'reports of the bank', count(*) from sandbox_payments where report_due_at is not null"
      const open = ["deliveries", "refunds"].map(
        (table) => `select '${table}' as what, count(*) as rows from ${table} where status in ('pending', 'reserved')`
      )
      return control.query(
        `select what, rows from (${[...queues, ...open, reports].join(" union all ")}) q where rows > 0`
      )
    })
    if (left.length === 0) return []
    if (world.now > until) return left.map(([what, rows]) => `${rows} rows of ${what} are due, and nothing happens`)
    await world.sleep(1_000)
  }
}

let queues: ReadonlyArray<ReadonlyArray<string | null>> | undefined

/** Each table with rows that come due has an index of them (docs/architecture.md, section 5). */
const queuesIn = async (control: InWorld["control"]) =>
  (queues ??= await control.query(
    `select t.relname, a.attname, coalesce(pg_get_expr(x.indpred, x.indrelid), 'true')
      from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
        join pg_attribute a on a.attrelid = t.oid and a.attnum = x.indkey[0]
      where i.relname like '%\\_due' order by 1, 2`
  ))

/** Sessions that are open after all runners have stopped. */
export const leftOpen = async ({ gate, world }: InWorld): Promise<ReadonlyArray<string>> => {
  await world.sleep(1_000)
  return [...gate.sessions.values()].flatMap(({ no, owner, status }) =>
    // What a dead one had sent may still be on its way.
    world.dead.has(owner) ? [] : [`all runners have stopped, and session ${no} of runner ${owner} is open: ${status}`]
  )
}
