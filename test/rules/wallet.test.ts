/** The wallet's rules: what a movement does to the balance, the chain of the ledger, and the laws of both. */
import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { idBody, idBodyAfter, MerchantId } from "@coffer/model/Ids"
import { LedgerType } from "@coffer/model/Ledger"
import { Minor, twoDecimals } from "@coffer/model/Money"
import { feeFor } from "@coffer/rules/wallet/feeFor"
import { chainText, type Movement, post } from "@coffer/rules/wallet/post"
import { emptyWallet, type Wallet, walletIdOf } from "@coffer/rules/wallet/Wallet"
import { DateTime, Result, Schema } from "effect"

const now = DateTime.makeUnsafe("2026-01-01T00:00:00.000Z")
const empty = emptyWallet(
  { merchantId: MerchantId.make("mer_00000000000000000000000001"), mode: "sandbox", currency: "USD" },
  now
)
const digest = (text: string) => createHash("sha256").update(text).digest("hex")
const bodyAt = (millis: number) =>
  idBody(
    millis,
    Array.from({ length: 16 }, () => 0)
  )
const means = { now, idBody: bodyAt(1), digest }
/** The wallet after the movements, if it can afford them. */
const posted = (wallet: Wallet, movements: ReadonlyArray<Movement>, reserve = 0, by = means) =>
  Result.getOrThrow(post(wallet, { movements, reserve }, by))
const rich: Wallet = { ...empty, available: 1_000_000, frozen: 1_000_000 }
const movement = (type: LedgerType, amount: number): Movement => ({
  type,
  amount,
  referenceId: "TRD_1",
  description: ""
})

