/** A closed merchant: the scopes that it loses, and how long it keeps the others (docs/decisions/0115). */
import { Scope, isOfClosed } from "@coffer/model/Scopes"
import { closedProblem } from "@coffer/rules/operator/closing"
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"

const closedAt = DateTime.makeUnsafe("2026-03-01T00:00:00.000Z")
const after = (days: number) => DateTime.add(closedAt, { days })

describe("a closed merchant", () => {
  it("keeps the scopes to read and to do what is owed, and loses those to begin something", () => {
    assert.deepStrictEqual(
      Scope.literals.filter((scope) => !isOfClosed(scope)),
      ["orders:write", "payment_links:write", "webhooks:write", "test_helpers:write"]
    )
  })

  it("is refused the new at once, and all after 90 days", () => {
    assert.isUndefined(closedProblem(null, after(0), false))
    assert.match(closedProblem(closedAt, after(0), false)!, /is closed/)
    assert.isUndefined(closedProblem(closedAt, after(89), true))
    assert.match(closedProblem(closedAt, after(90), true)!, /more than 90 days ago/)
  })
})
