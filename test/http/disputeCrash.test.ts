/**
 * A dispute's whole life with a death at every step of it: each write of the Transactor and each call of the channel,
 * before and after, as a first run without a death counts them. A merchant who sends again what got no answer finds
 * every step done once, and the laws of the ledger hold. The table of points is printed.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Faults } from "../../src/ground/Faults.ts"
import type { Reply } from "../kit/Api.ts"
import { shop } from "../kit/disputed.ts"
import { type Running, start } from "../kit/Service.ts"

const watched = /^(Transactor\.write|DisputeChannel\.\w+)$/

interface Point {
  readonly at: string
  /** The how-manieth time, from 1. */
  readonly nth: number
  readonly where: "before" | "after"
}

/** Counts who comes by, and lets one of them die. */
const deaths = () => {
  let came: Array<string> = []
  let due: Point | undefined
  const dieIf = (where: Point["where"], at: string, nth: number) =>
    Effect.suspend(() =>
      due !== undefined && due.at === at && due.nth === nth && due.where === where
        ? Effect.die(`died ${where} ${at} ${nth}`)
        : Effect.void
    )
  const layer = Layer.succeed(Faults, {
    around: (at, effect) => {
      if (!watched.test(at)) return effect
      return Effect.suspend(() => {
        came.push(at)
        const nth = came.filter((each) => each === at).length
        return dieIf("before", at, nth).pipe(
          Effect.andThen(effect),
          Effect.tap(() => dieIf("after", at, nth))
        )
      })
    }
  })
  return {
    layer,
    /** From here on the points count from 1. */
    begin: (point: Point | undefined) => {
      came = []
      due = point
    },
    get came(): ReadonlyArray<string> {
      return came
    }
  }
}

type Shop = Effect.Success<ReturnType<typeof shop>>

/** Sends until there is an answer, as a merchant would: the same body under the same key. */
const insist = Effect.fnUntraced(function* (running: Running, send: Effect.Effect<Reply>) {
  for (let tries = 1; ; tries++) {
    const reply = yield* send
    if (reply.status < 300) return reply.body.data
    assert.isAtMost(tries, 4, reply.text)
    assert.include([409, 500, 503], reply.status, reply.text)
    yield* running.pass("31 seconds")
  }
})

/** A chargeback that is not heard of is reported again; one that the bank has not got is made again. */
const opened = Effect.fnUntraced(function* (running: Running, { api, key, open }: Shop) {
  for (;;) {
    const reply = yield* open()
    if (reply.status === 201) return reply.body.data
    yield* running.pass("31 seconds")
    const { body } = yield* api.get("/v1/disputes", key)
    if (body.data.data.length > 0) return body.data.data[0]
  }
})

const lives = {
  "answered, lost, won by appeal": Effect.fnUntraced(function* (running: Running, at: Shop) {
    const { dispute_no } = yield* opened(running, at)
    const respond = (body: object, key: string) =>
      at.api.call("POST", `/v1/disputes/${dispute_no}/evidence`, {
        key: at.key,
        body,
        headers: { "Idempotency-Key": key }
      })
    const resolve = (outcome: string) =>
      at.api.post(`/v1/test_helpers/disputes/${dispute_no}/resolve`, at.key, { outcome })
    yield* insist(running, respond({ evidence: { customer_name: "draft" } }, "draft"))
    const submitted = yield* insist(running, respond({ evidence: { customer_name: "A" }, submit: true }, "submit"))
    assert.strictEqual(submitted.status, "under_review")
    assert.strictEqual((yield* insist(running, resolve("lost"))).status, "lost")
    assert.strictEqual((yield* insist(running, resolve("won"))).status, "won")
    return {
      dispute_no,
      events: ["dispute.created", "dispute.updated", "dispute.lost", "dispute.won"],
      rows: ["dispute_freeze", "dispute_debit", "dispute_fee", "dispute_unfreeze"],
      evidence: { customer_name: "A" }
    }
  }),
  accepted: Effect.fnUntraced(function* (running: Running, at: Shop) {
    const { dispute_no } = yield* opened(running, at)
    const accept = at.api.call("POST", `/v1/disputes/${dispute_no}/accept`, {
      key: at.key,
      headers: { "Idempotency-Key": "accept" }
    })
    yield* insist(running, accept)
    yield* running.pass("1 hour")
    return {
      dispute_no,
      events: ["dispute.created", "dispute.lost"],
      rows: ["dispute_freeze", "dispute_debit", "dispute_fee"],
      evidence: {}
    }
  })
}

describe("a death at every step of a dispute", () => {
  for (const [name, live] of Object.entries(lives)) {
    it.live(
      `${name}: every step is done once all the same`,
      () =>
        Effect.gen(function* () {
          const faults = deaths()
          const running = yield* start({ clock: "test", faults: faults.layer })

          const once = Effect.fnUntraced(function* (point: Point | undefined) {
            const at = yield* shop(running)
            yield* running.atRest
            faults.begin(point)
            const expected = yield* live(running, at)
            const { came } = faults
            faults.begin(undefined)
            yield* running.pass("2 days")

            const where = point === undefined ? "nowhere" : `${point.where} ${point.at} ${point.nth}`
            assert.deepStrictEqual(yield* at.events, expected.events, where)
            const rows: ReadonlyArray<ReadonlyArray<unknown>> = yield* at.rows
            assert.deepStrictEqual(
              rows.map(([type]) => type),
              expected.rows,
              where
            )
            const { body } = yield* at.api.get(`/v1/disputes/${expected.dispute_no}/evidence`, at.key)
            assert.deepStrictEqual(body.data.evidence, expected.evidence, where)
            const [counts] = yield* running.sql`select disputes_open, disputes_lost::int as disputes_lost,
              (select count(*)::int from sandbox_disputes b where b.trade_no = o.trade_no) as chargebacks
              from orders o where trade_no = ${at.tradeNo}`
            const lost = expected.rows.at(-1) === "dispute_fee" ? 1000 : 0
            assert.deepStrictEqual({ ...counts }, { disputes_open: 0, disputes_lost: lost, chargebacks: 1 }, where)
            yield* at.whole
            return [...came]
          })

          const came = yield* once(undefined)
          const names = [...new Set(came)]
          assert.include(names, "Transactor.write")
          const points = names.flatMap((at) =>
            came
              .filter((each) => each === at)
              .flatMap((_, index) => [
                { at, nth: index + 1, where: "before" as const },
                { at, nth: index + 1, where: "after" as const }
              ])
          )
          for (const point of points) yield* once(point)
          // oxlint-disable-next-line no-console -- the table is asked for
          console.log([`${name}: died`, ...points.map(({ at, nth, where }) => `${where} ${at} ${nth}`)].join("\n  "))
        }),
      300_000
    )
  }
})
