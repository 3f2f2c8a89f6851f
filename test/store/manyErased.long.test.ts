/**
 * A buyer of very many orders, each with an event, a delivery with an answer, a mail, a stored answer of an
 * Idempotency-Key and a call in the API logs. `SOAK=true` takes 100,000 orders and prints how long that took.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { SqlClient } from "effect/sql"
import { patiently } from "../../src/platform/runtime/patience.ts"
import { pack } from "../../src/shared/logs/logBodies.ts"
import { merchantOf, said } from "../kit/Merchant.ts"
import { eventually } from "../kit/Process.ts"
import { receiver } from "../kit/Receiver.ts"
import { flushed } from "../kit/rows/logs.ts"
import { isSoak, rounds } from "../kit/run/soak.ts"
import { freshDatabase, ownersConnection, type Running, start } from "../kit/Service.ts"

const count = rounds(2_000, 100_000)
const email = "jane@buyer.example"
/** Calls of a block of bodies. */
const ofBlock = 32

/** The 26 characters of the n-th number, in the order of n; `n` is a number of SQL. */
const nth = "lpad(upper(translate(to_hex(n), 'ilou', 'ijkl')), 26, '0')"

/** Copies of the only row, with other values by the number `n`. */
const copy = Effect.fnUntraced(function* (
  owner: SqlClient.SqlClient,
  table: string,
  where: string,
  values: Readonly<Record<string, string>>
) {
  const [row] = yield* owner<{ columns: string }>`select string_agg(attname, ', ' order by attnum) as columns
    from pg_attribute where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attgenerated = ''`
  const changes = Object.entries(values).flatMap(([column, value]) => [`'${column}'`, value])
  yield* owner.unsafe(`insert into ${table} (${row!.columns}) select ${row!.columns
    .split(", ")
    .map((column) => `r.${column}`)
    .join(", ")}
    from ${table} t cross join generate_series(1, ${count}) n
    cross join lateral jsonb_populate_record(t, jsonb_build_object(${changes.join(", ")})) r
    where (t.tableoid, t.ctid) in (select tableoid, ctid from ${table} where ${where})`)
})

const fill = Effect.fnUntraced(function* (running: Running, database: string) {
  const owner = yield* ownersConnection(database)
  const shop = merchantOf(running)
  const hook = yield* receiver
  const made = yield* said(
    shop.post(
      "/v1/orders",
      {
        amount: 5_000,
        out_trade_no: "first",
        receipt_email: email,
        subject: "For Jane Quillfeather",
        notify_url: hook.url,
        metadata: { customer: "Jane Quillfeather", street: "17 Marmalade Row" }
      },
      { "Idempotency-Key": "first" }
    )
  )
  const first = made["trade_no"] as string
  yield* said(shop.post(`/v1/test_helpers/orders/${first}/pay`, { payment_method: "card" }))
  yield* running.settle
  yield* flushed(running)
  yield* eventually(
    "the delivery has its answer",
    Effect.map(owner`select 1 from deliveries where status = 'succeeded'`, ({ length }) => length > 0)
  )
  const ofFirst = `trade_no = '${first}'`
  const event = `event_id = (select id from events where ${ofFirst})`
  yield* copy(owner, "orders", ofFirst, {
    trade_no: `'TRD_SB_' || ${nth}`,
    out_trade_no: `'o-' || n`,
    payment_id: `'pay_' || ${nth}`,
    receipt: "null"
  })
  yield* copy(owner, "mails", ofFirst, { id: `'mail-' || n`, trade_no: `'TRD_SB_' || ${nth}` })
  yield* copy(owner, "events", ofFirst, {
    id: `'evt_' || ${nth}`,
    object_id: `'TRD_SB_' || ${nth}`,
    trade_no: `'TRD_SB_' || ${nth}`
  })
  yield* copy(owner, "deliveries", event, { id: `'dlv_' || ${nth}`, event_id: `'evt_' || ${nth}` })
  yield* copy(
    owner,
    "delivery_attempts",
    `delivery_id in (select id from deliveries where ${event} order by 1 limit 1)`,
    {
      delivery_id: `'dlv_' || ${nth}`,
      snippet: "'thanks, Jane'"
    }
  )
  yield* copy(owner, "idempotency_keys", `data like '%${first}%'`, {
    id: `t.id || n`,
    data: `replace(t.data, '${first}', 'TRD_SB_' || ${nth})`
  })
  yield* copy(owner, "api_logs", "method = 'POST' and path = '/v1/orders'", {
    request_id: `'req_' || ${nth}`,
    block: `1000000 + n / ${ofBlock}`,
    place: `n % ${ofBlock}`
  })
  for (let block = 0; block <= count / ofBlock; block++) {
    const rows = Array.from({ length: ofBlock }, (_, place) => ({
      request_body: JSON.stringify({ out_trade_no: `o-${block * ofBlock + place}`, receipt_email: email }),
      response_body: JSON.stringify({
        code: 200,
        data: { out_trade_no: `o-${block * ofBlock + place}`, subject: "Jane" }
      })
    }))
    yield* owner`insert into api_log_bodies
      select date_trunc('day', now()), ${1_000_000 + block}::int8, ${yield* pack(rows)}`
  }
  yield* owner.unsafe("analyze")
  return { owner, shop }
}, patiently("5 minutes"))

