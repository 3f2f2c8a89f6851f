/** The runners as an operator sees them: `GET /operator/v1/cluster` (docs/decisions/0026). */
import { assert, describe, it } from "@effect/vitest"
import { Context, DateTime, Effect } from "effect"
import { RunnerVitals } from "@coffer/cluster/RunnerVitals"
import { buildVersion as version } from "../../../src/platform/runtime/Vitals.ts"
import { merchantOf } from "../../kit/Merchant.ts"
import { eventually } from "../../kit/Process.ts"
import { type Running, start } from "../../kit/Service.ts"

/** The vitals of now, and not those in five seconds. */
const cluster = Effect.fnUntraced(function* ({ api, context }: Running) {
  yield* Context.get(context, RunnerVitals).report
  const { body, status, text } = yield* api.operator("GET", "/cluster")
  assert.strictEqual(status, 200, text)
  return body.data
})

const row = ({ sql }: Running, instance: string, heardSecondsAgo: number) =>
  Effect.gen(function* () {
    const at = DateTime.formatIso(DateTime.makeUnsafe(Date.now() - heardSecondsAgo * 1_000))
    yield* sql`insert into runner_vitals (instance, run, address, version, node, started_at, heard_at, vitals)
      values (${instance}, null, '10.0.0.9:7000', '9.9.9', '99.0.0', ${at}::text::timestamptz,
        ${at}::text::timestamptz, '[]')`
  })

/** Once the process has reported that it holds all shards. */
const settled = Effect.fnUntraced(function* (running: Running) {
  yield* eventually(
    "the shards to be held",
    Effect.map(cluster(running), ({ shards }) => shards.held === shards.total)
  )
  return yield* cluster(running)
})

describe("GET /operator/v1/cluster", () => {
  it.live("shows of a process that is alone what it holds, what waits in it and how it is", () =>
    Effect.gen(function* () {
      const running = yield* start()
      yield* merchantOf(running).paid(1_000)
      const { backlogs, object, runners, shards, versions } = yield* settled(running)
      assert.deepStrictEqual([object, shards, versions], ["cluster", { total: 300, held: 300 }, [version]])
      const [runner, ...others] = runners
      assert.lengthOf(others, 0)
      const { address, clock_skew_seconds, commands, lanes, memory, node, pool, state } = runner
      assert.deepStrictEqual(
        { state, address, node, messages: runner.messages, held: runner.shards, awake: runner.slots_awake },
        { state: "alive", address: null, node: process.versions.node, messages: null, held: 300, awake: 0 }
      )
      assert.deepStrictEqual(
        commands,
        ["disputes", "orders", "payment_links", "wallets"].map((kind) => ({ kind, objects_busy: 0, waiting: 0 }))
      )
      assert.deepStrictEqual(
        lanes.map(({ lane, waiting }: { lane: string; waiting: number }) => [lane, waiting]),
        [
          ["0", 0],
          ["1", 0]
        ]
      )
      const written = lanes.filter(({ batches }: { batches: number }) => batches > 0)
      assert.isAbove(written.length, 0)
      for (const { batch_ms_mean, batch_size_max, batch_size_mean } of written) {
        assert.isAtLeast(batch_size_mean, 1)
        assert.isAtLeast(batch_size_max, batch_size_mean)
        assert.isAbove(batch_ms_mean, 0)
      }
      for (const number of [pool.in_use, pool.waiting, clock_skew_seconds, runner.event_loop_delay_ms.p99]) {
        assert.isNumber(number)
      }
      assert.isAbove(memory.heap_limit_bytes, memory.heap_used_bytes)
      assert.isAbove(memory.resident_bytes, memory.heap_used_bytes)
      assert.isAtLeast(Date.parse(runner.last_heartbeat_at), Date.parse(runner.started_at))
      assert.include(
        backlogs.map(({ worker }: { worker: string }) => worker),
        "expiry"
      )
    })
  )

  it.live("counts the rows that are due for a worker, by merchant, and says since when, for all runners", () =>
    Effect.gen(function* () {
      // Its workers do not poll again.
      const running = yield* start({ env: { WORKER_POLL: "1 hour" } })
      yield* running.atRest
      const { trade_no } = (yield* merchantOf(running).post("/v1/orders", { amount: 500 })).body.data
      const since = "2026-01-02T03:04:05.000Z"
      yield* running.sql`update orders set due_at = ${since}::text::timestamptz where trade_no = ${trade_no}`
      const { backlogs } = yield* cluster(running)
      const of = (name: string) => backlogs.find(({ worker }: { worker: string }) => worker === name)
      assert.deepStrictEqual(of("expiry"), {
        worker: "expiry",
        due: 1,
        oldest_due_at: since,
        merchants: [{ merchant_id: running.merchant.merchantId, mode: "sandbox", due: 1, oldest_due_at: since }]
      })
      assert.deepStrictEqual(of("mails"), { worker: "mails", due: 0, oldest_due_at: null, merchants: [] })
    })
  )

  it.live("shows what a runner of another version does not tell as null, and one that fell silent as gone", () =>
    Effect.gen(function* () {
      const running = yield* start()
      yield* settled(running)
      yield* row(running, "newer", 1)
      yield* row(running, "lost", 20)
      yield* row(running, "forgotten", 3_700)
      const { runners, shards, versions } = yield* settled(running)
      const states = runners.map(({ instance_id, state }: Record<string, string>) => [instance_id, state])
      const own = runners.find(({ version: each }: { version: string }) => each === version).instance_id
      assert.sameDeepMembers(states, [
        ["newer", "alive"],
        ["lost", "gone"],
        [own, "alive"]
      ])
      const {
        commands,
        memory,
        shards: held,
        slots_awake
      } = runners.find(({ instance_id }: { instance_id: string }) => instance_id === "newer")
      assert.deepStrictEqual([held, slots_awake, commands, memory.resident_bytes], [null, null, [], null])
      assert.deepStrictEqual([versions, shards.held], [[version, "9.9.9"].toSorted(), 300])
    })
  )
})

