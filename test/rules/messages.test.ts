/** Messages between runners: what may change under one number, so that runners are replaced one after the other. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { changesBetween, keptShapes, today } from "../../scripts/messageShapes.ts"

const advice =
  "A runner of the version before does not read this. Add a field that may be left out, or a new command beside the old " +
  "one for one release. If neither is possible, take a decision (docs/decisions/0262): put the next number in front in " +
  "src/platform/cluster/messages.ts without the one before it, run node scripts/messageShapes.ts --keep, and tell " +
  "operators in changes/ that all runners must stop for this version"

const schemaOf = (schema: Schema.Codec<unknown, unknown>) => Schema.toJsonSchemaDocument(Schema.toCodecJson(schema))
const before = schemaOf(Schema.Struct({ order: Schema.String, amount: Schema.Int }))

describe("the messages between runners", () => {
  it("are read by runners of the version before, or have another number", () => {
    const { framework, messages, number } = keptShapes()
    const now = today()
    assert.deepStrictEqual(changesBetween(messages, now.messages), [], advice)
    assert.deepStrictEqual({ number: now.number, framework: now.framework }, { number, framework }, advice)
  })

  it("may get a field that may be left out", () => {
    const after = schemaOf(
      Schema.Struct({ order: Schema.String, amount: Schema.Int, reason: Schema.optionalKey(Schema.String) })
    )
    assert.deepStrictEqual(changesBetween(before, after), [])
  })

  for (const [what, schema] of [
    ["a field that is required", Schema.Struct({ order: Schema.String, amount: Schema.Int, reason: Schema.String })],
    ["a field fewer", Schema.Struct({ order: Schema.String })],
    ["a field of another type", Schema.Struct({ order: Schema.String, amount: Schema.String })],
    [
      "a field that is no longer required",
      Schema.Struct({ order: Schema.String, amount: Schema.optionalKey(Schema.Int) })
    ],
    ["another kind of message beside it", Schema.Union([Schema.Struct({ order: Schema.String }), Schema.String])]
  ] as const) {
    it(`may not get ${what}`, () => {
      assert.isNotEmpty(changesBetween(before, schemaOf(schema as Schema.Codec<unknown, unknown>)))
    })
  }

  it("leave out, when they are read, what a newer runner has added", () => {
    const read = Schema.decodeUnknownSync(Schema.toCodecJson(Schema.Struct({ order: Schema.String })))
    assert.deepStrictEqual(read({ order: "TRD_1", reason: "new" }), { order: "TRD_1" })
  })
})