it.live("a buyer of very many orders is erased of all of them with progress, and orders are taken meanwhile", () =>
  Effect.gen(function* () {
    const database = yield* freshDatabase
    const running = yield* start({ database, env: { ALLOW_PRIVATE_WEBHOOKS: "true" } })
    const { owner, shop } = yield* fill(running, database)
    const took: Array<number> = []
    const buy = Effect.gen(function* () {
      const began = performance.now()
      yield* said(shop.post("/v1/orders", { amount: 100, receipt_email: email, metadata: { customer: "Jane" } }))
      took.push(performance.now() - began)
      yield* Effect.sleep("50 millis")
    })
    const [began, cpu] = [performance.now(), process.cpuUsage()]
    const { erasure_no } = yield* said(shop.post("/v1/erasures", { email }))
    const buying = yield* Effect.forkScoped(Effect.forever(buy))
    const read = said(shop.get(`/v1/erasures/${erasure_no}`))
    const progress = new Set<number>()
    yield* eventually(
      "the end of the erasure",
      Effect.map(read, ({ counts, status }) => {
        progress.add(counts["orders"])
        return status === "done"
      }),
      "30 minutes"
    )
    yield* Fiber.interrupt(buying)
    if (isSoak) say({ began, cpu, progress, took })

    const { counts } = yield* read
    assert.deepInclude(counts, { orders: count + 1, mails: count + 1, events: count + 1, answers: count + 1 })
    assert.isAbove(progress.size, 2)
    assert.isAbove(took.length, 0)
    const erased = "erased_at is not null"
    const left = yield* owner.unsafe(`select from orders
      where ${erased} and (subject like '%Jane%' or metadata::text like '%Jane%' or receipt_email is not null)`)
    assert.lengthOf(left, 0)
    // Tags follow the metadata, for orders that were erased and those that came after.
    const orders = (value: string) =>
      Effect.map(said(shop.get(`/v1/orders?limit=1&metadata[customer]=${value}`)), ({ data }) => data.length)
    assert.deepStrictEqual([yield* orders("Jane%20Quillfeather"), yield* orders("%5Berased%5D")], [0, 1])
    assert.strictEqual(yield* orders("Jane"), 1)
  }).pipe(Effect.scoped)
)

const say = ({
  began,
  cpu,
  progress,
  took
}: {
  readonly began: number
  readonly cpu: NodeJS.CpuUsage
  readonly progress: ReadonlySet<number>
  readonly took: ReadonlyArray<number>
}) => {
  const { system, user } = process.cpuUsage(cpu)
  const times = took.toSorted((a, b) => a - b).map(Math.round)
  const [millis, ofProcessor] = [performance.now() - began, (user + system) / 1_000].map(Math.round)
  process.stdout.write(
    [
      `${count} orders in ${millis} ms, ${ofProcessor} ms of CPU in this process, ${progress.size} counts seen`,
      `${times.length} orders taken meanwhile, median ${times[times.length >> 1]} ms, worst ${times.at(-1)} ms`,
      ""
    ].join("\n")
  )
}
