/**
 * Random programs of calls on the running service and on the oracle, a second statement of what each should answer.
 * Each answer is compared, and before time passes the events, the ledger, the balances, what receivers of webhooks got,
 * files, statements and the log of calls (packages/oracle).
 */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { campaign, gapsOf, storyOf, unmet } from "../../packages/oracle/src/driver/campaign.ts"
import { differenceOf } from "../../packages/oracle/src/driver/compare.ts"
import { deliveriesDiffer, repeatedIn } from "../../packages/oracle/src/driver/deliveries.ts"
import { csvDiffers } from "../../packages/oracle/src/driver/exported.ts"
import { errorCodes } from "../../packages/oracle/src/driver/errorCodes.ts"
import { startHooks } from "../../packages/oracle/src/driver/hooks.ts"
import { placeIn, settingsWith } from "../../packages/oracle/src/driver/place.ts"
import { abreast } from "../../packages/oracle/src/driver/programs.ts"
import { noOrderExplains } from "../../packages/oracle/src/driver/together.ts"
import { Oracle } from "../../packages/oracle/src/Oracle.ts"
import { type Answer, Hole } from "../../packages/oracle/src/values.ts"
import { mailServer } from "../kit/servers/MailServer.ts"
import { start } from "../kit/Service.ts"
import { isSoak, rounds } from "../kit/run/soak.ts"

const codes = errorCodes(readFileSync("docs/errors.md", "utf8"))

describe("the oracle", () => {
  it.live("the service answers random programs as the oracle does, step by step", () =>
    Effect.gen(function* () {
      const { mails, url } = yield* mailServer()
      const service = yield* start({ clock: "test", env: settingsWith(url) })
      const hooks = yield* Effect.acquireRelease(Effect.promise(startHooks), ({ close }) => Effect.sync(close))
      const place = placeIn({
        url: service.baseUrl,
        operatorToken: service.api.operatorToken,
        mails,
        hooks,
        now: () => new Date(service.now()),
        pass: (millis) => Effect.runPromise(service.pass(millis)),
        leap: (millis) => Effect.runPromise(service.leap(millis)),
        atRest: () => Effect.runPromise(service.atRest)
      })
      const lines: Array<string> = []
      const { failures, marks } = yield* Effect.promise(() =>
        campaign(async () => ({ ...place, [Symbol.asyncDispose]: async () => undefined }), {
          // The last four programs of those that are played abreast.
          seed: abreast - 4,
          stepsOfProgram: rounds(84, 300),
          stepsMax: rounds(1, 100_000),
          quietSteps: 50_000,
          tellEvery: 10_000,
          shrinkMillis: rounds(0, 300_000),
          failuresMax: 1,
          stepsOfHouse: 1_000_000,
          millisMax: Infinity,
          tell: (line) => void lines.push(line)
        })
      )
      assert.deepStrictEqual(failures.map(storyOf), [])
      // A short run meets most of it. A long one must have met all.
      assert.isAbove(marks.signatures.size, 100, lines.join("\n"))
      if (isSoak) assert.deepStrictEqual(gapsOf({ marks }, codes), [], lines.join("\n"))
    })
  )

  it("every code that it does not look for is a code of the errors", () => {
    assert.deepStrictEqual(
      Object.keys(unmet).filter((code) => !codes.includes(code)),
      []
    )
  })

  it.effect("answers to concurrent callers match some order of the calls, or it is reported as a difference", () =>
    Effect.gen(function* () {
      const call = { merchant: 0, key: "sandbox", method: "POST", path: "/v1/orders" } as const
      const body = { amount: 5, out_trade_no: "cart-1" }
      const explains = (statuses: ReadonlyArray<number>) => {
        const oracle = new Oracle(["mer_1"], 0)
        const answered = statuses.map((status) => ({
          call: { ...call, body },
          reply: { status, headers: new Headers(), body: {} }
        }))
        const compare = ({ status }: Answer, { reply }: (typeof answered)[number]) =>
          status === reply.status ? undefined : { at: "status", expected: status, actual: reply.status }
        return Effect.map(
          Effect.promise(() => noOrderExplains(oracle, answered, [], compare, async () => undefined)),
          (difference) => ({ isExplained: difference === undefined, orders: oracle.accounts[0]!.orders.length })
        )
      }
      assert.deepStrictEqual(yield* explains([200, 201, 200]), { isExplained: true, orders: 1 })
      assert.deepStrictEqual(yield* explains([201, 201]), { isExplained: false, orders: 0 })
    })
  )

  it("a number of the service's is learnt once, and a field too many is a difference", () => {
    const no = new Hole(/^evt_\d$/)
    assert.isUndefined(differenceOf({ id: no, list: [no] }, { id: "evt_1", list: ["evt_1"] }))
    assert.strictEqual(differenceOf({ id: no }, { id: "evt_2" })?.at, "data.id")
    assert.strictEqual(differenceOf({ id: no }, { id: "evt_1", card: "4242" })?.at, "data.card")
    assert.strictEqual(differenceOf({ id: no, amount: 1 }, { id: "evt_1" })?.at, "data.amount")
  })

  it("a file with another amount, or without a row, differs from its list", () => {
    const items = [{ object: "refund", refund_no: "rfd_1", amount: 1_250, reason: '=1+1, "quoted"', settled_at: null }]
    const file = (...rows: ReadonlyArray<string>) =>
      `\ufeff${["refund_no,amount,reason,settled_at", ...rows].map((row) => `${row}\r\n`).join("")}`
    const row = `rfd_1,12.50,"'=1+1, ""quoted""",`
    assert.isUndefined(csvDiffers("/v1/refunds", items, file(row)))
    assert.strictEqual(csvDiffers("/v1/refunds", items, file(row.replace("12.50", "12.51")))?.actual, "12.51")
    assert.strictEqual(csvDiffers("/v1/refunds", items, file(row.replace("'=", "=")))?.actual, '=1+1, "quoted"')
    assert.strictEqual(csvDiffers("/v1/refunds", items, file())?.expected, "1 rows")
  })

  it("a webhook that comes again as its result was not written is no difference, and one more is", () => {
    const { account, event, post } = happened()
    const place = `evt_1  ${post.url}`
    const delivered = new Map([[place, 1]])
    assert.deepStrictEqual([...repeatedIn([post], delivered)], [[place, { post, count: 2 }]])
    const differs = () => deliveriesDiffer(account, { delivered, events: [event], posts: [post], unwritten })?.at
    const unwritten = new Map([[place, 1]])
    assert.deepStrictEqual([differs(), differs()], [undefined, `post to ${post.url}`])
  })

  it("a webhook that is lost, or comes twice, or to an endpoint that did not want it, is a difference", () => {
    const { account, event, post } = happened()
    const delivered = new Map<string, number>()
    const differs = (posts: ReadonlyArray<typeof post>) =>
      deliveriesDiffer(account, { delivered, events: [event], posts })?.at
    assert.strictEqual(differs([]), "deliveries")
    assert.isUndefined(differs([post]))
    assert.strictEqual(differs([post]), `post to ${post.url}`)
    assert.strictEqual(differs([{ ...post, url: `${account.hooks}/b` }]), `post to ${account.hooks}/b`)
  })
})