describe("POST /operator/v1/cluster/runners/{instance_id}/kill", () => {
  it.live("kills no runner if the database is not the embedded one", () =>
    Effect.gen(function* () {
      const running = yield* start()
      const { can_kill, runners } = yield* cluster(running)
      assert.isFalse(can_kill)
      const { status, text } = yield* running.api.operator("POST", `/cluster/runners/${runners[0].instance_id}/kill`)
      assert.strictEqual(status, 409, text)
      assert.lengthOf((yield* cluster(running)).runners, 1)
    })
  )
})

describe("POST /operator/v1/cluster/runners/{instance_id}/drain", () => {
  const drain = ({ api }: Running, instance: string) =>
    Effect.map(api.operator("POST", `/cluster/runners/${instance}/drain`), ({ status }) => status)

  it.live("asks a runner that is alive, once, and shows that it drains", () =>
    Effect.gen(function* () {
      const running = yield* start()
      yield* settled(running)
      yield* row(running, "newer", 1)
      yield* row(running, "lost", 20)
      assert.deepStrictEqual([yield* drain(running, "newer"), yield* drain(running, "newer")], [202, 202])
      assert.deepStrictEqual([yield* drain(running, "lost"), yield* drain(running, "none")], [409, 409])
      const { runners } = yield* cluster(running)
      assert.deepStrictEqual(
        runners.flatMap(({ draining, instance_id }: Record<string, unknown>) =>
          draining === true ? [instance_id] : []
        ),
        ["newer"]
      )
    })
  )

  it.live("leaves one runner that keeps the shards, also when all are asked at the same moment", () =>
    Effect.gen(function* () {
      const running = yield* start()
      const { runners } = yield* settled(running)
      assert.strictEqual(yield* drain(running, runners[0].instance_id), 409)
      yield* row(running, "second", 1)
      yield* row(running, "third", 1)
      const all = [runners[0].instance_id, "second", "third"]
      const statuses = yield* Effect.forEach(all, (each) => drain(running, each), { concurrency: 3 })
      assert.sameMembers(statuses, [202, 202, 409])
    })
  )
})
