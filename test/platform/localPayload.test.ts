/** Messages to owners, between runners and within one (docs/architecture.md, section 3). */
import { describe, expect, it } from "@effect/vitest"
import { OrderCommand } from "@coffer/rules/order/Order"
import { Minor } from "@coffer/model/Money"
import { DateTime, Schema } from "effect"
import { localPayload } from "../../src/platform/cluster/localPayload.ts"

const Told = localPayload(Schema.Struct({ command: OrderCommand, note: Schema.optionalKey(Schema.String) }))
const wire = Schema.toCodecJson(Told)
const told = {
  command: OrderCommand.cases.ReserveRefund.make({
    amount: Minor.make(12),
    whole: false,
    now: DateTime.makeUnsafe("2026-01-02T03:04:05.678Z")
  })
}

describe("a message to an owner", () => {
  it("arrives on another runner as it was sent, and travels as JSON", () => {
    const sent = JSON.stringify(Schema.encodeSync(wire)(told))
    expect(sent).toContain("2026-01-02T03:04:05.678Z")
    expect(Schema.decodeUnknownSync(wire)(JSON.parse(sent))).toEqual(told)
  })

  it("from another runner is refused when it is not what it should be, and the refusal names the field", () => {
    const wrong = { command: { ...told.command, now: "2026-01-02T03:04:05.678Z", amount: -1 } }
    expect(() => Schema.decodeUnknownSync(wire)(wrong)).toThrow(/\["command"\]\["amount"\]/)
  })

  it("that stays in this process is the very one that was sent", () => {
    expect(Told.make(told)).toBe(told)
  })
})
