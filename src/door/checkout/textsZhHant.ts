/** The texts of checkout and payment links in Chinese with traditional characters. */
import { chinese } from "../../shared/pages/language.ts"
import type { Texts } from "./texts.ts"

export const zhHant: Texts = {
  shop: "商家",
  name: { short: "繁", whole: "繁體中文" },

  order: {
    pay: "付款",
    noSubject: "您的訂單",
    number: "訂單編號",
    subject: "商品",
    amount: "金額",
    refunded: "已退款",
    refundedAt: "退款時間",
    payableUntil: "付款期限",
    until: "{when}",
    paidAt: "付款時間",
    paidWith: "付款方式",
    madeAt: "下單時間",
    expiredAt: "過期時間"
  },

  next: {
    heading: "接下來",
    here: (shop) => chinese`您在此頁面或錢包應用程式中向${shop}付款。`,
    hosted: (provider, shop) => chinese`您在${provider}的安全頁面向${shop}付款。`,
    mailed: "收據將寄至您的電子郵件。",
    shown: "付款後可立即在此查看收據。",
    back: (shop) => chinese`您將返回${shop}。`
  },

  form: {
    method: "付款方式",
    express: "快速付款",
    or: "或選擇其他付款方式",
    number: "卡號",
    expiry: "到期日",
    expiryForm: "月/年",
    cvc: "安全碼",
    cvcForm: "CVC",
    pay: (amount) => chinese`支付${amount}`,
    expressBy: (method) => chinese`使用${method}付款`,
    walletHint: (method) => chinese`您將在${method}中確認付款。`,
    hostedHint: (provider, amount) => chinese`您將在付款服務商${provider}的安全頁面支付${amount}，完成後返回此頁。`,
    goTo: (method) => (method === "" ? "前往安全的信用卡付款頁面" : chinese`前往${method}付款`),
    trust: "您的付款資料已加密傳輸。",
    mail: "以電子郵件接收收據",
    email: "電子郵件（選填）",
    emailUse: (shop) => chinese`用於寄送收據，${shop}也會看到。`,
    emailKept: "已記錄您的電子郵件。如需更改，請輸入新的地址。",
    busy: "處理中…",
    triesLeft: (left) => chinese`您還可以嘗試${left}次，之後需等待十分鐘。`,
    testCards: "測試卡",
    testCardsUse: "到期日填寫任何未來日期，安全碼任意。",
    testCardDoes: {
      succeed: "付款成功",
      declined: "被拒絕",
      insufficientFunds: "被拒絕：餘額不足",
      cardExpired: "被拒絕：卡片已過期",
      callBank: "被拒絕：請聯絡發卡銀行",
      redirect: "需要 3-D Secure 驗證",
      processing: "稍後付款成功"
    }
  },

  mistakes: {
    number: "請檢查卡號。",
    expiry: "請檢查到期日：卡片可能已過期。",
    cvc: "請輸入 3 位或 4 位安全碼。",
    email: "請輸入電子郵件，例如 name@example.com，或留空。"
  },
  missing: { number: "請輸入卡號。", expiry: "請輸入到期日。", cvc: "請輸入安全碼。" },

  notices: {
    declined: { title: "付款被拒絕", text: "未扣款。請重試，或改用其他付款方式。" },
    tooManyDeclines: {
      title: "付款被拒絕的次數過多",
      text: "未扣款。請等待十分鐘，再使用其他卡片或付款方式重試。"
    },
    insufficientFunds: { title: "付款被拒絕：餘額不足", text: "未扣款。請使用其他卡片或付款方式。" },
    cardExpired: { title: "付款被拒絕：卡片已過期", text: "未扣款。請使用其他卡片。" },
    callBank: {
      title: "付款被拒絕：請聯絡發卡銀行",
      text: "未扣款。請撥打卡片背面的電話授權此筆付款，或使用其他卡片。"
    },
    cancelled: { title: "您已取消付款", text: "未扣款。您可以隨時使用任何付款方式繼續付款。" },
    unverified: { title: "付款被拒絕：發卡銀行未能完成驗證", text: "未扣款。請重試，或改用其他付款方式。" },
    notATestCard: {
      title: "付款被拒絕：請使用測試卡",
      text: "目前為沙盒環境，不會向真實卡片扣款。請使用下方的測試卡。"
    },
    notOffered: { title: "商家不支援此付款方式", text: "未扣款。請選擇上方的付款方式。" },
    notTaken: { title: "此訂單無法使用該付款方式", text: "未扣款。請選擇其他付款方式，或聯絡商家。" },
    amountNotTaken: { title: "此金額無法在此付款", text: "未扣款。金額低於或高於可付款的範圍，請聯絡商家。" },
    mistaken: { title: "請檢查卡片資料", text: "未扣款。" },
    unreadable: { title: "提交的資料不完整", text: "未扣款，請重試。" }
  },

  wallet: {
    heading: (method) => chinese`請在${method}中確認付款`,
    text: (method) => chinese`此頁面用於模擬${method}應用程式，請在此選擇買家的操作。`,
    scan: (method) => chinese`請用手機掃描二維碼，使用${method}付款。付款後此頁面會自動更新。`,
    code: (method) => chinese`${method}付款二維碼`,
    confirm: "確認付款",
    cancel: "取消"
  },

  threeDs: {
    heading: "驗證您的付款",
    text: "此頁面用於模擬發卡銀行，請在此選擇 3-D Secure 驗證的結果。",
    confirm: "驗證成功",
    cancel: "驗證失敗"
  },

  leaving: {
    heading: "正在前往付款頁面",
    text: "付款由付款服務商處理，完成後將返回此頁面。",
    go: "繼續付款"
  },

  processing: {
    heading: "付款處理中",
    text: "發卡銀行正在處理您的付款，請勿重複付款。處理完成後此頁面會自動更新。",
    again: "重新查看"
  },

  paid: {
    heading: "付款成功",
    text: (amount, shop) => chinese`您已向${shop}支付${amount}，謝謝惠顧。`,
    mailed: "收據正在寄往您的電子郵件。",
    close: "您可以關閉此頁面。",
    headingLater: "此訂單已付款",
    textLater: (amount, shop) => chinese`您已向${shop}支付${amount}，無需再進行任何操作。`
  },
  held: {
    heading: "付款已授權",
    text: (amount, shop) => chinese`銀行已為${shop}保留${amount}，目前尚未扣款。`,
    later: "商家確認訂單後才會扣款，金額不會超過保留金額，未扣的部分會釋放。"
  },
  refunded: {
    heading: "此訂單已退款",
    text: (amount, shop) => chinese`${shop}已將${amount}退回原付款方式，銀行可能需要幾天時間入帳。`
  },
  back: {
    soon: "{n} 秒後返回商家頁面。",
    stay: "留在此頁",
    receipt: "查看收據",
    link: (shop) => chinese`返回${shop}`
  },

  closed: {
    heading: "付款連結已過期",
    text: (shop) => chinese`此訂單已無法付款。如仍需購買，請在${shop}重新下單。`,
    refund: "如已扣款，款項將自動退回。"
  },
  ended: {
    heading: "此訂單已關閉",
    text: (shop) => chinese`${shop}已在付款前關閉此訂單。如仍需購買，請重新下單。`
  },
  failed: {
    heading: "付款失敗",
    text: (shop) => chinese`此訂單已無法付款。如仍需購買，請在${shop}重新下單。`
  },
  invalidLink: {
    heading: "連結無效",
    text: "連結可能不完整。請從商家頁面或收到的訊息中重新開啟。"
  },
  unreachable: {
    heading: "付款服務暫時沒有回應",
    text: "未扣款，請稍後重試。",
    again: "重試"
  },
  uncertain: {
    heading: "尚未收到付款結果",
    text: "您的付款可能已經成功。再次付款前，請先重新查看結果。",
    again: "重新查看"
  },
  link: {
    visit: "前往付款",
    unknown: { heading: "付款連結不存在", text: "網址可能不完整。請從原處重新開啟。" },
    inactive: { heading: "付款連結已停用", text: "請聯絡傳送連結的人，取得新的連結。" },
    expired: { heading: "付款連結已過期", text: "請聯絡傳送連結的人，取得新的連結。" },
    used_up: { heading: "付款連結已達使用次數上限", text: "請聯絡傳送連結的人，取得新的連結。" },
    unavailable: { heading: "此連結暫時無法收款", text: "請稍後重試，或聯絡商家。" },
    tooOften: {
      heading: "造訪過於頻繁",
      text: "一分鐘內從您的網路開啟此連結的次數過多，請稍候再試。",
      again: "重試"
    }
  },
  live: {
    heading: "尚未開通付款方式",
    text: "商家暫時無法在此收款。您未被扣款。"
  }
}
