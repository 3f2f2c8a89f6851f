/** The names of workers and of kinds of objects in Chinese; in English they are as the metrics have them. */
import { type Language, wordsIn } from "../parts/words.ts"

const names: Readonly<Record<string, string>> = {
  audit: "账本审计",
  deliveries: "Webhook 投递",
  "dispute checks": "争议核查",
  disputes: "争议",
  "endpoints that fail": "失败的端点",
  erasures: "数据删除",
  expiry: "订单过期",
  "files that nothing names": "未引用的文件",
  "hosts of shops": "商店域名",
  "key change": "密钥更换",
  "keys of moved sandboxes": "时钟已推进沙盒的密钥",
  mails: "邮件",
  "mails about hosts": "域名邮件",
  "mails about keys": "密钥邮件",
  "mails about people": "人员邮件",
  "mails of notifications": "通知邮件",
  notifications: "通知",
  orders: "订单",
  "parked payments of sandboxes": "沙盒中待处理的付款",
  "payment links": "支付链接",
  payouts: "提现",
  refunds: "退款",
  reports: "报表",
  "retention of API logs": "API 日志保留",
  "sandbox clocks": "沙盒时钟",
  "sandbox dispute reports": "沙盒争议回报",
  "sandbox reports": "沙盒银行回报",
  seeding: "示例数据",
  "stripe events": "Stripe 事件",
  "stripe reconciler": "Stripe 核对",
  "stripe reconciliation": "Stripe 对账",
  "stripe webhooks": "Stripe Webhook 设置",
  "unapplied payments": "未入账付款"
}

export const workerText = (name: string, language: Language): string =>
  wordsIn({ en: name, zh: names[name] ?? name }, language)
