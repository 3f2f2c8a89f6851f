/** The receipt as a mail, in HTML and in plain text. Styles are inline: mail programs drop style sheets. Pure. */
import type { Message } from "../../shared/mail/Mailer.ts"
import { type Content, Html, html } from "../../shared/pages/html.ts"
import { tags } from "../../shared/pages/language.ts"
import { helpOf, helpWords } from "../../shared/pages/shop.ts"
import { amountPaid, receiptLines, type ReceiptOf, receiptTexts } from "./receiptTexts.ts"

interface Sent extends ReceiptOf {
  readonly mailId: string
  readonly recipient: string
  /** The shop's logo. */
  readonly logoUrl: string | undefined
  /** The receipt's page. */
  readonly url: string
}

export const receiptMail = (sent: Sent): Message => {
  const { language, mailId, recipient, shop } = sent
  const texts = receiptTexts[language]
  return {
    id: mailId,
    to: recipient,
    fromName: shop.name,
    ...(shop.supportEmail === null ? {} : { replyTo: shop.supportEmail }),
    subject: oneLine(texts.mailSubject(shop.name, amountPaid(sent))),
    text: textOf(sent),
    html: htmlOf(sent)
  }
}

const textOf = (sent: Sent): string => {
  const { language, order, shop, url } = sent
  const texts = receiptTexts[language]
  const lines = receiptLines(sent).map(([name, value]) => `${name}: ${value}`)
  const notes = [
    `${texts.transaction}: ${order.tradeNo}`,
    texts.notTax,
    ...(order.mode === "sandbox" ? [texts.sandbox] : [])
  ]
  const lead = texts.mailLead(shop.name, amountPaid(sent))
  const contacts = [shop.supportEmail, shop.supportUrl].filter((contact) => contact !== null)
  const help = contacts.length === 0 ? [] : [`${helpWords[language].help} ${contacts.join(" ")}`, ""]
  return [lead, "", ...lines, "", `${texts.view}: ${url}`, "", ...help, ...notes, ""].join("\n")
}

const font = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,'PingFang SC','Microsoft YaHei',sans-serif"
const soft = "color:#56615e"
const small = `margin:8px 0 0;font-size:13px;${soft}`
/** On one line of the narrowest phone. */
const number = "font-size:11px;white-space:nowrap"
const page = `margin:0;padding:24px 12px;background:#f5f4f0;${font};font-size:16px;line-height:1.5;color:#1b2422`
const card =
  "max-width:480px;margin:0 auto;padding:24px;background:#fff;border:1px solid #dedbd3;border-radius:16px;" +
  "overflow-wrap:anywhere"
const logo = "display:block;height:40px;max-width:180px;margin:0 0 16px;object-fit:contain"
const button =
  "display:inline-block;padding:12px 20px;border-radius:10px;background:#17614f;color:#fff;text-decoration:none;" +
  "font-weight:600"

/** For mail programs that show mails in the dark and read style sheets; the others keep the light. */
const dark = new Html(`<style>
:root { color-scheme: light dark }
@media (prefers-color-scheme: dark) {
  .page { background: #131817 !important; color: #eef2f0 !important }
  .card { background: #1c2321 !important; border-color: #33403c !important }
  .soft { color: #a9b5b1 !important }
  .logo { background: #fff; padding: 2px; border-radius: 6px }
  .button { background: #7fd1b9 !important; color: #0d1f1a !important }
}
</style>`)

const htmlOf = (sent: Sent): string => {
  const { language, logoUrl, order, shop, url } = sent
  const texts = receiptTexts[language]
  const help = helpOf(shop, language, "color:inherit")
  const note = (content: Content) => html`<p class="soft" style="${small}">${content}</p>`
  return html`<!doctype html>
    <html lang="${tags[language]}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <meta name="color-scheme" content="light dark" />
        <title>${texts.title}</title>
        ${dark}
      </head>
      <body class="page" style="${page}">
        <div class="card" style="${card}">
          ${logoUrl && html`<img class="logo" src="${logoUrl}" alt="" height="40" style="${logo}" />`}
          <p class="soft" style="margin:0;${soft}">${texts.title}</p>
          <h1 style="margin:0 0 16px;font-size:28px;line-height:1.25">${amountPaid(sent)}</h1>
          <p style="margin:0 0 16px">${texts.mailLead(shop.name, amountPaid(sent))}</p>
          <table role="presentation" style="width:100%;border-collapse:collapse;font-size:15px">
            ${receiptLines(sent).map(([name, value]) => rowOf(name, value))}
          </table>
          <p style="margin:24px 0">
            <a class="button" href="${url}" style="${button}">${texts.view}</a>
          </p>
          ${help && note(help)} ${note(html`${texts.transaction} <span style="${number}">${order.tradeNo}</span>`)}
          ${note(texts.notTax)} ${order.mode === "sandbox" ? note(texts.sandbox) : undefined}
        </div>
      </body>
    </html> `.markup
}

const rowOf = (name: string, value: string) =>
  html`<tr>
    <td class="soft" style="padding:6px 12px 6px 0;${soft};vertical-align:top;white-space:nowrap">${name}</td>
    <td style="padding:6px 0;text-align:right"><bdi>${value}</bdi></td>
  </tr>`

/** A header has one line, whatever the merchant is called. */
const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim()
