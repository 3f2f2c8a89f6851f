/**
 * Backups as in docs/operating.md, taken from a running service: the restored one is complete and continues to work.
 */
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { commandRun } from "../kit/program/commandRun.ts"
import {
  addressOf,
  app,
  leftOut,
  named,
  newServer,
  pg,
  postgresFolder,
  serverIn,
  superuser
} from "../kit/servers/PostgresPair.ts"
import { connect, eventually, launch, newHome, seeded } from "../kit/Process.ts"
import { operatorToken, secretKey } from "../kit/Service.ts"
import { createAndPay, steadyLoad } from "../kit/faults/SteadyLoad.ts"
import { newKey } from "../kit/runners/TwoRunners.ts"

const writesEach = 60

const serve = Effect.fnUntraced(function* (server: Effect.Success<ReturnType<typeof newServer>>) {
  const env = {
    DATABASE_URL: addressOf([server], app),
    MIGRATION_DATABASE_URL: addressOf([server], superuser),
    COFFER_HOME: yield* newHome,
    SECRET_KEY: secretKey,
    OPERATOR_TOKEN: operatorToken
  }
  return yield* Effect.tap(launch({ env }), ({ ready }) => ready)
})

describe.skipIf(leftOut)(named("a backup of a service that is at work"), () => {
  it.live(
    "by pg_dump or by pg_basebackup: nothing acknowledged before it is missing, the audit finds nothing, and the service goes on with it",
    () =>
      Effect.gen(function* () {
        const folder = yield* postgresFolder
        const first = yield* newServer(folder, "first")
        const coffer = yield* serve(first)
        const key = yield* newKey(coffer)
        const load = steadyLoad(() => [{ port: coffer.port, wasPaused: () => false }], seeded(1))
        for (let worker = 0; worker < 4; worker++) load.begin(key, createAndPay)
        yield* eventually(
          "some writes",
          Effect.sync(() => load.acknowledged.length >= writesEach)
        )
        const before = load.acknowledged.filter(({ kind }) => kind === "create").map(({ no }) => no)

        const dump = path.join(folder, "coffer.dump")
        yield* pg("pg_dump", "--format=custom", `--file=${dump}`, addressOf([first], superuser))
        const copy = yield* serverIn(folder, "copy")
        yield* pg("pg_basebackup", "-D", copy.data, "-X", "stream", "-c", "fast", "-d", addressOf([first], superuser))
        yield* load.end
        yield* first.stop("immediate")

        const second = yield* newServer(folder, "second")
        yield* pg("pg_restore", "--exit-on-error", "-d", addressOf([second], superuser), dump)
        yield* copy.start
        for (const server of [second, copy]) {
          const audited = yield* commandRun(["audit"], { DATABASE_URL: addressOf([server], app) })
          assert.strictEqual(audited.code, 0, audited.stdout + audited.stderr)
          assert.match(audited.stdout, /no violations\n$/)
          const sql = yield* connect(addressOf([server], app))
          const rows = yield* sql<{ trade_no: string }>`select trade_no from orders`
          assert.includeMembers(
            rows.map(({ trade_no }) => trade_no),
            before
          )
          const { api, said } = yield* serve(server)
          assert.strictEqual((yield* api.get(`/v1/orders/${before[0]}`, key)).status, 200, said.stderr)
          const order = yield* api.post("/v1/orders", key, { amount: 1_000 })
          const paid = yield* api.post(`/v1/test_helpers/orders/${order.body.data.trade_no}/pay`, key, {})
          assert.strictEqual(paid.status, 200, paid.text)
        }
      })
  )
})
