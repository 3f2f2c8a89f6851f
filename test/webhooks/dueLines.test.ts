/**
 * Which lines with due deliveries a runner is offered, and in which order, without a database: the store is a list
 * (docs/decisions/0016). `test/store/dueDeliveries.test.ts` has the statements.
 */
import type { Mode } from "@coffer/model/Ids"
import type { Allotted, DueLine } from "@coffer/rules/delivery/places"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { makeDueLines } from "../../src/webhooks/deliveries/DeliveryJobs.ts"
import {
  type DeliveryStore,
  destinationsMax,
  dueMerchantsMax,
  merchantsMax,
  oldestMax,
  type Position,
  type WalkRow
} from "../../src/webhooks/deliveries/DeliveryStore.ts"

const now = DateTime.makeUnsafe(0)
const line = (destination: string, due: number, mode: Mode = "live"): DueLine => ({
  mode,
  merchantId: "m",
  destination,
  due
})
const row = (merchant_id: string, destination: string | null, due: number | null): WalkRow => ({
  merchant_id,
  is_due: due !== null && due > 0,
  destination,
  due
})
/** More than can be read at once. */
const backlog = [line("many", oldestMax)]

type Step = ReadonlyArray<WalkRow>

/** `steps`: of each mode, those that a walk is given, one after the other; then none. */
const world = (oldest: ReadonlyArray<DueLine>, steps: Partial<Record<Mode, ReadonlyArray<Step>>> = {}) => {
  const left = { live: [...(steps.live ?? [])], sandbox: [...(steps.sandbox ?? [])] }
  const asked: Array<string> = []
  const shown = ({ destinations, merchantId, mode }: Position) =>
    `${mode} ${merchantId}${[...destinations].map(([merchant, last]) => ` ${merchant}:${last}`).join("")}`
  const dueLines = makeDueLines({
    oldest: () => Effect.succeed(oldest),
    walk: (_: DateTime.Utc, position: Position) =>
      Effect.sync(() => {
        asked.push(shown(position))
        return left[position.mode].shift() ?? []
      })
  } as unknown as DeliveryStore["Service"])
  const offered: Array<string> = []
  /** Takes of each line at most `places` and gets `leased` of them. */
  const offer = (places = 0, leased = places, modes: ReadonlyArray<Mode> = ["live", "sandbox"]) =>
    dueLines.offer(modes, now, (due, isBacklog) =>
      Effect.sync(() => {
        for (const { destination, due: many, mode } of due) offered.push(`${mode} ${destination} ${many}`)
        if (isBacklog) offered.push("of a backlog")
        const taken = places === 0 ? [] : due.map((one): Allotted => ({ ...one, places: Math.min(places, one.due) }))
        return taken.map((one) => ({ ...one, leased: Math.min(leased, one.places) }))
      })
    )
  return { ...dueLines, asked, offer, offered }
}

describe("a few deliveries that are due", () => {
  it.effect("are read, oldest first, and no merchants are walked through", () =>
    Effect.gen(function* () {
      const { asked, isBacklog, offer, offered } = world([line("a", 2), line("b", oldestMax - 3)])
      assert.isFalse(isBacklog())
      assert.strictEqual(yield* offer(1), 2)
      assert.deepStrictEqual(offered, ["live a 2", `live b ${oldestMax - 3}`])
      assert.isEmpty(asked)
      assert.isFalse(isBacklog())
    })
  )

  it.effect("are left if none are taken, or only some", () =>
    Effect.gen(function* () {
      const none = world([line("a", 2)])
      assert.isFalse(none.hasLeft())
      assert.strictEqual(yield* none.offer(), 0)
      assert.isTrue(none.hasLeft())
      const some = world([line("a", 2)])
      yield* some.offer(1)
      assert.isTrue(some.hasLeft())
      const all = world([line("a", 2)])
      yield* all.offer(2)
      assert.isFalse(all.hasLeft())
    })
  )

  it.effect("are left no more where a line gave less than it was asked for: another runner has the rest", () =>
    Effect.gen(function* () {
      const { hasLeft, isKnown, offer } = world([line("a", 5)])
      assert.strictEqual(yield* offer(3, 2), 2)
      assert.isFalse(hasLeft())
      assert.isFalse(isKnown())
    })
  )

  it.effect("are absent if nothing is due", () =>
    Effect.gen(function* () {
      const { asked, hasLeft, offer, offered } = world([])
      assert.strictEqual(yield* offer(1), 0)
      assert.isEmpty([...asked, ...offered])
      assert.isFalse(hasLeft())
    })
  )
})

