/**
 * What people of a merchant are notified of, in one list. The switches, the contract, the mails, the console's texts
 * and the defaults follow from it. `reads`: the act whose right a reader needs (`@coffer/contract/acts`). `mailed`: the
 * roles that get a mail unless they have switched it off. `todo`: what to do, for people; undefined: nothing.
 */
import { Schema } from "effect"
import type { PersonRole } from "./PersonRole.ts"

interface Texts {
  readonly en: string
  readonly zh: string
}

interface Declared {
  readonly reads: string
  readonly mailed: ReadonlyArray<PersonRole>
  /** In the settings. */
  readonly label: Texts
  /** What has happened, without its object. */
  readonly title: Texts
  readonly todo?: Texts
  /** The merchant's contact address gets a mail of its own about it. */
  readonly hasContactMail?: true
}

const money: ReadonlyArray<PersonRole> = ["owner", "finance"]
const development: ReadonlyArray<PersonRole> = ["owner", "developer"]

export const occasions = {
  dispute_opened: {
    reads: "disputes.get",
    mailed: [...money, "support"],
    label: { en: "Dispute opened", zh: "出现争议" },
    title: { en: "A dispute was opened", zh: "出现一笔争议" },
    todo: { en: "Submit evidence or accept the dispute.", zh: "请提交证据或接受争议。" }
  },
  dispute_due_in_3_days: {
    reads: "disputes.get",
    mailed: [...money, "support"],
    label: { en: "Dispute due in 3 days", zh: "争议 3 天后到期" },
    title: { en: "A dispute is due in 3 days", zh: "一笔争议将在 3 天后到期" },
    todo: {
      en: "Submit evidence before the deadline, or the dispute is lost.",
      zh: "请在截止时间前提交证据，否则将败诉。"
    }
  },
  dispute_due_in_1_day: {
    reads: "disputes.get",
    mailed: [...money, "support"],
    label: { en: "Dispute due in 1 day", zh: "争议 1 天后到期" },
    title: { en: "A dispute is due in 1 day", zh: "一笔争议将在 1 天后到期" },
    todo: {
      en: "Submit evidence before the deadline, or the dispute is lost.",
      zh: "请在截止时间前提交证据，否则将败诉。"
    }
  },
  dispute_won: {
    reads: "disputes.get",
    mailed: money,
    label: { en: "Dispute won", zh: "争议胜诉" },
    title: { en: "A dispute was won", zh: "一笔争议已胜诉" }
  },
  dispute_lost: {
    reads: "disputes.get",
    mailed: money,
    label: { en: "Dispute lost", zh: "争议败诉" },
    title: { en: "A dispute was lost", zh: "一笔争议已败诉" }
  },
  payout_paid: {
    reads: "payouts.get",
    mailed: money,
    label: { en: "Payout paid", zh: "提现到账" },
    title: { en: "A payout was paid", zh: "一笔提现已到账" }
  },
  payout_failed: {
    reads: "payouts.get",
    mailed: money,
    label: { en: "Payout failed or rejected", zh: "提现失败或被拒绝" },
    title: { en: "A payout failed", zh: "一笔提现失败" },
    todo: {
      en: "The amount is in your balance again. Ask the operator of this service for the reason.",
      zh: "金额已退回余额。请向平台运营方询问原因。"
    }
  },
  payment_unmatched: {
    reads: "orders.get",
    mailed: money,
    label: { en: "Unmatched payment", zh: "无法匹配的付款" },
    title: { en: "A payment doesn't match its order", zh: "一笔付款与订单不符" },
    todo: {
      en: "It was not returned automatically. Agree with the operator of this service what happens to it.",
      zh: "该款项未能自动退回。请与平台运营方商定处理方式。"
    }
  },
  endpoint_failing: {
    reads: "webhook_endpoints.get",
    mailed: development,
    label: { en: "Webhook endpoint failing", zh: "Webhook 端点出错" },
    title: { en: "A webhook endpoint is failing", zh: "一个 Webhook 端点出错" },
    todo: { en: "Check the endpoint, then resend what failed.", zh: "请检查端点，然后重新发送失败的投递。" },
    hasContactMail: true
  },
  key_leaked: {
    reads: "api_keys.list",
    mailed: development,
    label: { en: "API key leaked", zh: "API 密钥泄露" },
    title: { en: "An API key was leaked", zh: "一个 API 密钥已泄露" },
    todo: {
      en: "Replace the key and check the recent calls in the API logs.",
      zh: "请更换密钥，并检查 API 日志中最近的调用。"
    },
    hasContactMail: true
  },
  person_joined: {
    reads: "people.list",
    mailed: ["owner"],
    label: { en: "New team member", zh: "新成员" },
    title: { en: "A person joined the team", zh: "有新成员加入" },
    todo: { en: "If you don't expect this person, remove them.", zh: "如非预期的成员，请将其移除。" }
  }
} as const satisfies Readonly<Record<string, Declared>>

export type Occasion = keyof typeof occasions
export const occasionNames = Object.keys(occasions) as ReadonlyArray<Occasion>
export const Occasion = Schema.Literals(occasionNames)

export const occasionOf = (occasion: Occasion): Declared => occasions[occasion]

/** Whether a person of this role gets mails of it who has switched nothing. */
export const isMailedTo = (role: PersonRole, occasion: Occasion): boolean => occasionOf(occasion).mailed.includes(role)

/** The page of the object behind the account's address in the console. */
export const pageOfOccasion = (occasion: Occasion, objectId: string): string => {
  const id = encodeURIComponent(objectId)
  switch (occasion) {
    case "dispute_opened":
    case "dispute_due_in_3_days":
    case "dispute_due_in_1_day":
    case "dispute_won":
    case "dispute_lost":
      return `/disputes/${id}`
    case "payout_paid":
    case "payout_failed":
      return `/payouts/${id}`
    case "payment_unmatched":
      return `/orders/${id}`
    case "endpoint_failing":
      return `/webhooks/${id}`
    case "key_leaked":
      return "/keys"
    case "person_joined":
      return "/people"
  }
}

/** Notifications that a person is shown: the newest. */
export const notificationsShown = 50
/** Mails to one person about one merchant on one day; what comes after them is one mail on the next day. */
export const notificationMailsADay = 20
