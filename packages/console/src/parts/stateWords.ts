/** The states of objects, and other words of the API, in each language. Two that stand beside each other differ. */
import { type Language, wordsIn, type Worded } from "./words.ts"

export const stateWords: Worded<Readonly<Record<string, string>>> = {
  en: { api: "API" },
  zh: {
    ok: "正常",
    warning: "警告",
    error: "错误",
    "not applicable": "不适用",
    paid: "已付款",
    succeeded: "成功",
    won: "胜诉",
    delivered: "已送达",
    active: "启用",
    approved: "已批准",
    completed: "已完成",
    pending: "待处理",
    processing: "处理中",
    under_review: "审核中",
    requested: "已申请",
    partially_refunded: "部分退款",
    refunded: "已退款",
    needs_response: "待回应",
    failed: "失败",
    lost: "败诉",
    disabled: "停用",
    expired: "已过期",
    suspended: "已暂停",
    rejected: "已拒绝",
    enabled: "启用",
    verified: "已验证",
    paused: "已暂停",
    closed: "已关闭",
    inactive: "停用",
    accepted: "已接受",
    kept: "已保留，未发送",
    sent: "已发送",
    skipped: "已跳过",
    // States of operators' pages.
    unapproved: "未批准",
    revoked: "已撤销",
    open: "未解决",
    agreed: "已一致",
    running: "进行中",
    done: "完成",
    begun: "开始",
    refused: "被拒绝",
    seen: "查看",
    alive: "在线",
    silent: "无响应",
    gone: "已离线",
    owner: "所有者",
    developer: "开发者",
    support: "客服",
    finance: "财务",
    viewer: "只读",
    admin: "管理员",
    channel: "渠道",
    bank: "银行",
    merchant: "商户",
    operator: "运营方",
    receiver: "接收方",
    mail_server: "邮件服务器",
    order: "订单",
    refund: "退款",
    dispute: "争议",
    payout: "提现",
    request: "请求",
    unapplied_payment: "未入账付款",
    ledger: "账本",
    event: "事件",
    delivery: "投递",
    attempt: "尝试",
    receipt: "收据",
    payment_link: "支付链接",
    balance_transaction: "账本记录",
    webhook_delivery: "投递",
    webhook_endpoint: "Webhook 端点",
    api_log: "API 日志",
    api: "API",
    console: "控制台",
    sandbox: "沙盒",
    live: "正式"
  }
}

export const stateText = (state: string, language: Language): string =>
  wordsIn(stateWords, language)[state] ?? state.charAt(0).toUpperCase() + state.slice(1).replaceAll("_", " ")

/** States, or other words of the API, as the choices of a field or a filter. */
export const stateChoices = (states: ReadonlyArray<string>, language: Language) =>
  states.map((state) => [state, stateText(state, language)] as const)

/** The list of what operators have to look at: in their menu, and where it is named elsewhere. */
export const attention = { en: { title: "Needs attention" }, zh: { title: "需关注" } }
