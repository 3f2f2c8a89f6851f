/**
 * Random programs of calls on the running service and on the oracle, a second statement of what each should answer:
 * every answer, event, row of the ledger and balance is compared after every step (packages/oracle).
 */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { campaign, gapsOf, storyOf, unmet } from "../../packages/oracle/src/driver/campaign.ts"
import { differenceOf } from "../../packages/oracle/src/driver/compare.ts"
import { errorCodes } from "../../packages/oracle/src/driver/errorCodes.ts"
import { placeIn, settingsWith } from "../../packages/oracle/src/driver/place.ts"
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
      const place = placeIn({
        url: service.baseUrl,
        operatorToken: service.api.operatorToken,
        mails,
        now: () => new Date(service.now()),
        pass: (millis) => Effect.runPromise(service.pass(millis)),
        leap: (millis) => Effect.runPromise(service.leap(millis)),
        atRest: () => Effect.runPromise(service.atRest)
      })
      const lines: Array<string> = []
      const outcome = yield* Effect.promise(() =>
        campaign(place, {
          seed: 1,
          stepsOfProgram: 150,
          stepsMax: rounds(300, 100_000),
          quietSteps: 50_000,
          tellEvery: 10_000,
          shrinkTries: 100,
          tell: (line) => void lines.push(line)
        })
      )
      const { failure } = outcome
      assert.isUndefined(failure, failure === undefined ? "" : storyOf(failure))
      // A short run meets most of it. A long one must have met all.
      assert.isAbove(outcome.marks.signatures.size, 100, lines.join("\n"))
      if (isSoak) assert.deepStrictEqual(gapsOf(outcome, codes), [], lines.join("\n"))
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
})
