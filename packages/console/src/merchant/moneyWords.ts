/** Words of money that several pages use: movements of the ledger, reasons, currencies. */
import type { LedgerType } from "@coffer/model/Ledger"
import { type Language, wordsIn, type Worded } from "../parts/words.ts"

export const currencies = ["USD", "HKD", "CNY"] as const

const movementWords: Worded<Readonly<Record<LedgerType, string>>> = {
  en: {
    payment_credit: "Payment",
    fee_debit: "Payment fee",
    refund_freeze: "Refund hold",
    refund_debit: "Refund",
    refund_unfreeze: "Refund hold released",
    dispute_freeze: "Dispute hold",
    dispute_unfreeze: "Dispute hold released",
    dispute_debit: "Dispute lost",
    dispute_fee: "Dispute fee",
    payout_freeze: "Payout hold",
    payout_unfreeze: "Payout hold released",
    payout_success: "Payout",
    payout_fee: "Payout fee"
  },
  zh: {
    payment_credit: "收款",
    fee_debit: "收款手续费",
    refund_freeze: "退款冻结",
    refund_debit: "退款",
    refund_unfreeze: "退款解冻",
    dispute_freeze: "争议冻结",
    dispute_unfreeze: "争议解冻",
    dispute_debit: "争议败诉扣款",
    dispute_fee: "争议费",
    payout_freeze: "提现冻结",
    payout_unfreeze: "提现解冻",
    payout_success: "提现",
    payout_fee: "提现手续费"
  }
}

/** A movement's type in words; a type that is newer than this page stays as it is. */
export const movementText = (type: string, language: Language): string =>
  wordsIn(movementWords, language)[type as LedgerType] ?? type.replaceAll("_", " ")

const reasonWords: Readonly<Record<string, string>> = {
  fraudulent: "欺诈",
  product_not_received: "未收到商品",
  product_unacceptable: "商品与描述不符",
  duplicate: "重复扣款",
  credit_not_processed: "未收到退款",
  subscription_canceled: "订阅已取消",
  unrecognized: "无法识别的交易",
  general: "其他"
}

/** A dispute's reason, which is the channel's word, for people. */
export const reasonText = (reason: string, language: Language): string =>
  (language === "en" ? undefined : wordsIn({ en: undefined, zh: reasonWords[reason] }, language)) ??
  reason.charAt(0).toUpperCase() + reason.slice(1).replaceAll("_", " ")

const feeTexts = { en: "in the payment's currency", zh: "按付款货币计" }

/** A fee of payments: a part of the amount, and a fixed part in whichever currency the buyer pays. */
export const feeText = (fee: { readonly basis_points: number; readonly fixed: number }, language: Language): string =>
  `${(fee.basis_points / 100).toFixed(2)}% + ${(fee.fixed / 100).toFixed(2)} (${wordsIn(feeTexts, language)})`
