/** The part of a body that the audit log keeps, where it may tell of a buyer. */
import { merchantActs } from "@coffer/contract/acts"
import { assert, describe, it } from "@effect/vitest"
import { withoutWords } from "@coffer/rules/operator/loggedBody"

describe("the body of an act in the audit log", () => {
  it("keeps numbers, what is on or off, numbers of objects and words of ours, and no other word", () => {
    const kept = { amount: 500, dry_run: true, save: null, trade_no: "TRD_1", currency: "USD", mode: "live" }
    assert.deepStrictEqual(
      withoutWords({ ...kept, email: "ann@x.example", metadata: { mail: "ann@x.example" }, reason: "Ann asked" }),
      { ...kept, email: "[redacted]", metadata: "[redacted]", reason: "[redacted]" }
    )
  })

  it("keeps no word where it is not an object, in a name, or in place of a number", () => {
    assert.strictEqual(withoutWords("ann@x.example"), "[redacted]")
    assert.strictEqual(withoutWords([{ email: "ann@x.example" }]), "[redacted]")
    assert.deepStrictEqual(withoutWords({ "ann@x.example": 1, Email: 1 }), {})
    assert.deepStrictEqual(withoutWords({ out_trade_no: "for ann@x.example" }), { out_trade_no: "[redacted]" })
  })

  it("is kept as a whole of a merchant's settings alone", () => {
    const whole = Object.entries(merchantActs).flatMap(([act, { hidesWords }]) => (hidesWords ? [] : [act]))
    const groups = new Set(whole.map((act) => act.replace(/\..*/, "")))
    assert.sameMembers([...groups], ["webhook_endpoints", "webhook_deliveries", "reports"])
  })
})
