/** What to do after a refusal, by its code (the table of errors in the contract). */
import { type Language, wordsIn, type Worded } from "./words.ts"

const gone: Worded<string> = {
  en: "Nothing was found with this ID. Check the other environment, or use search.",
  zh: "没有找到该编号的对象。请查看另一环境，或使用搜索。"
}

const advice: Worded<Readonly<Record<string, string>>> = {
  en: {
    idempotency_error: "The same action was already sent with different content. Close this and start again.",
    invalid_api_key: "Sign in again.",
    missing_api_key: "Sign in again.",
    default_endpoint_secret_managed: "Roll the account's signing secret on the Webhooks page.",
    forbidden: "Your role doesn't allow this. An owner can change your role.",
    invalid_request: "Correct the field and try again.",
    conflict: "Reload the page to see the current state.",
    insufficient_balance: "Lower the amount, or wait for more payments to arrive.",
    refund_window_expired: "The refund period of this payment method is over. Refund the buyer another way.",
    merchant_not_approved: "The operator of the service has to approve the merchant for live payments first.",
    ip_not_allowed: "Your IP address is not on the allowlist. An owner can change the list.",
    rate_limited: "Wait a minute and try again.",
    idempotency_in_progress: "The same action is still running. Wait a moment and try again.",
    processor_error: "The channel did not accept it, and no money has moved. Try again in a few minutes.",
    internal_error: "Try again. If this continues, send the request ID to the operator."
  },
  zh: {
    idempotency_error: "相同的操作曾以其他内容发送。请关闭后重新开始。",
    invalid_api_key: "请重新登录。",
    missing_api_key: "请重新登录。",
    default_endpoint_secret_managed: "请在 Webhook 页面轮换账户的签名密钥。",
    forbidden: "您的角色无权执行此操作。所有者可以更改您的角色。",
    invalid_request: "请更正该字段后重试。",
    conflict: "请重新加载页面，查看当前状态。",
    insufficient_balance: "请降低金额，或等待更多付款到账。",
    refund_window_expired: "已超过该支付方式的退款期限，请通过其他方式退款给买家。",
    merchant_not_approved: "需先由运营方批准商户的正式环境。",
    ip_not_allowed: "您的 IP 地址不在白名单中，所有者可以修改白名单。",
    rate_limited: "请稍等一分钟后重试。",
    idempotency_in_progress: "相同的操作仍在执行，请稍候再试。",
    processor_error: "渠道未接受该操作，资金没有变动。请几分钟后重试。",
    internal_error: "请重试。如问题持续，请将请求 ID 告知平台运营方。"
  }
}

/** Empty for a code that is newer than this console: then only the service's message is shown. */
export const adviceFor = (code: string, language: Language): string =>
  wordsIn(advice, language)[code] ?? (code.endsWith("_not_found") ? wordsIn(gone, language) : "")
