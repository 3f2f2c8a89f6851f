/** A merchant that was suspended or closed (silences: U14, U30, U41; docs/decisions/0115). */
import { merchantActs } from "@coffer/contract/acts"
import type { State } from "@coffer/contract/actTypes"
import { Scope } from "@coffer/model/Scopes"
import { type Standing, standingProblem } from "@coffer/rules/operator/standing"
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"

const since = DateTime.makeUnsafe("2026-03-01T00:00:00.000Z")
const after = (days: number) => DateTime.add(since, { days })
const acts = Object.values(merchantActs)
const kinds: ReadonlyArray<State> = ["protects", "kept", "new"]
const active = { suspended_at: null, closed_at: null }
const suspended = { ...active, suspended_at: since }
const closed = { ...active, closed_at: since }
const goesOn = (standing: Standing, days: number) =>
  kinds.filter((kind) => standingProblem(standing, after(days), kind) === undefined)

describe("a merchant", () => {
  it("that is neither suspended nor closed does everything", () => assert.deepStrictEqual(goesOn(active, 1_000), kinds))

  it("that is suspended takes rights away, and does nothing else, however long ago that was", () => {
    assert.deepStrictEqual(goesOn(suspended, 0), ["protects"])
    assert.deepStrictEqual(goesOn(suspended, 1_000), ["protects"])
    assert.strictEqual(standingProblem(suspended, since, "kept"), "This merchant is suspended.")
  })

  it("that is closed is refused new business immediately, and everything after 90 days", () => {
    assert.deepStrictEqual(goesOn(closed, 0), ["protects", "kept"])
    assert.match(standingProblem(closed, after(0), "new")!, /is closed/)
    assert.deepStrictEqual(goesOn(closed, 89), ["protects", "kept"])
    assert.deepStrictEqual(goesOn(closed, 90), [])
    assert.match(standingProblem(closed, after(90), "kept")!, /more than 90 days ago/)
  })

  it("that is suspended and closed is refused what either refuses", () => {
    const both = { suspended_at: since, closed_at: since }
    assert.deepStrictEqual(goesOn(both, 89), ["protects"])
    assert.deepStrictEqual(goesOn(both, 90), [])
  })

  it("that is closed keeps the scopes to read and to do what is owed, and loses those to begin something", () =>
    assert.deepStrictEqual(
      Scope.literals.filter((scope) => acts.some((act) => act.scope === scope && act.state === "new")),
      ["orders:write", "payment_links:write", "webhooks:write", "test_helpers:write"]
    ))
})
