/** Whether a wallet's chain of hashes holds: docs/ledger.md, "Verify it yourself", rule by rule. */
import { createHash } from "node:crypto"
import { type Kept, type Link, makeVerifier, meaningOf, type Movement, walletOf } from "@coffer/rules/wallet/chain"
import { assert, describe, it } from "@effect/vitest"

const sha256 = (text: string) => createHash("sha256").update(text, "utf8").digest("hex")
const wallet = "mer_1/live/USD"

const movementOf = (sequence: number): Movement => ({
  id: `txn_${sequence}`,
  merchant_id: "mer_1",
  mode: "live",
  currency: "USD",
  type: "payment",
  amount: 100 * sequence,
  balance_before: 10,
  balance_after: 10 + 100 * sequence,
  reference_id: `ord_${sequence}`,
  description: "Payment",
  created_at: "2026-01-01T00:00:00.000Z"
})

/** The text of a row: the wallet, the row before, the row itself, what it moved, and what is hidden from lists. */
const textOf = (previous: string, sequence: number, { id, ...movement }: Movement, of = wallet) => {
  const { amount, balance_after, balance_before, created_at, description, reference_id, type } = movement
  const moved = [type, amount, balance_before, balance_after, 0, reference_id, description, created_at]
  return [of, previous, id, sequence, ...moved].join("\n")
}
const linkOf = (id: string, sequence: number, previous_hash: string, text: string): Link => ({
  id,
  sequence,
  previous_hash,
  text,
  hash: sha256(text)
})

/** Three rows, the oldest first. */
const chain = [1, 2, 3].reduce<ReadonlyArray<Link>>((links, sequence) => {
  const previous = links.at(-1)?.hash ?? ""
  const movement = movementOf(sequence)
  return [...links, linkOf(movement.id, sequence, previous, textOf(previous, sequence, movement))]
}, [])
const [first, second, third] = chain as readonly [Link, Link, Link]

const verified = (
  links: ReadonlyArray<Link>,
  { hashes = {}, movements, unmet = new Set() }: Partial<Kept> & { readonly movements?: ReadonlyArray<Movement> } = {}
) => {
  const verifier = makeVerifier({ hashes, unmet }, ({ text }) => sha256(text))
  for (const link of links.toReversed()) {
    verifier.add(link, movements && (movements.find(({ id }) => id === link.id) ?? "missing"))
  }
  return verifier.end()
}
const movements = [1, 2, 3].map(movementOf)

describe("a wallet's chain", () => {
  it("holds as it was written, with and without the ledger beside it, and where there is no row", () => {
    assert.isUndefined(verified(chain))
    assert.isUndefined(verified(chain, { movements }))
    assert.isUndefined(verified([]))
    assert.strictEqual(walletOf(third), wallet)
  })

  it("breaks where a hash is not that of its text", () => {
    assert.deepStrictEqual(verified([first, { ...second, text: `${second.text}.` }, third]), { id: "txn_2", rule: 1 })
  })

  it("breaks where a row is missing, also the oldest", () => {
    assert.deepStrictEqual(verified([first, third]), { id: "txn_3", rule: 2 })
    assert.deepStrictEqual(verified([second, third]), { id: "txn_2", rule: 2 })
  })

  it("breaks where a row was not written after the one before it, also the oldest", () => {
    const other = linkOf("txn_2", 2, "other", textOf("other", 2, movementOf(2)))
    assert.deepStrictEqual(verified([first, other]), { id: "txn_2", rule: 3 })
    const notFirst = linkOf("txn_1", 1, "other", textOf("other", 1, movementOf(1)))
    assert.deepStrictEqual(verified([notFirst]), { id: "txn_1", rule: 3 })
  })

  it("breaks where a text is about another wallet, row or number, or has a line too few or too many", () => {
    const { hash } = first
    for (const text of [
      textOf(hash, 2, movementOf(2), "mer_2/live/USD"),
      textOf("other", 2, movementOf(2)),
      textOf(hash, 2, movementOf(1)),
      textOf(hash, 3, movementOf(2)),
      `${textOf(hash, 2, movementOf(2))}\nmore`,
      textOf(hash, 2, movementOf(2)).split("\n").slice(0, 11).join("\n")
    ]) {
      const links = [
        first,
        linkOf("txn_2", 2, hash, text),
        linkOf("txn_3", 3, sha256(text), textOf(sha256(text), 3, movementOf(3)))
      ]
      assert.deepStrictEqual(verified(links), { id: "txn_2", rule: 4 }, text)
      assert.deepStrictEqual(verified(links, { movements }), { id: "txn_2", rule: 4 }, text)
    }
  })

  it("breaks where the ledger is of another wallet than the text", () => {
    for (const other of [{ merchant_id: "mer_2" }, { mode: "sandbox" }, { currency: "EUR" }]) {
      const changed = movements.map((movement) => ({ ...movement, ...other }))
      assert.deepStrictEqual(verified(chain, { movements: changed }), { id: "txn_1", rule: 4 })
    }
  })

  it("breaks where the ledger says anything else of a row, or does not have it", () => {
    for (const other of [
      { type: "refund" },
      { amount: 201 },
      { balance_before: 11 },
      { balance_after: 211 },
      { reference_id: "ord_x" },
      { description: "Another" },
      { created_at: "2026-01-01T00:00:00.001Z" }
    ]) {
      const changed = movements.map((movement, index) => (index === 1 ? { ...movement, ...other } : movement))
      assert.deepStrictEqual(verified(chain, { movements: changed }), { id: "txn_2", rule: 5 }, JSON.stringify(other))
    }
    assert.deepStrictEqual(verified(chain, { movements: [movementOf(1), movementOf(3)] }), { id: "txn_2", rule: 5 })
  })

  it("breaks where a hash that was kept is another one now, and every kept row that was met is taken off the list", () => {
    const unmet = new Set(["txn_1", "txn_2", "txn_9"])
    assert.isUndefined(verified(chain, { hashes: { txn_1: first.hash, txn_2: second.hash, txn_9: "gone" }, unmet }))
    assert.deepStrictEqual([...unmet], ["txn_9"])
    assert.deepStrictEqual(verified(chain, { hashes: { txn_2: first.hash } }), { id: "txn_2", rule: 6 })
  })

  it("breaks at its oldest invalid row, and each rule has its own message", () => {
    const broken = { ...first, text: `${first.text}.` }
    assert.deepStrictEqual(verified([broken, second, { ...third, text: "" }]), { id: "txn_1", rule: 1 })
    assert.strictEqual(new Set(Object.values(meaningOf).filter((words) => words !== "")).size, 6)
  })
})