/** An event of an order with its own address, and its post as the service makes it. */
const happened = () => {
  const oracle = new Oracle(["mer_1"], 0)
  const account = oracle.accounts[0]!
  const url = `${account.hooks}/order`
  const of = (method: "POST", path: string, body: object) =>
    oracle.answer({ merchant: 0, key: "sandbox", method, path, body })
  of("POST", "/v1/orders", { amount: 5, out_trade_no: "cart-1", notify_url: url })
  of("POST", "/v1/orders/cart-1/expire", {})
  const event = account.events[0]!
  event.no.value = "evt_1"
  event.of.no.value = "TRD_SB_1"
  const headers = {
    "x-service-event-id": "evt_1",
    "x-service-event-type": "payment.expired",
    "x-service-signature": `t=1,v1=${"0".repeat(64)}`
  }
  const never = { receipt_sent_at: null, receipt_failure_reason: null }
  const object = { ...event.object, ...never, trade_no: "TRD_SB_1", checkout_url: checkoutUrl }
  const flat = { trade_no: "TRD_SB_1", out_trade_no: "cart-1", amount: 5, currency: "USD", status: "expired" }
  const body = {
    object: "event",
    id: "evt_1",
    type: event.type,
    mode: "sandbox",
    created_at: "1970-01-01T00:00:00.000Z"
  }
  const whole = { ...body, sequence: 2, data: { object, ...flat }, event_id: "evt_1", event_type: event.type }
  return { account, event, post: { url, headers, body: JSON.stringify(whole) } }
}

const checkoutUrl = "http://127.0.0.1/checkout/TRD_SB_1.86400.sign"
