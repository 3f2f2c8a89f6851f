/**
 * Wallets, their ledger and payouts. Rows of the ledger are hashed and never change, so they may have no buyer's word.
 */
import { Mode, PayoutNo } from "@coffer/model/Ids"
import { LedgerType } from "@coffer/model/Ledger"
import { Minor } from "@coffer/model/Money"
import { Schema } from "effect"
import { code, field, fixed, listed, money, typed } from "./listed.ts"
import { archived, each, forNobody, ownTable, resource, shown } from "./Resource.ts"
import { currency, merchantId, mode } from "./shared.ts"

export const wallets = resource("wallets", {
  ...each(forNobody("none"), ["wallet_id", "version", "head_id", "head_hash"]),
  ...each(shown("none"), ["merchant_id", "mode", "currency", "sequence", "available", "frozen", "reserved"]),
  ...each(shown("none"), ["total_revenue", "total_fee", "total_payout", "total_refund", "updated_at"])
})

/** Nothing of a row ever changes. */
export const ledger = listed(
  "ledger",
  {
    id: field(
      Schema.String,
      shown("none"),
      ["Transaction", "流水号", "Number of this movement; begins with `LED_`, and rises with time."],
      { ...fixed, ...code }
    ),
    merchant_id: merchantId,
    type: field(LedgerType, shown("none"), ["Type", "类型", "The cause of the movement."], fixed),
    currency,
    amount: field(
      Schema.Int,
      shown("none"),
      ["Amount", "金额", "The movement, below zero when money leaves, in minor units."],
      { ...fixed, ...money }
    ),
    balance_before: field(
      Schema.Int,
      shown("none"),
      ["Balance before", "变动前余额", "Available balance before, in minor units."],
      { ...fixed, ...money }
    ),
    balance_after: field(
      Schema.Int,
      shown("none"),
      [
        "Balance after",
        "变动后余额",
        "Available balance after; the same as before when frozen money was taken, in minor units."
      ],
      { ...fixed, ...money }
    ),
    reference_id: field(
      Schema.String,
      shown("none"),
      ["Source", "来源", "Number of the order, refund, dispute or payout that caused it."],
      { ...fixed, ...code }
    ),
    /** Made of our own words and numbers. */
    description: field(
      Schema.String,
      shown("none"),
      ["Description", "说明", "For people to read; do not parse it."],
      fixed
    ),
    mode,
    created_at: field(Schema.DateTimeUtc, shown("none"), ["Booked", "入账时间", "When it was booked."], fixed),
    trade_no: field(
      Schema.NullOr(Schema.String),
      shown("none"),
      ["Order", "订单", "The order it belongs to; null for a payout."],
      { ...code, made: "unstored" }
    ),
    out_trade_no: field(
      Schema.NullOr(Schema.String),
      shown("none"),
      ["Order reference", "商户订单号", "Your own number of that order; null for a payout."],
      { ...code, made: "unstored" }
    ),

    wallet_id: archived("none"),
    sequence: typed(Schema.Int, archived("none"), fixed),
    frozen_after: typed(Schema.Int, archived("none"), fixed),
    previous_hash: typed(Schema.String, archived("none"), fixed),
    hash: typed(Schema.String, archived("none"), fixed)
  },
  {
    object: "balance_transaction",
    label: { en: "Ledger", zh: "账本" },
    list: {
      type: "shown",
      amount: "shown",
      balance_before: "hidden",
      balance_after: "shown",
      reference_id: "wide",
      id: "hidden",
      created_at: "shown"
    },
    // The command line proves the ledger, and writes it to a file.
    brief: [],
    facts: ["reference_id", "balance_before", "balance_after", "created_at", "description"],
    filters: {
      type: "Movements of this type.",
      reference_id: "Movements that this order, refund, dispute or payout caused: our number, or your own.",
      currency: "Movements of this currency's wallet."
    }
  }
)
const sums = ["frozen", "moved", "revenue", "fee", "refund", "payout", "lost"] as const
export const ledgerSums = ownTable("ledger_sums", ["wallet_id", "row_id", ...sums])
export const anchors = ownTable("anchors", ["chain", "sequence", "row_id", "hash", "is_first", "anchored_at"])

export const payouts = listed(
  "payouts",
  {
    payout_no: field(PayoutNo, shown("none"), ["Payout ID", "提现号", "Platform payout number."], {
      ...fixed,
      ...code
    }),
    merchant_id: merchantId,
    mode: field(Mode, shown("none"), ["Environment", "环境", "The environment whose wallet pays."], fixed),
    currency,
    amount: field(Minor, shown("none"), ["Amount", "金额", "The amount sent to the merchant's bank, in minor units."], {
      ...fixed,
      ...money
    }),
    /** As the merchant's settings had it when the payout was asked for: what was promised is what is charged. */
    fee: field(
      Minor,
      shown("none"),
      ["Fee", "手续费", "Payout fee, charged in addition to the amount when the payout succeeds, in minor units."],
      { ...fixed, ...money }
    ),
    status: field(
      Schema.Literals(["requested", "approved", "succeeded", "rejected", "failed"]),
      shown("none"),
      ["Status", "状态", "Where it is: requested, approved and then succeeded or failed; or rejected."],
      { look: "state" }
    ),
    /** Two requests with one number are one payout. */
    reference: field(
      Schema.NullOr(Schema.String),
      shown("none"),
      ["Reference", "参考号", "The operator's own number for it, if one was given."],
      fixed
    ),
    created_at: field(Schema.DateTimeUtc, shown("none"), ["Requested", "申请时间", "When it was requested."], fixed),
    approved_at: field(
      Schema.NullOr(Schema.DateTimeUtc),
      shown("none"),
      [
        "Approved",
        "批准时间",
        "When an operator approved it. Null until then, and for those approved before this was recorded."
      ],
      { absent: true }
    ),
    updated_at: field(Schema.DateTimeUtc, shown("none"), ["Updated", "更新时间", "When it last changed."]),
    version: forNobody("none")
  },
  {
    object: "payout",
    label: { en: "Payouts", zh: "提现" },
    list: {
      amount: "shown",
      status: "shown",
      fee: "wide",
      reference: "wide",
      payout_no: "hidden",
      approved_at: "hidden",
      updated_at: "hidden",
      created_at: "shown"
    },
    // The command line works on many at once, as they wait.
    brief: [],
    facts: ["fee", "reference", "created_at", "approved_at", "updated_at"],
    filters: {}
  }
)
/** Payouts of which an operator approved the first of two acts alone. */
export const payoutsAlone = ownTable("payouts_alone", ["payout_no", "mode", "amount", "currency", "approved_at"])
