/** Who is notified of what, and what a mail says (silences: U50). */
import { type ConsoleActName, merchantAct, merchantActs, type Operation } from "@coffer/contract/acts"
import { Mode } from "@coffer/model/Ids"
import type { MerchantId } from "@coffer/model/Ids"
import { occasionNames, occasionOf, pageOfOccasion } from "@coffer/model/Occasion"
import { PersonRole } from "@coffer/model/PersonRole"
import { covers } from "@coffer/model/Scopes"
import { heardBy, isMailWanted } from "@coffer/rules/notifications/mayHear"
import { personMayDo } from "@coffer/rules/people/mayDo"
import { scopesOfRole } from "@coffer/rules/people/roleScopes"
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { readFileSync } from "node:fs"
import { type Item, notificationMail } from "../../src/reads/notifications/notificationMail.ts"

const item: Item = {
  occasion: "dispute_opened",
  object_id: "dsp_1",
  mode: "live",
  amount: 1_999,
  currency: "USD",
  deadline: DateTime.makeUnsafe("2026-11-30T09:00:00Z"),
  about: null
}
const merchant = { merchant_id: "mer_1" as MerchantId, name: "Books", time_zone: "Asia/Shanghai" }
const base = {
  id: "ntf_1",
  to: "ada@shop.example",
  language: "en",
  merchant,
  publicUrl: "https://pay.example"
} as const

describe("who is notified", () => {
  it("no role gets a notification or a mail of what it may not read, whatever it has switched on", () => {
    const all = Object.fromEntries(occasionNames.map((occasion) => [occasion, true]))
    for (const role of PersonRole.literals) {
      for (const mode of Mode.literals) {
        for (const occasion of occasionNames) {
          const act = occasionOf(occasion).reads
          const mayRead =
            act in merchantActs
              ? covers(scopesOfRole(role, mode), merchantAct(act as Operation).scope)
              : personMayDo(role, act as ConsoleActName)
          const name = `${role} ${mode} ${occasion}`
          assert.strictEqual(heardBy(role, mode).includes(occasion), mayRead, name)
          assert.strictEqual(isMailWanted(role, mode, occasion, all), mayRead && mode === "live", name)
          assert.isFalse(isMailWanted(role, mode, occasion, { [occasion]: false }), name)
        }
      }
    }
  })

  it("without a switch, money is mailed to owners and finance, development to owners and developers", () => {
    const mailed = (role: PersonRole) => occasionNames.filter((occasion) => isMailWanted(role, "live", occasion, {}))
    assert.deepStrictEqual(mailed("owner"), occasionNames)
    assert.deepStrictEqual(mailed("viewer"), [])
    assert.deepStrictEqual(mailed("developer"), ["endpoint_failing", "key_leaked"])
    assert.includeMembers(mailed("finance"), ["dispute_opened", "payout_failed", "payment_unmatched"])
    assert.notInclude(mailed("finance"), "key_leaked")
  })

  it("each occasion is written by a trigger of the migration, and no other is", () => {
    const file = new URL("../../src/platform/postgres/migrations/0213_notifications.ts", import.meta.url)
    const source = readFileSync(file, "utf8")
    const made = new Set(
      source.match(/'(dispute|payout|payment|endpoint|key|person)_[a-z_]+'/g)?.map((quoted) => quoted.slice(1, -1))
    )
    const computed = ["dispute_won", "dispute_lost", "dispute_due_in_3_days", "dispute_due_in_1_day"]
    assert.deepStrictEqual(
      [...made].filter((name) => !name.endsWith("_")),
      occasionNames
        .filter((name) => !computed.includes(name))
        .toSorted((a, b) => [...made].indexOf(a) - [...made].indexOf(b))
    )
  })
})

describe("the mail", () => {
  it("names the account, the object, the amount with its currency, the deadline in the merchant's zone, and what to do", () => {
    const { subject, text } = notificationMail({ ...base, items: [item] })
    assert.strictEqual(subject, "A dispute was opened: Books")
    for (const part of ["Books (mer_1)", "dsp_1", "US$19.99", "30 Nov 2026, 17:00 GMT+8", "Submit evidence"]) {
      assert.include(text, part)
    }
    assert.include(text, "https://pay.example/console/mer_1/live/disputes/dsp_1")
    assert.include(text, "https://pay.example/console/mer_1/live/notifications")
  })

  it("is in the person's language", () => {
    const { html, subject } = notificationMail({ ...base, language: "zh", items: [item] })
    assert.strictEqual(subject, "出现一笔争议：Books")
    assert.include(html, 'lang="zh-CN"')
  })

  it("takes no header and no markup from a name", () => {
    const name = "Shop\r\nBcc: eve@x.example <b>"
    const mail = notificationMail({ ...base, merchant: { ...merchant, name }, items: [item] })
    assert.notMatch(mail.subject, /[\r\n]/)
    assert.notInclude(mail.html, "<b>")
    assert.notMatch(mail.text, /^Bcc:/m)
  })

  it("of several occasions lists ten and counts the others", () => {
    const items = Array.from({ length: 24 }, (_, number) => ({ ...item, object_id: `dsp_${number}` }))
    const { subject, text } = notificationMail({ ...base, items })
    assert.strictEqual(subject, "24 notifications: Books")
    assert.include(text, "And 14 more")
    assert.strictEqual(text.split("dsp_").length - 1, 10)
  })

  it("leads to a page of each occasion's object", () => {
    for (const occasion of occasionNames) assert.match(pageOfOccasion(occasion, "x/y"), /^\/[a-z]+(\/x%2Fy)?$/)
  })
})