describe("wallet: posting", () => {
  it("a payment is two rows, the whole amount in and the fee out, and their sum is the net", () => {
    const { rows, wallet } = posted(empty, [movement("payment_credit", 1000), movement("fee_debit", -59)])
    assert.deepStrictEqual(
      rows.map(({ amount, balanceAfter, balanceBefore, type }) => [type, amount, balanceBefore, balanceAfter]),
      [
        ["payment_credit", 1000, 0, 1000],
        ["fee_debit", -59, 1000, 941]
      ]
    )
    assert.strictEqual(wallet.available, 941)
    assert.strictEqual(wallet.totalRevenue, 1000)
    assert.strictEqual(wallet.totalFee, 59)
  })

  const moves: ReadonlyArray<readonly [LedgerType, amount: number, available: number, frozen: number]> = [
    ["payment_credit", 5, 5, 0],
    ["fee_debit", -5, -5, 0],
    ["refund_freeze", -5, -5, 5],
    ["refund_debit", -5, 0, -5],
    ["refund_unfreeze", 5, 5, -5],
    ["dispute_freeze", -5, -5, 5],
    ["dispute_unfreeze", 5, 5, -5],
    ["dispute_debit", -5, 0, -5],
    ["dispute_fee", -5, -5, 0],
    ["payout_freeze", -5, -5, 5],
    ["payout_unfreeze", 5, 5, -5],
    ["payout_success", -5, 0, -5],
    ["payout_fee", -5, -5, 0]
  ]
  it("has a rule for every type of the ledger", () =>
    assert.sameMembers(
      moves.map(([type]) => type),
      [...LedgerType.literals]
    ))
  for (const [type, amount, available, frozen] of moves) {
    it(`${type} of ${amount} moves available by ${available} and frozen by ${frozen}`, () => {
      const { wallet } = posted(rich, [movement(type, amount)])
      assert.deepStrictEqual([wallet.available - rich.available, wallet.frozen - rich.frozen], [available, frozen])
    })
  }

  const totals: Partial<Record<LedgerType, Partial<Wallet>>> = {
    payment_credit: { totalRevenue: 5 },
    fee_debit: { totalFee: 5 },
    refund_debit: { totalRefund: 5 },
    dispute_fee: { totalFee: 5 },
    payout_success: { totalPayout: 5 },
    payout_fee: { totalFee: 5 }
  }
  it("each type counts in its total, without a sign, or in none", () => {
    const { totalFee, totalPayout, totalRefund, totalRevenue } = empty
    const none = { totalFee, totalPayout, totalRefund, totalRevenue }
    for (const [type, amount] of moves) {
      const { wallet } = posted(rich, [movement(type, amount)])
      assert.deepInclude(wallet, { ...none, ...totals[type] }, type)
      assert.sameMembers(Object.keys(wallet), Object.keys(rich))
    }
  })

  it("a wallet that was never used is all zeros, and is called by its merchant, mode and currency", () => {
    const sums = { available: 0, frozen: 0, reserved: 0, totalRevenue: 0, totalFee: 0, totalPayout: 0, totalRefund: 0 }
    const { currency, merchantId, mode } = empty
    assert.deepStrictEqual(empty, {
      merchantId,
      mode,
      currency,
      ...sums,
      sequence: 0,
      headId: "",
      headHash: "",
      version: "",
      updatedAt: now
    })
    assert.strictEqual(walletIdOf(empty), "mer_00000000000000000000000001/sandbox/USD")
  })

  it("a row has the id that is given, and its time where the clock is behind", () => {
    const at = DateTime.toEpochMillis(now) + 5_000
    const [early, late] = [bodyAt(1_000), bodyAt(at)]
    const of = (idBody: string) => posted(empty, [movement("payment_credit", 1)], 0, { ...means, idBody }).rows[0]!
    assert.deepStrictEqual([of(early).id, of(early).createdAt], [`LED_${early}`, now])
    assert.deepStrictEqual([of(late).id, DateTime.toEpochMillis(of(late).createdAt)], [`LED_${late}`, at])
  })

  it("a row takes the id that is given if it is later than the head's, and else the next after the head's", () => {
    const by = (millis: number) => ({ ...means, idBody: bodyAt(millis) })
    const { wallet } = posted(empty, [movement("payment_credit", 1)], 0, by(1_000))
    const second = (millis: number) => posted(wallet, [movement("payment_credit", 1)], 0, by(millis)).rows[0]!.id
    assert.strictEqual(second(1_001), `LED_${bodyAt(1_001)}`)
    assert.strictEqual(second(1_000), `LED_${idBodyAfter(bodyAt(1_000))}`)
    assert.strictEqual(second(999), `LED_${idBodyAfter(bodyAt(1_000))}`)
  })

  it("what a row's hash covers is each of its columns on a line", () => {
    const balances = { amount: -3, balanceBefore: 4, balanceAfter: 1, frozenAfter: 5 }
    const texts = { id: "LED_1", referenceId: "TRD_1", description: "Fee", previousHash: "before" }
    const row = { ...texts, ...balances, sequence: 2, type: "fee_debit", createdAt: now } as const
    const text = "w\nbefore\nLED_1\n2\nfee_debit\n-3\n4\n1\n5\nTRD_1\nFee\n2026-01-01T00:00:00.000Z"
    assert.strictEqual(chainText("w", row), text)
  })

  it("rows rise by id within a wallet even when the clock steps back", () => {
    const first = posted(empty, [movement("payment_credit", 1)], 0, { ...means, idBody: bodyAt(1_000) })
    const second = posted(first.wallet, [movement("payment_credit", 1), movement("fee_debit", 0)])
    const ids = [...first.rows, ...second.rows].map(({ id }) => id)
    assert.deepStrictEqual(ids, ids.toSorted())
    assert.strictEqual(new Set(ids).size, 3)
  })

  it.prop(
    "rows chain, and the sum of their differences is what is available",
    [Schema.Array(Schema.Tuple([LedgerType, Schema.Int.check(Schema.isBetween({ minimum: -1e9, maximum: 1e9 }))]))],
    ([drawn]) => {
      // A dispute among them, so that nothing is refused.
      const movements = [...drawn.map(([type, amount]) => movement(type, amount)), movement("dispute_fee", 0)]
      const { rows, wallet } = posted(empty, movements)
      let before = { balance: 0, hash: "", sequence: 0 }
      for (const row of rows) {
        assert.strictEqual(row.balanceBefore, before.balance)
        assert.strictEqual(row.previousHash, before.hash)
        assert.strictEqual(row.sequence, before.sequence + 1)
        assert.strictEqual(row.hash, digest(chainText(walletIdOf(empty), row)))
        before = { balance: row.balanceAfter, hash: row.hash, sequence: row.sequence }
      }
      assert.strictEqual(
        rows.reduce((sum, row) => sum + row.balanceAfter - row.balanceBefore, 0),
        wallet.available
      )
    }
  )
})

