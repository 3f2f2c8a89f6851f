/**
 * The suite that every channel passes: all laws in one service of the channel's own, each with a merchant of its own.
 * What a channel lacks is counted in the table that a run prints, and is not skipped in silence.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll } from "vitest"
import { assertLedgerWhole } from "../../kit/ledger.ts"
import { callLaws } from "./calls.ts"
import { disputeLaws } from "./disputes.ts"
import { abilities, type Case, deskAt, type Harness, type World } from "./Harness.ts"
import { holdLaws } from "./holds.ts"
import { noticeLaws } from "./notices.ts"
import { paymentLaws } from "./payments.ts"
import { refundLaws } from "./refunds.ts"

const groups: Readonly<Record<string, ReadonlyArray<Case>>> = {
  calls: callLaws,
  notices: noticeLaws,
  payments: paymentLaws,
  refunds: refundLaws,
  disputes: disputeLaws,
  holds: holdLaws
}
/** The acquirer's clock does not go back: what moves it comes last. */
export const laws: ReadonlyArray<Case> = Object.values(groups)
  .flat()
  .toSorted((a, b) => Number(a.needs.includes("clock")) - Number(b.needs.includes("clock")))

export const lackedBy = ({ lacks }: Harness, { needs }: Case) => needs.filter((need) => lacks[need] !== undefined)

/** One law, with a merchant of its own, by the service's clock. */
export const observe = (world: World, { name }: Harness, law: Case) =>
  Effect.provideContext(
    Effect.flatMap(deskAt(world, name), (desk) => law.run(desk, world)),
    world.running.context
  )

/** The table of a run: laws by group, and what the channel lacks with how many laws it takes. */
const printed = (harness: Harness) => {
  const rows = Object.entries(groups).map(([group, of]) => {
    const lacked = of.filter((law) => lackedBy(harness, law).length > 0).length
    return `  ${group.padEnd(10)} ${String(of.length - lacked).padStart(4)} observed ${String(lacked).padStart(4)} lacked`
  })
  const reasons = abilities.flatMap((ability) => {
    const count = laws.filter(({ needs }) => needs.includes(ability)).length
    return harness.lacks[ability] === undefined ? [] : [`  lacks ${ability} (${count}): ${harness.lacks[ability]}`]
  })
  return [`the channel ${harness.name}, of ${laws.length} laws:`, ...rows, ...reasons].join("\n")
}

export const observesTheLaws = (harness: Harness) =>
  describe(`the channel ${harness.name}`, () => {
    const life = Scope.makeUnsafe()
    let world: World
    beforeAll(() => Effect.runPromise(Effect.map(Scope.provide(harness.world, life), (made) => void (world = made))))
    afterAll(() => Effect.runPromise(Scope.close(life, Exit.void)))

    for (const law of laws) {
      if (lackedBy(harness, law).length > 0) continue
      it.live(law.name, () => observe(world, harness, law))
    }

    it.live("lacks what its harness says, and nothing else", () =>
      Effect.gen(function* () {
        const own = yield* world.account(yield* world.running.api.newMerchant())
        for (const ability of abilities) {
          assert.strictEqual(own[ability] === undefined, harness.lacks[ability] !== undefined, ability)
        }
        process.stdout.write(`${printed(harness)}\n`)
      })
    )

    it.live("leaves a whole ledger", () => assertLedgerWhole(world.running.sql))
  })
