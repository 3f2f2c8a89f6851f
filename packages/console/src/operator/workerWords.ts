/** What workers and kinds of objects are called; the metrics have the names on the left. */
import { type Language, wordsIn, type Worded } from "../parts/words.ts"

const names: Readonly<Record<string, Worded<string>>> = {
  "adyen notices": { en: "Adyen notices", zh: "Adyen 通知" },
  "adyen reports": { en: "Adyen reports", zh: "Adyen 报表" },
  audit: { en: "Ledger audit", zh: "账本审计" },
  deliveries: { en: "Webhook deliveries", zh: "Webhook 投递" },
  "dispute checks": { en: "Dispute checks", zh: "争议核查" },
  disputes: { en: "Disputes", zh: "争议" },
  "endpoints that fail": { en: "Failing endpoints", zh: "失败的端点" },
  erasures: { en: "Erasures", zh: "数据删除" },
  expiry: { en: "Order expiry", zh: "订单过期" },
  "files that nothing names": { en: "Unused files", zh: "未引用的文件" },
  holds: { en: "Held amounts", zh: "已授权金额" },
  "hosts of shops": { en: "Shop domains", zh: "商店域名" },
  "key change": { en: "Secret key change", zh: "密钥更换" },
  "keys of moved sandboxes": { en: "Keys of moved sandboxes", zh: "时钟已推进沙盒的密钥" },
  mails: { en: "Receipt emails", zh: "邮件" },
  "mails about hosts": { en: "Domain emails", zh: "域名邮件" },
  "mails about keys": { en: "API key emails", zh: "密钥邮件" },
  "mails about people": { en: "Invitation and sign-in emails", zh: "人员邮件" },
  "mails of notifications": { en: "Notification emails", zh: "通知邮件" },
  notifications: { en: "Notifications", zh: "通知" },
  orders: { en: "Orders", zh: "订单" },
  "parked payments of sandboxes": { en: "Unmatched sandbox payments", zh: "沙盒中待处理的付款" },
  "payment links": { en: "Payment links", zh: "支付链接" },
  payment_links: { en: "Payment links", zh: "支付链接" },
  payouts: { en: "Payouts", zh: "提现" },
  refunds: { en: "Refunds", zh: "退款" },
  reports: { en: "Reports", zh: "报表" },
  "retention of API logs": { en: "API log retention", zh: "API 日志保留" },
  "sandbox clocks": { en: "Test clocks", zh: "沙盒时钟" },
  "sandbox dispute reports": { en: "Simulated bank: disputes", zh: "沙盒争议回报" },
  "sandbox reports": { en: "Simulated bank: payments", zh: "沙盒银行回报" },
  seeding: { en: "Example data", zh: "示例数据" },
  "stripe events": { en: "Stripe events", zh: "Stripe 事件" },
  "stripe reconciler": { en: "Stripe checks", zh: "Stripe 核对" },
  "stripe reconciliation": { en: "Stripe reconciliation", zh: "Stripe 对账" },
  "stripe webhooks": { en: "Stripe webhook settings", zh: "Stripe Webhook 设置" },
  wallets: { en: "Wallets", zh: "钱包" },
  "unapplied payments": { en: "Unmatched payments", zh: "未入账付款" }
}

export const workerText = (name: string, language: Language): string => {
  const words = names[name]
  return words === undefined ? name : wordsIn(words, language)
}
