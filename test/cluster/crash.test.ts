/**
 * `kill -9` loses nothing that was acknowledged. The embedded default, Postgres with fsync on; the service is killed at
 * moments drawn as a number of answered calls. Its Postgres survives as an orphan, which the next start has to stop.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import {
  answered,
  assertBooksWhole,
  type Coffer,
  connect,
  databaseOf,
  demoKey,
  eventually,
  postgresRuns,
  run,
  seeded
} from "../kit/Process.ts"
import { receiver } from "../kit/Receiver.ts"
import { freePort } from "../kit/Service.ts"
import { rounds } from "../kit/run/soak.ts"
import { usedHome } from "../kit/program/usedHome.ts"

const kills = rounds(2, 20)
const answersMax = 200
const buyers = 12
const seed = 1
const currencies = ["USD", "HKD", "CNY"] as const

/** An order as the merchant knows it: what it requested, and the answers. */
interface Sale {
  readonly terms: { readonly out_trade_no: string; readonly amount: number; readonly currency: string }
  created: boolean
  paid: boolean
}

describe("kill -9", () => {
  it.live(
    "of the process at random moments while orders are paid: what was answered is kept, once, and every event arrives",
    () =>
      Effect.gen(function* () {
        const home = yield* usedHome
        const hook = yield* receiver
        const port = yield* freePort
        const moment = seeded(seed)
        const draw = seeded(seed)
        const sales: Array<Sale> = []

        const newSale = (name: string): Sale => {
          const currency = currencies[draw(currencies.length)]!
          return { terms: { out_trade_no: name, amount: 1 + draw(100_000), currency }, created: false, paid: false }
        }

        /** Starts where the last one was killed, and repeats the unanswered calls. */
        const startAgain = Effect.gen(function* () {
          const coffer = yield* run({ env: { COFFER_HOME: home }, port })
          const key = yield* demoKey(coffer, home)
          yield* assertKept(home, sales)
          const open = sales.filter(({ paid }) => !paid)
          const repeat = (sale: Sale) => buy(coffer, key, hook.url, sale, () => undefined)
          yield* Effect.forEach(open, repeat, { concurrency: buyers, discard: true })
          return { coffer, key }
        })

        for (let round = 1; round <= kills; round++) {
          const { coffer, key } = yield* startAgain
          let answersLeft = 1 + moment(answersMax)
          const onAnswer = () => {
            if (--answersLeft === 0) coffer.signal("SIGKILL")
          }
          const buyUntilKilled = Effect.fnUntraced(function* (buyer: number) {
            for (let number = 1; ; number++) {
              const sale = newSale(`${round}-${buyer}-${number}`)
              sales.push(sale)
              if (!(yield* buy(coffer, key, hook.url, sale, onAnswer))) return
            }
          })
          yield* Effect.forEach(Array(buyers).keys(), buyUntilKilled, { concurrency: buyers, discard: true })
          assert.deepStrictEqual(yield* coffer.ended, { code: null, signal: "SIGKILL" })
          assert.isTrue(yield* postgresRuns(home), "Postgres lives on")
        }

        yield* startAgain
        assert.deepStrictEqual(
          sales.filter(({ paid }) => !paid),
          []
        )
        const sql = yield* connect(databaseOf(home))
        yield* eventually(
          "the bank's reports",
          isEmpty(sql`select 1 from sandbox_payments where report_due_at is not null`)
        )
        yield* eventually(
          "second payments to go back",
          isEmpty(sql`select 1 from orders where unapplied_due_at is not null`)
        )
        yield* assertNoMoneyLost(sql)
        yield* eventually("all deliveries", isEmpty(sql`select 1 from deliveries where status <> 'succeeded'`))
        const received = new Set(hook.all.map(({ event }) => event.id))
        const events = yield* sql<{ id: string }>`
          select e.id from events e join orders o using (trade_no) where o.notify_url is not null`
        assert.isAtLeast(events.length, sales.length)
        assert.deepStrictEqual(
          events.filter(({ id }) => !received.has(id)),
          []
        )
        yield* assertKept(home, sales)
      })
  )
})

/** Creates the order and pays it, as a merchant who may have done so already. False when an answer did not come. */
const buy = Effect.fnUntraced(function* (
  { api }: Coffer,
  key: string,
  notifyUrl: string,
  sale: Sale,
  onAnswer: () => void
) {
  const ref = sale.terms.out_trade_no
  const created = yield* answered(api.post("/v1/orders", key, { ...sale.terms, notify_url: notifyUrl }))
  if (created === undefined) return false
  assert.include(sale.created ? [200] : [200, 201], created.status)
  sale.created = true
  sale.paid = created.body.data.status === "paid"
  onAnswer()
  if (sale.paid) return true
  const paid = yield* answered(api.post(`/v1/test_helpers/orders/${ref}/pay`, key, {}))
  if (paid === undefined) return false
  assert.deepStrictEqual([paid.status, paid.body.data.status], [200, "paid"])
  sale.paid = true
  onAnswer()
  return true
})

const assertKept = Effect.fnUntraced(function* (home: string, sales: ReadonlyArray<Sale>) {
  const sql = yield* connect(databaseOf(home))
  // For the checks alone, which would read the whole ledger once per order.
  yield* sql`create index if not exists test_ledger_reference on ledger (reference_id)`
  yield* assertBooksWhole(sql)
  const orders = yield* sql<{ out_trade_no: string; status: string }>`select out_trade_no, status from orders`
  const statuses = new Map(orders.map(({ out_trade_no, status }) => [out_trade_no, status]))
  const lost = sales.filter(({ created, paid, terms }) => {
    const status = statuses.get(terms.out_trade_no)
    return paid ? status !== "paid" : created && status === undefined
  })
  assert.deepStrictEqual(lost, [], "answered, and not kept")
}, Effect.scoped)

/** The money that the bank took from buyers was credited or returned. */
const assertNoMoneyLost = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const lost = yield* sql`
    select p.payment_id from sandbox_payments p join orders o using (trade_no)
    where p.state = 'succeeded' and o.payment_id is distinct from p.payment_id
      and not exists (select 1 from sandbox_refunds r where r.payment_id = p.payment_id and r.amount = p.amount)`
  assert.deepStrictEqual(lost, [], "payments that were neither credited nor returned")
})

const isEmpty = <A, E, R>(rows: Effect.Effect<ReadonlyArray<A>, E, R>) => Effect.map(rows, ({ length }) => length === 0)
