/** The texts of checkout and payment links in Chinese. */
import { chinese } from "../../shared/pages/language.ts"
import type { Texts } from "./texts.ts"

export const zh: Texts = {
  shop: "商家",
  name: { short: "简", whole: "简体中文" },

  order: {
    pay: "支付",
    noSubject: "您的订单",
    number: "订单号",
    subject: "商品",
    amount: "金额",
    refunded: "已退款",
    refundedAt: "退款时间",
    payableUntil: "付款截止",
    until: "{when}",
    paidAt: "付款时间",
    paidWith: "付款方式",
    madeAt: "下单时间",
    expiredAt: "过期时间"
  },

  next: {
    heading: "接下来",
    here: (shop) => chinese`您在此页面或钱包应用中向${shop}付款。`,
    hosted: (provider, shop) => chinese`您在${provider}的安全页面向${shop}付款。`,
    mailed: "收据将发送至您的邮箱。",
    shown: "付款后可立即在此查看收据。",
    back: (shop) => chinese`您将返回${shop}。`
  },

  form: {
    method: "付款方式",
    express: "快捷支付",
    or: "或选择其他付款方式",
    number: "卡号",
    expiry: "有效期",
    expiryForm: "月/年",
    cvc: "安全码",
    cvcForm: "CVC",
    pay: (amount) => chinese`支付${amount}`,
    expressBy: (method) => chinese`使用${method}付款`,
    walletHint: (method) => chinese`您将在${method}中确认付款。`,
    hostedHint: (provider, amount) => chinese`您将在支付服务商${provider}的安全页面支付${amount}，完成后返回此页。`,
    goTo: (method) => (method === "" ? "前往安全的银行卡支付页面" : chinese`前往${method}付款`),
    trust: "您的付款信息已加密传输。",
    mail: "通过邮件接收收据",
    email: "邮箱地址（选填）",
    emailUse: (shop) => chinese`用于发送收据，${shop}也会看到。`,
    emailKept: "已记录您的邮箱。如需更改，请输入新的邮箱。",
    busy: "处理中…",
    triesLeft: (left) => chinese`您还可以尝试${left}次，之后需等待十分钟。`,
    testCards: "测试卡",
    testCardsUse: "有效期填写任意未来日期，安全码任意。",
    testCardDoes: {
      succeed: "支付成功",
      declined: "被拒绝",
      insufficientFunds: "余额不足",
      cardExpired: "卡片已过期",
      callBank: "需联系发卡行",
      redirect: "需要 3-D Secure 验证",
      processing: "稍后支付成功"
    }
  },

  mistakes: {
    number: "请检查卡号：有数字输入有误或缺失。",
    expiry: "请检查月份和年份：卡片可能已过期。",
    cvc: "请输入 3 位或 4 位安全码。",
    email: "请输入邮箱地址，例如 name@example.com，或留空。"
  },
  missing: { number: "请输入卡号。", expiry: "请输入有效期。", cvc: "请输入安全码。" },

  notices: {
    declined: { title: "付款被拒绝", text: "未扣款。请重试，或更换其他付款方式。" },
    tooManyDeclines: { title: "付款被拒绝的次数过多", text: "未扣款。请等待十分钟，再使用其他银行卡或付款方式重试。" },
    insufficientFunds: { title: "付款被拒绝：余额不足", text: "此卡余额不足，未扣款。请使用其他银行卡或付款方式。" },
    cardExpired: { title: "付款被拒绝：卡片已过期", text: "发卡行不再受理此卡，未扣款。请使用其他银行卡。" },
    callBank: {
      title: "付款被拒绝：请联系发卡行",
      text: "未扣款。请拨打卡片背面的客服电话授权此笔付款，或使用其他银行卡。"
    },
    cancelled: { title: "您已取消付款", text: "未扣款。您可以随时使用任意付款方式继续付款。" },
    unverified: { title: "付款被拒绝：发卡行未能完成验证", text: "未扣款。请重试，或更换其他付款方式。" },
    notATestCard: {
      title: "付款被拒绝：请使用测试卡",
      text: "当前为沙盒环境，不会向真实银行卡扣款。请使用下方的测试卡。"
    },
    notOffered: { title: "商家不支持此付款方式", text: "未扣款。请选择上方的付款方式。" },
    notTaken: { title: "此订单无法使用该付款方式", text: "未扣款。请选择其他付款方式，或联系商家。" },
    amountNotTaken: {
      title: "此金额无法在此支付",
      text: "未扣款。金额低于或高于可支付的范围，请联系商家。"
    },
    mistaken: { title: "请检查银行卡信息", text: "未扣款。" },
    unreadable: { title: "提交的信息不完整", text: "未扣款，请重试。" }
  },

  wallet: {
    heading: (method) => chinese`请在${method}中确认付款`,
    text: (method) => chinese`此页面用于模拟${method}应用，请在此选择买家的操作。`,
    scan: (method) => chinese`请用手机扫描二维码，使用${method}付款。付款后本页面会自动更新。`,
    code: (method) => chinese`${method}付款二维码`,
    confirm: "确认付款",
    cancel: "取消"
  },

  threeDs: {
    heading: "验证您的付款",
    text: "此页面用于模拟发卡行，请在此选择 3-D Secure 验证的结果。",
    confirm: "验证成功",
    cancel: "验证失败"
  },

  leaving: {
    heading: "正在前往付款页面",
    text: "付款由支付服务商处理，完成后将返回此页面。",
    go: "继续付款"
  },

  processing: {
    heading: "付款处理中",
    text: "发卡行正在处理您的付款，请勿重复支付。处理完成后本页面会自动更新。",
    again: "刷新状态"
  },

  paid: {
    heading: "付款成功",
    text: (amount, shop) => chinese`您已向${shop}支付${amount}，谢谢惠顾。`,
    mailed: "收据正在发送至您的邮箱。",
    close: "您可以关闭此页面。",
    headingLater: "此订单已付款",
    textLater: (amount, shop) => chinese`您已向${shop}支付${amount}，无需再进行任何操作。`
  },
  held: {
    heading: "付款已授权",
    text: (amount, shop) => chinese`银行已为${shop}冻结${amount}，目前尚未扣款。`,
    later: "商家确认订单后才会扣款，金额不会超过冻结金额，未扣的部分会解冻。"
  },
  refunded: {
    heading: "此订单已退款",
    text: (amount, shop) => chinese`${shop}已将${amount}原路退回，银行可能需要几天时间到账。`
  },
  back: {
    soon: "{n} 秒后返回商家页面。",
    stay: "留在此页",
    receipt: "查看收据",
    link: (shop) => chinese`返回${shop}`
  },

  closed: {
    heading: "付款链接已过期",
    text: (shop) => chinese`此订单已无法付款。如仍需购买，请在${shop}重新下单。`,
    refund: "如已扣款，款项将自动退回。"
  },
  ended: {
    heading: "此订单已关闭",
    text: (shop) => chinese`${shop}已在付款前关闭此订单。如仍需购买，请重新下单。`
  },
  failed: {
    heading: "付款失败",
    text: (shop) => chinese`此订单已无法付款。如仍需购买，请在${shop}重新下单。`
  },
  invalidLink: {
    heading: "链接无效",
    text: "链接可能不完整。请从商家页面或收到的消息中重新打开。"
  },
  unreachable: {
    heading: "支付服务暂时无响应",
    text: "未扣款，请稍后重试。",
    again: "重试"
  },
  uncertain: {
    heading: "尚未收到付款结果",
    text: "您的付款可能已经成功。再次付款前，请先刷新查看结果。",
    again: "刷新状态"
  },
  link: {
    visit: "前往付款",
    unknown: { heading: "付款链接不存在", text: "地址可能不完整。请从原处重新打开。" },
    inactive: { heading: "付款链接已停用", text: "请联系发送链接的人，获取新的链接。" },
    expired: { heading: "付款链接已过期", text: "请联系发送链接的人，获取新的链接。" },
    used_up: { heading: "付款链接已达使用次数上限", text: "请联系发送链接的人，获取新的链接。" },
    unavailable: { heading: "此链接暂时无法收款", text: "请稍后重试，或联系商家。" },
    tooOften: {
      heading: "访问过于频繁",
      text: "一分钟内从您的网络打开此链接的次数过多，请稍候再试。",
      again: "重试"
    }
  },
  live: {
    heading: "尚未开通付款方式",
    text: "商家暂时无法在此收款。您未被扣款。"
  }
}
