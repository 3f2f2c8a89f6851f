/** The acts of a merchant's audit log in words, and the object that each is about. */
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
  "webhook_endpoints.signingSecret": ["Read the account's signing secret", "查看账户签名密钥"],
  "webhook_deliveries.resend": ["Resent a delivery", "重新发送投递"],
  "test_helpers.pay": ["Played the buyer", "模拟买家付款"],
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
  "exports.merchant": ["Exported the merchant's data", "导出商户数据"]
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
