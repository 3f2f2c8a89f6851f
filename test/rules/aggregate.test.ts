/**
 * The change that the facts of a command make, in one piece, and which objects an owner remembers
 * (docs/decisions/0019).
 */
import { TradeNo } from "@coffer/model/Ids"
import { Minor } from "@coffer/model/Money"
import { nothing } from "@coffer/rules/Consequence"
import { accept } from "@coffer/rules/Decision"
import { OrderCommand } from "@coffer/rules/order/Order"
import type { Movement } from "@coffer/rules/wallet/post"
import type { WalletName } from "@coffer/rules/wallet/Wallet"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { Aggregate, Kind } from "../../src/money/aggregate/Aggregate.ts"
import { derive, deriveNew, Snapshots, type Surroundings } from "../../src/money/aggregate/WriteLoop.ts"
import { instruct, performedSchema } from "../../src/money/wallets/Instructions.ts"
import type { Change } from "../../src/platform/commit/Change.ts"
import { noEntry } from "../../src/money/wallets/Wallets.ts"
import { createdAt as now, pendingOrder } from "../kit/rules/fixtures.ts"

/** A count that goes up by facts, each of which moves as much money and is told. */
interface Count extends WalletName {
  readonly id: string
  readonly sum: number
}
interface Counting extends Kind {
  readonly Id: string
  readonly State: Count
  readonly Command: number
  readonly Fact: number
  readonly Refusal: never
  readonly Missing: never
  readonly Related: string
}

const { currency, merchantId, mode } = pendingOrder
const count: Count = { merchantId, mode, currency, id: "c", sum: 10 }
const row = (...cells: ReadonlyArray<string | number>): Change => ({ op: "insert", table: "mails", cells })
const movement = (amount: number): Movement => ({ type: "fee_debit", amount, referenceId: "c", description: "" })
const released = (amount: number) => OrderCommand.cases.ReleaseRefund.make({ amount: Minor.make(amount) })
const instruction = performedSchema("count", Schema.String, Schema.Number)
const tradeNo = TradeNo.make(pendingOrder.tradeNo)

const plain: Aggregate<Counting> = {
  idOf: ({ id }) => id,
  load: () => Effect.die("not read"),
  decide: (_, command) => accept(command),
  evolve: (state, fact) => ({ ...state, sum: state.sum + fact }),
  consequences: (before, fact) =>
    fact === 0
      ? nothing
      : { movements: [movement(before.sum)], reserve: fact, order: released(fact), announced: "refund.failed" },
  insertion: ({ sum }) => row("new", sum),
  replacement: ({ version }, { sum }) => row("replaced", version, sum),
  view: ({ sum }) => ({ sum }),
  orderOf: () => ({ tradeNo, notifyUrl: null }),
  attemptsMax: 1
}
const whole: Aggregate<Counting> = {
  ...plain,
  related: {
    read: () => Effect.succeed("read"),
    changes: (id, before, facts) => [row("beside", id, before, facts.join("+"))]
  },
  creates: ({ sum }, fact) => [row("created", sum, fact)],
  instruction
}

const claim = { id: "claim", version: 1, merchantId, mode, fingerprint: "f", createdAt: now }
const answer = { claim, codes: { usual: 201, byStatus: {} } }
const record: Surroundings["record"] = ({ object, objectId, sequence, type }) => [
  row("event", type, JSON.stringify(object), objectId, sequence)
]
const surroundings = { now, record, related: "before", command: 7 }
const before = { state: count, version: 3 }
const cellsOf = (changes: ReadonlyArray<Change>) =>
  changes.map(({ cells, table }) => (table === "mails" ? cells : table))