describe("wallet: what may be spent", () => {
  const holding = (available: number, reserved = 0): Wallet => ({ ...empty, available, reserved })
  const refusal = (wallet: Wallet, movements: ReadonlyArray<Movement>, reserve = 0) =>
    Result.match(post(wallet, { movements, reserve }, means), {
      onFailure: ({ usable }) => usable,
      onSuccess: () => undefined
    })

  it("a freeze of all that is available is taken, of one more refused", () => {
    assert.isUndefined(refusal(holding(100), [movement("refund_freeze", -100)]))
    assert.strictEqual(refusal(holding(100), [movement("refund_freeze", -101)]), 100)
    assert.strictEqual(refusal(holding(100), [movement("payout_freeze", -101)]), 100)
  })

  it("what is promised to one refund is not there for another", () => {
    assert.isUndefined(refusal(holding(100, 60), [], 40))
    assert.strictEqual(refusal(holding(100, 60), [], 41), 40)
    assert.strictEqual(refusal(holding(100, 60), [movement("payout_freeze", -41)]), 40)
  })

  it("a promise is kept although a dispute has taken the money since", () =>
    assert.isUndefined(refusal(holding(-50, 60), [{ ...movement("refund_debit", -60), unfrozen: true }], -60)))

  it("a dispute and its fee are taken whether or not they are there", () => {
    assert.isUndefined(refusal(empty, [movement("dispute_freeze", -5)]))
    assert.isUndefined(refusal(empty, [movement("dispute_fee", -5)]))
  })

  it("money that comes in is taken by a wallet below zero", () =>
    assert.isUndefined(refusal(holding(-100), [movement("payment_credit", 10), movement("fee_debit", -1)])))

  it("a promise changes the version though it writes no row", () => {
    const { rows, wallet } = posted(holding(100), [], 40)
    assert.deepStrictEqual([rows, wallet.headHash, wallet.available, wallet.reserved], [[], "", 100, 40])
    assert.strictEqual(wallet.version, digest("\n\n40"))
    assert.strictEqual(posted(wallet, [], -40).wallet.version, digest(`${wallet.version}\n\n0`))
    const paid = posted(wallet, [movement("payment_credit", 1)]).wallet
    assert.strictEqual(paid.version, paid.headHash)
  })

  for (const [type, amount, totals] of [
    ["refund_debit", -5, { totalRefund: 5 }],
    ["refund_unfreeze", 5, { totalRefund: -5 }],
    ["dispute_unfreeze", 5, { totalRefund: 0, totalFee: 0 }]
  ] as const) {
    it(`${type} of funds that are not frozen moves available alone`, () => {
      const { wallet } = posted(rich, [{ ...movement(type, amount), unfrozen: true }])
      assert.deepStrictEqual([wallet.available - rich.available, wallet.frozen], [amount, rich.frozen])
      assert.deepInclude(wallet, totals)
    })
  }
})

describe("wallet: fee", () => {
  const paid = (amount: number) =>
    ({ mode: "sandbox", method: "card", currency: "USD", amount: Minor.make(amount) }) as const
  const rounding: ReadonlyArray<readonly [amount: number, basisPoints: number, fixed: number, fee: number]> = [
    [1000, 290, 30, 59],
    [50, 100, 0, 1],
    [49, 100, 0, 0],
    [1, 290, 30, 1],
    [100_000_000_000, 10_000, 30, 100_000_000_000],
    [100, 0, 0, 0]
  ]
  for (const [amount, basis_points, fixed, fee] of rounding) {
    it(`${basis_points} bp + ${fixed} of ${amount} is ${fee}: rounded half up, never above the amount`, () =>
      assert.strictEqual(feeFor([{ basis_points, fixed: Minor.make(fixed) }], paid(amount)), fee))
  }

  it("the first line that fits by mode, method and currency is taken, and else the default", () => {
    const fixed = (value: number) => ({ basis_points: 0, fixed: Minor.make(value) })
    const schedule = [
      { mode: "live", ...fixed(1) },
      { method: "alipay", ...fixed(2) },
      { currency: "HKD", ...fixed(3) }
    ] as const
    assert.strictEqual(feeFor(schedule, { ...paid(1000), mode: "live" }), 1)
    assert.strictEqual(feeFor(schedule, { ...paid(1000), method: "alipay", currency: "HKD" }), 2)
    assert.strictEqual(feeFor(schedule, { ...paid(1000), currency: "HKD" }), 3)
    assert.strictEqual(feeFor(schedule, paid(1000)), 59)
  })
})

describe("money as people read it", () => {
  for (const [minor, text] of [
    [0, "0.00"],
    [5, "0.05"],
    [1234, "12.34"],
    [-7, "-0.07"],
    [100_000_000_000, "1000000000.00"]
  ] as const) {
    it(`${minor} minor units are ${text}`, () => assert.strictEqual(twoDecimals(minor), text))
  }
})
