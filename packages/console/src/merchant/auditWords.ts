/** The acts of the audit log in words, the object that each is about, and how each ended. */
import { type Language, wordsIn } from "../parts/words.ts"

/** By the name of the act, without where it came from. */
const words: Readonly<Record<string, readonly [en: string, zh: string]>> = {
  "people.invite": ["Invited a person", "邀请成员"],
  "people.sendAgain": ["Sent an invitation again", "重新发送邀请"],
  "people.setRole": ["Changed a person's role", "更改成员角色"],
  "people.remove": ["Removed a person", "移除成员"],
  "people.endSessions": ["Signed a person out", "结束成员的会话"],
  "people.recover": ["Reset a person's access", "重置成员的登录方式"],
  "api_keys.create": ["Created an API key", "创建 API 密钥"],
  "api_keys.update": ["Edited an API key", "修改 API 密钥"],
  "api_keys.roll": ["Rolled an API key", "轮换 API 密钥"],
  "api_keys.endPrevious": ["Ended an API key's old secret", "停用 API 密钥的旧值"],
  "api_keys.revoke": ["Revoked an API key", "吊销 API 密钥"],
  "main_keys.reset": ["Reset the main key", "重置主密钥"],
  "main_keys.endPrevious": ["Ended the old main key", "停用旧主密钥"],
  "settings.update": ["Changed the settings", "更改设置"],
  "settings.checkDomain": ["Checked the domain", "检查域名"],
  "orders.create": ["Created an order", "创建订单"],
  "orders.update": ["Edited an order", "修改订单"],
  "orders.expire": ["Expired an order", "使订单过期"],
  "orders.capture": ["Captured a held amount", "扣取已授权的金额"],
  "receipts.sendReceipt": ["Sent a receipt", "发送收据"],
  "refunds.create": ["Made a refund", "发起退款"],
  "refunds.update": ["Edited a refund", "修改退款"],
  "disputes.submitEvidence": ["Saved or submitted evidence", "保存或提交证据"],
  "disputes.accept": ["Accepted a dispute", "接受争议"],
  "files.upload": ["Uploaded a file", "上传文件"],
  "payment_links.create": ["Created a payment link", "创建支付链接"],
  "payment_links.update": ["Edited a payment link", "修改支付链接"],
  "reports.create": ["Created a report", "创建报表"],
  "erasures.create": ["Erased a buyer's data", "删除买家数据"],
  "webhook_endpoints.create": ["Created a webhook endpoint", "创建 Webhook 端点"],
  "webhook_endpoints.update": ["Edited a webhook endpoint", "修改 Webhook 端点"],
  "webhook_endpoints.delete": ["Deleted a webhook endpoint", "删除 Webhook 端点"],
  "webhook_endpoints.rotateSecret": ["Rolled an endpoint's secret", "轮换端点密钥"],
  "webhook_endpoints.rotateSigningSecret": ["Rolled the account's signing secret", "轮换账户签名密钥"],
  "webhook_endpoints.endPreviousSecrets": ["Ended an endpoint's old secrets", "停用端点的旧密钥"],
  "webhook_endpoints.endPreviousSigningSecrets": ["Ended the account's old signing secrets", "停用账户的旧签名密钥"],
  "webhook_endpoints.signingSecret": ["Read the account's signing secret", "查看账户签名密钥"],
  "webhook_deliveries.resend": ["Resent a delivery", "重新发送投递"],
  "test_helpers.pay": ["Played the buyer", "模拟买家付款"],
  "test_helpers.authorize": ["Played the buyer who authorizes", "模拟买家授权"],
  "test_helpers.capture": ["Played the bank of a held amount", "模拟银行处理授权"],
  "test_helpers.settleRefund": ["Settled a test refund", "模拟退款结果"],
  "test_helpers.dispute": ["Opened a test dispute", "模拟争议"],
  "test_helpers.resolveDispute": ["Decided a test dispute", "模拟争议结果"],
  "test_helpers.channel": ["Switched the test bank", "切换模拟银行状态"],
  "test_helpers.advanceClock": ["Moved the sandbox's clock", "调快沙盒时钟"],
  "merchants.update": ["Changed the merchant", "更改商户"],
  "merchants.suspend": ["Suspended the merchant", "暂停商户"],
  "merchants.resume": ["Resumed the merchant", "恢复商户"],
  "merchants.close": ["Closed the merchant", "关闭商户"],
  "merchants.resetKey": ["Reset the main key", "重置主密钥"],
  "merchants.signingSecret": ["Read the account's signing secret", "查看账户签名密钥"],
  "channels.set": ["Changed who takes the payments", "更改收款渠道"],
  "reconciliation.begin": ["Started a reconciliation", "开始对账"],
  "payouts.create": ["Requested a payout", "申请提现"],
  "payouts.approve": ["Approved a payout", "批准提现"],
  "payouts.reject": ["Rejected a payout", "拒绝提现"],
  "payouts.complete": ["Completed a payout", "完成提现"],
  "payouts.fail": ["Marked a payout as failed", "标记提现失败"],
  "exports.merchant": ["Exported the merchant's data", "导出商户数据"],
  "exports.buyer": ["Exported a buyer's data", "导出买家数据"],
  "sign_in.use": ["Signed in by email", "通过邮件登录"],
  "sign_in.usePasskey": ["Signed in with a passkey", "使用通行密钥登录"],
  "sign_in.useOpenId": ["Signed in with the company account", "使用企业账户登录"],
  "session.end": ["Signed out", "退出登录"],
  "session.endOther": ["Ended a session", "结束一个会话"],
  "session.endAll": ["Ended all sessions", "结束全部会话"],
  "passkeys.register": ["Added a passkey", "添加通行密钥"],
  "passkeys.rename": ["Renamed a passkey", "重命名通行密钥"],
  "passkeys.remove": ["Removed a passkey", "移除通行密钥"],
  "invitations.accept": ["Accepted an invitation", "接受邀请"],
  "invitations.decline": ["Declined an invitation", "拒绝邀请"],
  "merchants.create": ["Created a merchant", "创建商户"],
  "orders.closePayment": ["Closed an unmatched payment", "处理未匹配付款"],
  "orders.list": ["Viewed orders", "查看订单"],
  "timelines.get": ["Viewed an order", "查看订单详情"],
  "webhook_deliveries.list": ["Viewed deliveries", "查看投递"],
  "webhook_deliveries.get": ["Viewed a delivery", "查看投递详情"],
  "lookup.overview": ["Viewed the merchant's overview", "查看商户概览"],
  "lookup.search": ["Searched the merchant", "搜索商户"],
  "lookup.refunds": ["Viewed refunds", "查看退款"],
  "lookup.disputes": ["Viewed disputes", "查看争议"],
  "lookup.paymentLinks": ["Viewed payment links", "查看支付链接"],
  "lookup.balanceTransactions": ["Viewed the ledger", "查看账本"],
  "lookup.events": ["Viewed events", "查看事件"],
  "lookup.webhookEndpoints": ["Viewed webhook endpoints", "查看 Webhook 端点"],
  "lookup.logs": ["Viewed API logs", "查看 API 日志"],
  "cluster.kill": ["Killed a runner", "终止节点"],
  "cluster.drain": ["Drained a runner", "排空节点"],
  "operators.create": ["Created an operator token", "创建运营令牌"],
  "operators.revoke": ["Revoked an operator token", "吊销运营令牌"],
  "stray_sessions.close": ["Closed a stray payment", "关闭无主付款"],
  "webhook_signing_secret.get": ["Read the account's signing secret", "查看账户签名密钥"],
  "webhook_signing_secret.rotate": ["Rolled the account's signing secret", "轮换账户签名密钥"],
  "webhook_endpoints.rotate_secret": ["Rolled an endpoint's secret", "轮换端点密钥"],
  "leaked_keys.report": ["Reported a leaked key", "上报泄露的密钥"]
}

export const auditWords = Object.keys(words)

export const actText = (act: string, language: Language): string => {
  const name = act.replace("console:", "")
  const text = words[name]
  return text === undefined ? name : wordsIn({ en: text[0], zh: text[1] }, language)
}

/** The object of a target, which is a path: its last number that is not the merchant's. */
export const objectOf = (target: string): string | undefined =>
  target.match(/(?:TRD_SB_|[A-Za-z]+_)[0-9A-HJKMNP-TV-Z]{26}/g)?.findLast((number) => !number.startsWith("mer_"))

/** How an act ended. Without an entry after it the process may have ended meanwhile: a person looks at the object. */
export const outcomeOf = (phase: string, status: number | null): Outcome => {
  if (phase === "seen" || phase === "refused") return phase
  if (phase === "begun" || status === null) return "unknown"
  if (status === 202) return "accepted"
  return status < 400 ? "done" : "failed"
}
type Outcome = "accepted" | "done" | "failed" | "refused" | "seen" | "unknown"