describe("the facts of a command", () => {
  it("are one new version, with what each fact moves and creates, and the event after that fact", () => {
    const derived = derive(whole, before, [1, 2], { ...surroundings, answer })
    assert.deepStrictEqual(derived.after, { state: { ...count, sum: 13 }, version: 4 })
    assert.deepStrictEqual(cellsOf(derived.own), [
      ["replaced", 3, 13],
      ["beside", "c", "before", "1+2"]
    ])
    assert.deepStrictEqual(cellsOf(derived.changes), [
      ["replaced", 3, 13],
      ["beside", "c", "before", "1+2"],
      ["created", 11, 1],
      ["created", 13, 2],
      ["event", "refund.failed", '{"sum":11}', "c", 4],
      ["event", "refund.failed", '{"sum":13}', "c", 4],
      "idempotency_keys"
    ])
    assert.deepStrictEqual(derived.movements, [movement(10), movement(11)])
    assert.deepStrictEqual([derived.reserve, derived.order], [3, released(2)])
    const performed = { id: "c", version: 3, command: 7, answer }
    assert.deepStrictEqual(
      derived.instructions.map(({ encoded, name }) => [name, encoded()]),
      [["count", instruct(instruction, performed).encoded()]]
    )
  })

  it("go with what the caller brings along, which comes after them", () => {
    const entry = {
      movements: [movement(-1)],
      reserve: 100,
      changes: [row("brought")],
      instructions: [
        instruct(performedSchema("outer", Schema.String, Schema.Number), { id: "o", version: 1, command: 1 })
      ]
    }
    const derived = derive(whole, before, [1], { ...surroundings, entry, answer })
    assert.deepStrictEqual(derived.movements, [movement(10), movement(-1)])
    assert.strictEqual(derived.reserve, 101)
    assert.deepStrictEqual(cellsOf(derived.changes).slice(-2), [["brought"], "idempotency_keys"])
    assert.deepStrictEqual(
      derived.instructions.map(({ name }) => name),
      ["count", "outer"]
    )
  })

  it("leave the order that an earlier fact asked for", () => {
    assert.deepStrictEqual(derive(whole, before, [1, 0], surroundings).order, released(1))
  })

  it("that move and tell nothing are the object alone", () => {
    const { changes, instructions, movements, order, reserve } = derive(plain, before, [0], surroundings)
    assert.deepStrictEqual(cellsOf(changes), [["replaced", 3, 10]])
    assert.deepStrictEqual([instructions, movements, order, reserve], [[], [], undefined, 0])
  })

  it("if there are none, leave the object at its version, and the answer alone is committed", () => {
    const entry = { ...noEntry, changes: [row("brought")], reserve: 5 }
    const derived = derive(whole, before, [], { ...surroundings, answer, entry })
    assert.deepStrictEqual([derived.after, derived.own, derived.order], [before, [], undefined])
    assert.deepStrictEqual([derived.movements, derived.reserve, derived.instructions], [[], 0, []])
    assert.deepStrictEqual(cellsOf(derived.changes), ["idempotency_keys"])
    assert.deepStrictEqual(derive(whole, before, [], surroundings).changes, [])
  })
})

describe("a new object", () => {
  it("is version 1, with its event, what the caller brings, and the answer", () => {
    const consequence = { ...whole.consequences(count, 2), announced: "dispute.created" } as const
    const brought = { changes: [row("brought")], instructions: [] }
    const derived = deriveNew(whole, count, consequence, brought, { now, record, answer })
    assert.deepStrictEqual(derived.after, { state: count, version: 1 })
    assert.deepStrictEqual(cellsOf(derived.own), [["new", 10]])
    assert.deepStrictEqual(cellsOf(derived.changes), [
      ["new", 10],
      ["event", "dispute.created", '{"sum":10}', "c", 1],
      ["brought"],
      "idempotency_keys"
    ])
    assert.deepStrictEqual([derived.movements, derived.reserve, derived.order], [[movement(10)], 2, released(2)])
  })
})

describe("the objects that an owner remembers", () => {
  const stored = (version: number) => ({ state: `v${version}`, version })

  it("are taken once: until the command has ended the row is unknown", () => {
    const snapshots = new Snapshots<string>(2)
    snapshots.set("a", stored(1))
    assert.deepStrictEqual([snapshots.take("a"), snapshots.take("a")], [stored(1), undefined])
  })

  it("are so many at most, and the one that was kept longest ago is forgotten", () => {
    const snapshots = new Snapshots<string>(2)
    for (const id of ["a", "b", "a", "c"]) snapshots.set(id, stored(1))
    assert.deepStrictEqual(
      ["a", "b", "c"].map((id) => snapshots.take(id)),
      [stored(1), undefined, stored(1)]
    )
    const one = new Snapshots<string>(1)
    one.set("a", stored(1))
    assert.deepStrictEqual(one.take("a"), stored(1))
  })

  it("are not kept if there is room for none", () => {
    const snapshots = new Snapshots<string>(0)
    snapshots.set("a", stored(1))
    snapshots.offer("a", stored(1))
    assert.isUndefined(snapshots.take("a"))
  })

  it("are replaced by what a reader has seen only if that is newer", () => {
    const after = (version: number) => {
      const snapshots = new Snapshots<string>(2)
      snapshots.set("a", stored(2))
      snapshots.offer("a", { ...stored(version), state: "seen" })
      return snapshots.take("a")?.state
    }
    assert.deepStrictEqual([1, 2, 3].map(after), ["v2", "v2", "seen"])
    const snapshots = new Snapshots<string>(2)
    snapshots.offer("b", stored(1))
    assert.deepStrictEqual(snapshots.take("b"), stored(1))
  })
})
