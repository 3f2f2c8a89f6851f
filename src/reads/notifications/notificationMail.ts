/**
 * The mail about what happened in an account: one occasion, or a digest of several. In the person's language. It names
 * objects and amounts, and has no words of buyers. Pure.
 */
import type { MerchantId, Mode } from "@coffer/model/Ids"
import { notificationMailsADay, type Occasion, occasionOf, pageOfOccasion } from "@coffer/model/Occasion"
import type { DateTime } from "effect"
import type { Message } from "../../shared/mail/Mailer.ts"
import { money, time } from "../../shared/pages/amounts.ts"
import { html } from "../../shared/pages/html.ts"
import { chinese, tags } from "../../shared/pages/language.ts"

export interface Item {
  readonly occasion: Occasion
  readonly object_id: string
  readonly mode: Mode
  readonly amount: number | null
  readonly currency: string | null
  readonly deadline: DateTime.Utc | null
  /** The address of a person who has joined. */
  readonly about: string | null
}

interface Mailed {
  readonly id: string
  readonly to: string
  readonly language: "en" | "zh"
  readonly merchant: { readonly merchant_id: MerchantId; readonly name: string; readonly time_zone: string }
  readonly publicUrl: string
  /** Oldest first; at least one. */
  readonly items: ReadonlyArray<Item>
}

/** Lines of a digest. The others are counted. */
const linesMax = 10

const texts = {
  en: {
    colon: ": ",
    account: "Account",
    until: "Deadline",
    open: "Open in the console",
    subject: (count: number) => `${count} notifications`,
    over: `You had ${notificationMailsADay} emails about this account on one day. This is what came after them:`,
    more: (count: number) => `And ${count} more, which the console shows.`,
    off: "Choose which emails you get:",
    main: "main key"
  },
  zh: {
    colon: "：",
    account: "账户",
    until: "截止时间",
    open: "在控制台中打开",
    subject: (count: number) => chinese`${count} 条通知`,
    over: chinese`您在一天内已收到该账户的 ${notificationMailsADay} 封邮件。以下是其后的通知：`,
    more: (count: number) => chinese`另有 ${count} 条，请在控制台中查看。`,
    off: "选择接收哪些邮件：",
    main: "主密钥"
  }
}

export const notificationMail = ({ id, items, language, merchant, publicUrl, to }: Mailed): Message => {
  const words = texts[language]
  const [first] = items
  const account = `${publicUrl}/console/${merchant.merchant_id}/${first!.mode}`
  const isDigest = items.length > 1
  const todo = occasionOf(first!.occasion).todo?.[language]
  const shown = items.slice(0, linesMax).map((item) => lineOf(item, language, merchant.time_zone))
  const more = items.length - shown.length
  const title = isDigest ? words.subject(items.length) : occasionOf(first!.occasion).title[language]
  const link = isDigest ? account : account + pageOfOccasion(first!.occasion, first!.object_id)
  const paragraphs = [
    ...(isDigest ? [words.over] : []),
    ...shown,
    ...(more > 0 ? [words.more(more)] : []),
    ...(isDigest || todo === undefined ? [] : [todo]),
    `${words.account}${words.colon}${oneLine(merchant.name)} (${merchant.merchant_id})`
  ]
  const settings = `${account}/notifications`
  return {
    id,
    to,
    fromName: "Coffer",
    subject: `${title}${words.colon}${oneLine(merchant.name)}`,
    text: [...paragraphs, link, `${words.off} ${settings}`, ""].join("\n\n"),
    html: html`<!doctype html>
      <html lang="${tags[language]}">
        <head>
          <meta charset="utf-8" />
          <title>${title}</title>
        </head>
        <body>
          <div style="${style}">
            ${paragraphs.map((text) => html`<p>${text}</p>`)}
            <p><a href="${link}" style="${button}">${words.open}</a></p>
            <p>${words.off} <a href="${settings}">${settings}</a></p>
          </div>
        </body>
      </html>`.markup
  }
}

/** `A dispute was opened · dsp_… · US$19.99 · Deadline: 30 Nov 2026, 10:00 GMT+1`. */
const lineOf = (
  { about, amount, currency, deadline, object_id, occasion }: Item,
  language: "en" | "zh",
  zone: string
) =>
  [
    occasionOf(occasion).title[language],
    about ?? (object_id === "main" ? texts[language].main : object_id),
    ...(amount === null || currency === null ? [] : [money(amount, currency, language)]),
    ...(deadline === null ? [] : [`${texts[language].until}${texts[language].colon}${time(deadline, language, zone)}`])
  ].join(" · ")

const style =
  "max-width:480px;margin:24px auto;font-family:system-ui,sans-serif;font-size:16px;line-height:1.5;color:#1b2422"
const button =
  "display:inline-block;padding:12px 20px;border-radius:10px;background:#17614f;color:#fff;text-decoration:none"

/** A subject with a line break would begin another header. */
const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim()
