/** Deliveries and mails that an operator keeps no longer (docs/operating.md, How long rows stay). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { assertLedgerWhole } from "../kit/ledger.ts"
import { merchantOf } from "../kit/Merchant.ts"
import { receiver } from "../kit/Receiver.ts"
import { start } from "../kit/Service.ts"

const paidOnce = Effect.fnUntraced(function* (env: Readonly<Record<string, string>>) {
  const hook = yield* receiver
  const running = yield* start({ clock: "test", env: { ALLOW_PRIVATE_WEBHOOKS: "true", ...env } })
  const shop = merchantOf(running)
  yield* shop.paid(1_000, { notify_url: hook.url, receipt_email: "buyer@example.com" })
  yield* running.settle
  const rows = Effect.map(
    running.sql<{ rows: string }>`select (select count(*) from deliveries) || ' ' ||
      (select count(*) from delivery_attempts) || ' ' || (select count(*) from mails) as rows`,
    ([row]) => row!.rows
  )
  return { running, shop, rows }
})

it.effect("a delivery with its attempts, and a mail, go when they have been kept as long as the settings say", () =>
  Effect.gen(function* () {
    const { rows, running, shop } = yield* paidOnce({ KEEP_DELIVERIES: "40 days", KEEP_MAILS: "60 days" })
    assert.strictEqual(yield* rows, "1 1 1")
    yield* running.leap("39 days")
    yield* running.settle
    assert.strictEqual(yield* rows, "1 1 1")
    yield* running.leap("2 days")
    yield* running.settle
    assert.strictEqual(yield* rows, "0 0 1")
    yield* assertLedgerWhole(running.sql)
    yield* running.leap("20 days")
    yield* running.settle
    assert.strictEqual(yield* rows, "0 0 0")
    assert.deepStrictEqual(yield* shop.events(), ["payment.succeeded"])
  }).pipe(Effect.scoped)
)

it.effect("they stay for ever where nothing is set", () =>
  Effect.gen(function* () {
    const { rows, running } = yield* paidOnce({})
    yield* running.leap("70 days")
    yield* running.settle
    assert.strictEqual(yield* rows, "1 1 1")
  }).pipe(Effect.scoped)
)

it.effect("a setting below the days of API logs stops the start, and says so", () =>
  Effect.gen(function* () {
    const started = yield* Effect.exit(start({ env: { KEEP_MAILS: "29 days" } }))
    assert.include(JSON.stringify(started), "KEEP_MAILS must be 30 days or more")
  }).pipe(Effect.scoped)
)
