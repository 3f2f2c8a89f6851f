/** The figures of the console's home page. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { invite, signIn } from "../../kit/callers/console.ts"
import { type Json, merchantOf } from "../../kit/Merchant.ts"
import { mailServer } from "../../kit/servers/MailServer.ts"
import { start } from "../../kit/Service.ts"

const begins = Date.UTC(2026, 10, 20, 22, 30)

const begin = Effect.gen(function* () {
  const mails = yield* mailServer()
  const running = yield* start({ clock: "test", begins, env: { SMTP_URL: mails.url, MAIL_FROM: "coffer@pay.example" } })
  const { api, merchant } = running
  const at = `/merchants/${merchant.merchantId}`
  yield* invite(api, mails, { email: "v@shop.example", merchant_id: merchant.merchantId, role: "viewer" })
  const enter = signIn(api, mails, "v@shop.example")
  const overview = ({ call }: Effect.Success<typeof enter>, days = 7, mode = "sandbox") =>
    Effect.map(call("GET", `${at}/overview?mode=${mode}&days=${days}`), ({ body, status, text }): Json => {
      assert.strictEqual(status, 200, text)
      return body.data
    })
  return { ...running, ...merchantOf(running), at, enter, overview }
})

const daysOf = (data: Json, currency = "USD") =>
  (data["currencies"].find((each: Json) => each["currency"] === currency)?.days ?? [])
    .filter((day: Json) => day["orders_created"] + day["orders_paid"] + day["refunds"] > 0)
    .map((day: Json) => Object.values(day))

it.effect("has orders, payments and refunds by day of the merchant's zone, and what stands out now", () =>
  Effect.gen(function* () {
    const { api, at, dispute, enter, leap, overview, paid, post, refund, settle } = yield* begin
    yield* api.operator("POST", at, { time_zone: "Europe/Berlin" })
    const { trade_no } = yield* paid(5_000)
    yield* post("/v1/orders", { amount: 700 })
    yield* post("/v1/orders", { amount: 900, currency: "HKD" })
    // It is half past midnight in Berlin, on the same day of UTC.
    yield* leap("1 hour")
    const { refund_no } = (yield* refund({ trade_no, amount: 1_500 })).body.data
    yield* settle(refund_no, "succeeded")
    const other = yield* paid(2_000)
    yield* dispute(other["trade_no"])
    const browser = yield* enter
    const first = yield* overview(browser)
    assert.deepStrictEqual(
      [first["time_zone"], first["from"], first["to"], first["is_complete"]],
      ["Europe/Berlin", "2026-11-15", "2026-11-21", true]
    )
    assert.deepStrictEqual(daysOf(first), [
      ["2026-11-20", 2, 1, 5_000, 0, 0],
      ["2026-11-21", 1, 1, 2_000, 1, 1_500]
    ])
    assert.deepStrictEqual(daysOf(first, "HKD"), [["2026-11-20", 1, 0, 0, 0, 0]])
    assert.lengthOf(first["currencies"][0].days, 7)
    assert.strictEqual(first["disputes"].needs_response, 1)
    assert.isString(first["disputes"].next_due_at)
    assert.strictEqual(first["held_up"].dispute, 1)
    assert.deepStrictEqual((yield* overview(browser, 7, "live"))["currencies"], [])

    // Cached for a few seconds, for each range separately.
    yield* post("/v1/orders", { amount: 800 })
    assert.deepStrictEqual(daysOf(yield* overview(browser)), daysOf(first))
    yield* leap("6 seconds")
    assert.deepStrictEqual(daysOf(yield* overview(browser)).at(-1), ["2026-11-21", 2, 1, 2_000, 1, 1_500])
    const month = yield* overview(browser, 30)
    assert.deepStrictEqual([month["from"], month["currencies"][0].days.length], ["2026-10-23", 30])
    assert.strictEqual((yield* browser.call("GET", `${at}/overview?mode=sandbox&days=8`)).status, 400)
  }).pipe(Effect.scoped)
)

it.effect("keeps a day that is over ten minutes after its end, and counts it again where the zone has changed", () =>
  Effect.gen(function* () {
    const { api, at, enter, leap, overview, paid, sql } = yield* begin
    yield* paid(5_000)
    const browser = yield* enter
    const kept = Effect.map(
      sql<{ day: string; zone: string }>`select day::text as day, time_zone as zone from overview_days order by day`,
      (rows) => rows.map(({ day, zone }) => `${zone} ${day}`)
    )
    yield* overview(browser)
    // The seven days before are counted, too, and today is not over.
    const before = Array.from({ length: 13 }, (_, index) => `UTC 2026-11-${String(7 + index).padStart(2, "0")}`)
    assert.deepStrictEqual(yield* kept, before)
    yield* leap("95 minutes")
    yield* overview(browser)
    assert.deepStrictEqual(yield* kept, before, "it is five past midnight")
    yield* leap("10 minutes")
    assert.deepStrictEqual(daysOf(yield* overview(browser)), [["2026-11-20", 1, 1, 5_000, 0, 0]])
    assert.strictEqual((yield* kept).at(-1), "UTC 2026-11-20")
    // A stored day is not counted again.
    yield* sql`update overview_days set figures = jsonb_set(figures, '{USD,orders_created}', '41') where day = '2026-11-20'`
    yield* leap("6 seconds")
    assert.deepStrictEqual(daysOf(yield* overview(browser)), [["2026-11-20", 41, 1, 5_000, 0, 0]])
    yield* api.operator("POST", at, { time_zone: "Asia/Tokyo" })
    yield* leap("6 seconds")
    assert.deepStrictEqual(daysOf(yield* overview(browser)), [["2026-11-21", 1, 1, 5_000, 0, 0]])
    assert.isTrue((yield* kept).every((each) => each.startsWith("Asia/Tokyo")))
  }).pipe(Effect.scoped)
)

it.effect("an account whose clock was moved has the days of its clock, and none of them is kept", () =>
  Effect.gen(function* () {
    const { enter, overview, paid, post, sql } = yield* begin
    yield* paid(5_000)
    const moved = yield* post("/v1/test_helpers/clock/advance", { by: "3d" })
    assert.isBelow(moved.status, 300, moved.text)
    const browser = yield* enter
    const data = yield* overview(browser)
    assert.strictEqual(data["to"] > "2026-11-20", true)
    assert.strictEqual((yield* sql`select 1 from overview_days`).length, 0)
  }).pipe(Effect.scoped)
)

it.effect("has the hours of today in the merchant's zone, beside those of the same day a week before", () =>
  Effect.gen(function* () {
    const { api, at, enter, leap, overview, paid } = yield* begin
    yield* api.operator("POST", at, { time_zone: "Asia/Kolkata" })
    // Four in the morning of the 21st, by half an hour.
    yield* paid(5_000)
    yield* leap("7 days")
    yield* paid(2_000)
    yield* leap("1 hour")
    yield* paid(300)
    yield* paid(400)
    const browser = yield* enter
    const [usd] = (yield* overview(browser, 1))["currencies"]
    assert.deepStrictEqual(
      [usd.hours, usd.earlier_hours],
      [
        [
          { hour: 4, orders_paid: 1, volume: 2_000 },
          { hour: 5, orders_paid: 2, volume: 700 }
        ],
        [{ hour: 4, orders_paid: 1, volume: 5_000 }]
      ]
    )
    assert.deepStrictEqual(
      [...usd.earlier, ...usd.days].map(({ day, volume }: Json) => [day, volume]),
      [
        ["2026-11-21", 5_000],
        ["2026-11-28", 2_700]
      ]
    )
    const [week] = (yield* overview(browser, 7))["currencies"]
    assert.deepStrictEqual([week.hours, week.earlier_hours, week.earlier.length], [[], [], 7])
    assert.strictEqual(week.earlier.at(-1).day, "2026-11-21")
  }).pipe(Effect.scoped)
)
