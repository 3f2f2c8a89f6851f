/**
 * The schemas of the messages between runners have a version number, and runners with different numbers do not talk.
 */
import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { messages as disputes } from "../../src/money/disputes/DisputeCommands.ts"
import { messages as links } from "../../src/money/links/LinkCommands.ts"
import { messages as orders } from "../../src/money/orders/OrderCommands.ts"
import { shapes } from "../../src/platform/cluster/messages.ts"
import { messages as wallets } from "../../src/money/wallets/Wallets.ts"

/** The shapes of the newest number's messages. */
const fingerprint = "df22615c62d52255"

/** Neither the order of an object's members nor a description is part of a message's shape. */
const essence = (value: unknown, of?: string): unknown =>
  Array.isArray(value)
    ? of === "required"
      ? value.toSorted()
      : value.map((each) => essence(each))
    : typeof value === "object" && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .filter(([name, each]) => name !== "description" || typeof each !== "string")
            .toSorted(([a], [b]) => (a < b ? -1 : 1))
            .map(([name, each]) => [name, essence(each, name)])
        )
      : value

const shapeOf = (schema: Schema.Codec<unknown, unknown>) =>
  essence(Schema.toJsonSchemaDocument(Schema.toCodecJson(schema)))

describe("the messages between runners", () => {
  it("look as their number says", () => {
    const all = [orders, wallets, links, disputes].map(({ failure, name, payload, success }) => ({
      name,
      payload: shapeOf(payload),
      success: shapeOf(success),
      failure: shapeOf(failure)
    }))
    const found = createHash("sha256").update(JSON.stringify(all)).digest("hex").slice(0, 16)
    assert.strictEqual(
      found,
      fingerprint,
      `the messages have changed since number ${shapes[0]} was given. Put the next number in front in ` +
        "src/platform/cluster/messages.ts, and the new fingerprint here. Keep the number before beside it only if a " +
        "runner of the last release reads what this one writes, and this one what it writes; else remove it, and tell " +
        "operators in the CHANGELOG that all runners must stop for this version"
    )
  })
})