describe("a backlog", () => {
  it.effect("is walked through in each mode that has a place, once and no further, if nothing is taken", () =>
    Effect.gen(function* () {
      const { asked, isBacklog, offer, offered } = world(backlog, { live: [[row("m1", "a", 1)]] })
      assert.strictEqual(yield* offer(), 0)
      assert.deepStrictEqual(asked, ["live ", "sandbox "])
      assert.deepStrictEqual(offered, ["live a 1", "of a backlog", "of a backlog"])
      assert.isTrue(isBacklog())
      yield* offer(0, 0, ["sandbox"])
      assert.deepStrictEqual(asked.slice(2), ["sandbox "])
    })
  )

  it.effect("is offered as far as the first step of which something is taken", () =>
    Effect.gen(function* () {
      const full = Array.from({ length: merchantsMax }, (_, n) => row(`m${n}`, null, null))
      const step = [...full.slice(1), row("n", "taken", 1)]
      const { asked, offer, offered } = world(backlog, { live: [full, step, [row("o", "next", 1)]] })
      assert.strictEqual(yield* offer(1, 1, ["live"]), 1)
      assert.deepStrictEqual(asked, ["live ", `live m${merchantsMax - 1}`])
      assert.deepStrictEqual(offered, ["of a backlog", "live taken 1", "of a backlog"])
    })
  )

  it.effect(
    "goes on behind the last merchant of a step that was full, of merchants or of those with something due",
    () =>
      Effect.gen(function* () {
        const merchants = (count: number, due: number | null) =>
          Array.from({ length: count }, (_, n) => row(`m${n}`, due === null ? null : "a", due))
        for (const [step, isFull] of [
          [merchants(merchantsMax, null), true],
          [merchants(merchantsMax - 1, null), false],
          [merchants(dueMerchantsMax, 1), true],
          [merchants(dueMerchantsMax - 1, 1), false]
        ] as const) {
          const { asked, offer } = world(backlog, { live: [step] })
          yield* offer(0, 0, ["live"])
          assert.deepStrictEqual(asked, isFull ? ["live ", `live ${step.at(-1)!.merchant_id}`] : ["live "])
        }
      })
  )

  it.effect("that began behind a merchant sees every merchant: it goes to the end and on from the first", () =>
    Effect.gen(function* () {
      const full = Array.from({ length: merchantsMax }, (_, n) =>
        row(`m${n}`, n === 0 ? "a" : null, n === 0 ? 1 : null)
      )
      const { asked, offer } = world(backlog, { live: [full] })
      yield* offer(1, 1, ["live"])
      yield* offer(0, 0, ["live"])
      assert.deepStrictEqual(asked, ["live ", `live m${merchantsMax - 1}`, "live "])
    })
  )

  it.effect(
    "of a merchant with more destinations than a step reads goes on behind the last of them, then from the first",
    () =>
      Effect.gen(function* () {
        const lines = Array.from({ length: destinationsMax }, (_, n) => row("m", `d${String(n).padStart(2, "0")}`, 1))
        const { asked, offer } = world(backlog, { live: [lines, [row("m", "d64", 1)]] })
        for (let round = 0; round < 3; round++) yield* offer(1, 1, ["live"])
        assert.deepStrictEqual(asked, ["live ", `live  m:d${destinationsMax - 1}`, "live "])
      })
  )

  it.effect("that began within a merchant's destinations comes to its first ones again before it ends", () =>
    Effect.gen(function* () {
      const lines = (merchant: string) =>
        Array.from({ length: destinationsMax }, (_, n) => row(merchant, `d${String(n).padStart(2, "0")}`, 1))
      const last = `d${destinationsMax - 1}`
      const { asked, offer } = world(backlog, { live: [[...lines("m"), ...lines("n")], [row("m", "d64", 1)]] })
      yield* offer(1, 1, ["live"])
      yield* offer(0, 0, ["live"])
      assert.deepStrictEqual(asked, ["live ", `live  m:${last} n:${last}`, `live  n:${last}`])
    })
  )

  it.effect("leaves out lines with nothing due, and merchants whose lines were not read", () =>
    Effect.gen(function* () {
      const { offer, offered } = world(backlog, { live: [[row("m", "a", 0), row("n", null, null), row("o", "b", 2)]] })
      yield* offer(0, 0, ["live"])
      assert.deepStrictEqual(offered, ["live b 2", "of a backlog"])
    })
  )
})
