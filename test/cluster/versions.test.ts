/** Runners of two versions: which can talk, and what is logged about those that cannot (docs/decisions/0026). */
import { createServer } from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { protocolsOf, type RunnerTls } from "@coffer/cluster/RunnerTls"
import { shapes } from "../../src/platform/cluster/messages.ts"
import { callerWith, keyed, listening, localPlace, portOf } from "../kit/runners/Peers.ts"
import { connect, eventually } from "../kit/Process.ts"
import { freshDatabase } from "../kit/Service.ts"
import { application } from "../kit/runners/thisRunner.ts"
import { runner } from "../kit/runners/TwoRunners.ts"

/** The same runner, which offers these in its handshake. */
const offering = (tls: RunnerTls, ALPNProtocols: Array<string> | undefined): RunnerTls => ({
  ...tls,
  dialling: (to) => {
    const { ALPNProtocols: _, ...rest } = tls.dialling(to)
    return ALPNProtocols === undefined ? rest : { ...rest, ALPNProtocols }
  }
})

const call = Effect.fnUntraced(function* (protocols: Array<string> | undefined) {
  const at = yield* localPlace
  const port = yield* portOf(keyed(at, "key"), at)
  const other = yield* callerWith(offering(keyed(yield* localPlace, "key"), protocols))
  return { port, other, heard: yield* other.call(at, "hello") }
})

describe("in a handshake", () => {
  it.live("runners that have a shape of messages in common talk", () =>
    Effect.gen(function* () {
      const { heard, other, port } = yield* call([...protocolsOf(application), "coffer-messages/0"])
      assert.strictEqual(heard, "heard hello")
      assert.deepStrictEqual([port.refused(), other.refused()], [{}, {}])
    })
  )

  it.live("a peer that offers none is refused", () =>
    Effect.gen(function* () {
      const { heard, port } = yield* call(undefined)
      assert.isUndefined(heard)
      assert.deepStrictEqual(port.received, [])
      assert.deepStrictEqual(port.refused(), { "incoming version": 1 })
    })
  )

  it.live("a runner that answers with none is refused by the one that calls it, though it proved itself", () =>
    Effect.gen(function* () {
      const at = yield* localPlace
      const { ALPNProtocols: _, ...silent } = keyed(at, "key").listening
      let [secured, said] = [0, 0]
      const server = createServer(silent, (peer) => {
        secured++
        peer.on("data", () => said++).on("error", () => undefined)
      })
      yield* listening(server, at)
      const caller = yield* callerWith(keyed(yield* localPlace, "key"))
      assert.isUndefined(yield* caller.call(at, "hello"))
      assert.deepStrictEqual(caller.refused(), { "outgoing version": 1 })
      assert.deepStrictEqual([secured > 0, said], [true, 0])
    })
  )

  it.live("runners that have none in common refuse each other, and each says so in one line", () =>
    Effect.gen(function* () {
      const { heard, other, port } = yield* call(["coffer-messages/99"])
      assert.isUndefined(heard)
      assert.deepStrictEqual(port.received, [])
      assert.deepStrictEqual([port.refused(), other.refused()], [{ "incoming version": 1 }, { "outgoing version": 1 }])
      for (const { log } of [port, other]) {
        assert.lengthOf(log, 1)
        assert.match(log[0]!, /of a version whose messages this one does not understand/)
      }
    })
  )
})

/** A runner that says of itself that it understands other messages. Without a run it counts as alive. */
const stranger = (sql: SqlClient.SqlClient, run: number | null) =>
  sql`insert into runners (address, run, process, version, messages)
    values ('10.0.0.9:4001', ${run}, 'coffer 1@elsewhere', '9.9.9', '{99}')`

const words = new RegExp(
  "The runner 10\\.0\\.0\\.9:4001 \\(version 9\\.9\\.9\\) understands messages of shape 99, and this one " +
    `.* of shape ${shapes.join(", ")}`
)

describe("a runner that joins", () => {
  it.live("does not start where a runner is that it cannot talk to, and says which", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const sql = yield* connect(database)
      yield* stranger(sql, null)
      const joins = yield* runner(database)
      assert.strictEqual((yield* joins.ended).code, 1)
      const lines = joins.said.stderr.split("\n").filter((line) => line.startsWith("coffer:"))
      assert.lengthOf(lines, 1)
      assert.match(lines[0]!, words)
      assert.lengthOf(yield* sql`select 1 from runners`, 1)
    })
  )

  it.live("starts after such a runner has ended, reports its own version, and names one that comes later", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const sql = yield* connect(database)
      yield* stranger(sql, 12_345)
      const joins = yield* runner(database)
      yield* joins.ready
      const rows = yield* sql<{ messages: ReadonlyArray<number> }>`select messages from runners`
      assert.deepStrictEqual(
        rows.map(({ messages }) => [...messages]),
        [shapes]
      )
      yield* stranger(sql, null)
      yield* eventually(
        "it to be named",
        Effect.sync(() => words.test(joins.said.stderr))
      )
      joins.signal("SIGTERM")
      yield* joins.ended
      assert.lengthOf(yield* sql`select 1 from runners where version <> '9.9.9'`, 0)
    })
  )
})
