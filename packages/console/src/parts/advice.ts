/** Things to do after a refusal, by its code (the table of errors in the contract). */
import type { Language } from "./words.ts"

const gone: Readonly<Record<Language, string>> = {
  en: "There is nothing under this number here. Look in the other environment, or search for it.",
  zh: "此处没有该编号的对象。请到另一环境查看，或使用搜索。"
}

const advice: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  en: {
    idempotency_error: "The same act was sent with other contents. Close this and begin anew.",
    invalid_api_key: "Sign in again.",
    missing_api_key: "Sign in again.",
    default_endpoint_secret_managed: "Rotate the account's signing secret, on the page of webhooks.",
    forbidden: "Your role does not allow this. An owner can change your role.",
    invalid_request: "Correct the field and try again.",
    conflict: "Load the page again to see how it stands now.",
    insufficient_balance: "Lower the amount, or wait until more payments have arrived.",
    refund_window_expired: "The payment method gives nothing back this late. Pay the buyer back by another way.",
    merchant_not_approved: "The operator of the service has to approve the merchant for live payments first.",
    ip_not_allowed: "Your address is not on the list of allowed addresses. An owner can change the list.",
    rate_limited: "Wait a minute, and try again.",
    idempotency_in_progress: "The same act still runs. Wait a moment, and press again.",
    processor_error: "The channel did not take it, and no money has moved. Try again in a few minutes.",
    internal_error: "Try again. If it stays, tell the operator the number of the request."
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
    refund_window_expired: "已超过该支付方式的退款期限。请通过其他途径退款给买家。",
    merchant_not_approved: "需先由运营方批准商户的正式环境。",
    ip_not_allowed: "您的地址不在允许列表中。所有者可以更改列表。",
    rate_limited: "请稍等一分钟后重试。",
    idempotency_in_progress: "相同的操作仍在执行。请稍候再次点击。",
    processor_error: "渠道未接受，资金没有变动。请几分钟后重试。",
    internal_error: "请重试。如仍出现，请将请求编号告知运营方。"
  }
}

/** Empty for a code that is newer than this console: the service's own message stands alone then. */
export const adviceFor = (code: string, language: Language): string =>
  advice[language][code] ?? (code.endsWith("_not_found") ? gone[language] : "")
