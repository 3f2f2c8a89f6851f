/** Why a payment failed: the channel's code in the reader's language, and what the buyer or the merchant can do. */
import { type Language, wordsIn, type Worded } from "../parts/words.ts"

type Words = Worded<string>

const askBank: Words = {
  en: "The buyer can ask their bank, or pay another way.",
  zh: "买家可联系发卡银行，或换一种支付方式。"
}
const checkCard: Words = { en: "The buyer can check the card's details.", zh: "买家可核对卡片信息后重试。" }
const tryAgain: Words = { en: "The buyer can try again.", zh: "买家可以重试。" }
const otherCard: Words = { en: "The buyer can pay with another card.", zh: "买家可换一张卡付款。" }

/** The codes of the channels. */
const codes: Readonly<Record<string, readonly [why: Words, what: Words]>> = {
  generic_decline: [{ en: "The bank declined without a reason.", zh: "银行拒绝付款，未说明原因。" }, askBank],
  do_not_honor: [{ en: "The bank declined without a reason.", zh: "银行拒绝付款，未说明原因。" }, askBank],
  card_declined: [{ en: "The bank declined the card.", zh: "银行拒绝了该卡。" }, askBank],
  transaction_not_allowed: [{ en: "The bank doesn't allow this payment.", zh: "银行不允许此笔付款。" }, askBank],
  call_issuer: [{ en: "The buyer's bank wants to be contacted.", zh: "发卡银行要求买家与其联系。" }, askBank],
  fraudulent: [{ en: "The bank suspects fraud.", zh: "银行怀疑存在欺诈。" }, askBank],
  lost_card: [{ en: "The card was reported lost.", zh: "该卡已挂失。" }, otherCard],
  stolen_card: [{ en: "The card was reported stolen.", zh: "该卡已被报失窃。" }, otherCard],
  insufficient_funds: [{ en: "The card has insufficient funds.", zh: "卡内余额不足。" }, otherCard],
  card_velocity_exceeded: [{ en: "The card's limit is reached.", zh: "已超出该卡限额。" }, otherCard],
  card_not_supported: [{ en: "The card can't be used for this payment.", zh: "该卡不支持此类付款。" }, otherCard],
  currency_not_supported: [{ en: "The card can't be charged in this currency.", zh: "该卡不支持此货币。" }, otherCard],
  expired_card: [{ en: "The card has expired.", zh: "该卡已过期。" }, otherCard],
  incorrect_cvc: [{ en: "The security code is wrong.", zh: "安全码错误。" }, checkCard],
  incorrect_number: [{ en: "The card number is wrong.", zh: "卡号错误。" }, checkCard],
  invalid_expiry_month: [{ en: "The expiry date is wrong.", zh: "有效期错误。" }, checkCard],
  invalid_expiry_year: [{ en: "The expiry date is wrong.", zh: "有效期错误。" }, checkCard],
  authentication_failed: [{ en: "3-D Secure failed.", zh: "3-D Secure 验证未通过。" }, tryAgain],
  authentication_required: [{ en: "The bank requires 3-D Secure.", zh: "银行要求 3-D Secure 验证。" }, tryAgain],
  payment_intent_authentication_failure: [{ en: "3-D Secure failed.", zh: "3-D Secure 验证未通过。" }, tryAgain],
  payment_method_customer_decline: [
    { en: "The buyer declined it in their wallet.", zh: "买家在钱包中拒绝了付款。" },
    tryAgain
  ],
  cancelled_by_buyer: [{ en: "The buyer canceled it.", zh: "买家取消了付款。" }, tryAgain],
  processing_error: [{ en: "The payment could not be processed.", zh: "付款处理失败。" }, tryAgain],
  issuer_not_available: [{ en: "The buyer's bank did not answer.", zh: "发卡银行没有响应。" }, tryAgain],
  try_again_later: [{ en: "The buyer's bank did not answer.", zh: "发卡银行没有响应。" }, tryAgain]
}

const unknown: Words = { en: "The channel declined it.", zh: "渠道拒绝了付款。" }

/** A code that is newer than this page keeps the channel's own words. */
export const declineText = (code: string, message: string, language: Language): string => {
  const [why, what] = codes[code] ?? [undefined, askBank]
  const space = language !== "en" ? "" : " "
  return [
    why === undefined ? message || wordsIn(unknown, language) : wordsIn(why, language),
    wordsIn(what, language),
    `(${code})`
  ].join(space)
}

/** Why a receiver takes no events, by the service's text. */
export const answerText = (reason: string, language: Language): string =>
  language === "en" ? reason : reason.replace(/^it answers (\d{3})$/, "返回 $1")
