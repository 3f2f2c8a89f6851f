/** The message about an entry from one runner to another, and what that one takes (docs/decisions/0027). */
import { assert, describe, it } from "@effect/vitest"
import { Minor } from "@coffer/model/Money"
import { OrderCommand } from "@coffer/rules/order/Order"
import { Context, Effect, Exit, Layer, Metric, Schema } from "effect"
import type { Change } from "../../src/platform/commit/Change.ts"
import { EntryMessage, instruct, instructionKind, Instructions, layer } from "../../src/money/wallets/Instructions.ts"
import { type Entry, noEntry } from "../../src/money/wallets/Wallets.ts"

const codec = Schema.toCodecJson(EntryMessage)
const sent = (entry: Entry) => String(Schema.encodeSync(codec)(entry))

const row = { op: "insert", table: "mails", cells: ["mail_1"] } satisfies Change
const mail = instructionKind("mail", Schema.Struct({ id: Schema.String }))
const refund = instructionKind("refund", Schema.Struct({ amount: Minor }))
const order = instructionKind("order", Schema.Struct({ command: OrderCommand }))
const completed = (amount: number) => OrderCommand.cases.CompleteRefund.make({ amount: Minor.make(amount) })

/** A runner with three commands: one of a row, one of a refund with what follows for its order, and that. */
const receiving = Effect.gen(function* () {
  const metrics = new Map()
  const built = yield* Effect.provideService(Layer.build(layer), Metric.MetricRegistry, metrics)
  const { define, read } = Context.get(built, Instructions)
  yield* define(mail, ({ id }) => Effect.succeed({ ...noEntry, changes: [{ ...row, cells: [id] }] }))
  yield* define(refund, ({ amount }) => Effect.succeed({ ...noEntry, reserve: 0 - amount, order: completed(amount) }))
  yield* define(order, ({ command }) => Effect.succeed({ ...noEntry, performed: command }))
  return {
    read: (unread: string, taken?: OrderCommand) =>
      Effect.provideService(
        Effect.exit(read(Schema.decodeUnknownSync(codec)(unread), taken)),
        Metric.MetricRegistry,
        metrics
      ),
    refused: () =>
      Metric.snapshotUnsafe(Context.make(Metric.MetricRegistry, metrics))
        .filter(({ id }) => id === "coffer_runner_messages_refused_total")
        .map(({ state }) => Number((state as { count: number }).count))
  }
})

describe("an entry for another runner", () => {
  it("has the commands and no rows", () => {
    const text = sent({ ...noEntry, changes: [row], instructions: [instruct(mail, { id: "mail_1" })] })
    assert.deepStrictEqual(text, '[{"name":"mail","body":{"id":"mail_1"}}]')
    assert.deepStrictEqual(Schema.decodeUnknownSync(codec)(text) as object, { unread: text })
  })

  it("is not sent with rows and no command, which the other runner would leave out", () => {
    assert.throws(() => sent({ ...noEntry, changes: [row] }))
  })
})

describe("an entry of another runner", () => {
  it.effect("has the rows that its commands come to here, and can be sent on", () =>
    Effect.gen(function* () {
      const { read } = yield* receiving
      const text = sent({ ...noEntry, instructions: [instruct(mail, { id: "mail_1" })] })
      const exit = yield* read(text)
      assert.isTrue(Exit.isSuccess(exit))
      if (!Exit.isSuccess(exit)) return
      assert.deepStrictEqual(exit.value.changes, [row])
      assert.deepStrictEqual(sent(exit.value), text)
    })
  )

  const [refunded, ordered] = [
    { name: "refund", body: { amount: 5 } },
    { name: "order", body: { command: { _tag: "CompleteRefund", amount: 5 } } }
  ]

  it.effect("may bring half of a command with what follows for the order, or to that order", () =>
    Effect.gen(function* () {
      const { read, refused } = yield* receiving
      assert.isTrue(Exit.isSuccess(yield* read(JSON.stringify([ordered, refunded]))))
      assert.isTrue(Exit.isSuccess(yield* read(JSON.stringify([refunded]), completed(5))))
      assert.deepStrictEqual(refused(), [0])
    })
  )

  for (const [what, text, taken] of [
    ["what is no JSON", "[{"],
    ["rows in place of commands", JSON.stringify({ movements: [], reserve: 0, changes: [row] })],
    ["a row in place of a command", JSON.stringify([row])],
    ["a row beside a command", JSON.stringify([{ name: "mail", body: { id: "mail_1" }, changes: [row] }])],
    ["a row within a command", JSON.stringify([{ name: "mail", body: { id: "mail_1", changes: [row] } }])],
    ["a command that nobody knows", JSON.stringify([{ name: "row", body: row }])],
    ["a command without what it needs", JSON.stringify([{ name: "refund", body: {} }])],
    ["half of a command", JSON.stringify([refunded])],
    ["half of a command for an order that does something else", JSON.stringify([refunded]), completed(6)],
    [
      "more commands than a runner sends",
      JSON.stringify(Array.from({ length: 5 }, () => ({ name: "mail", body: { id: "mail_1" } })))
    ]
  ] as const) {
    it.effect(`is refused and counted with ${what}`, () =>
      Effect.gen(function* () {
        const { read, refused } = yield* receiving
        const exit = yield* read(text, taken)
        assert.include(JSON.stringify(exit), '"reason":"rejected"')
        assert.deepStrictEqual(refused(), [1])
      })
    )
  }
})
