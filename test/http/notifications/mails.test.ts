/** Mails about what happened in an account: to whom, how often, and what is in them (docs/decisions/0243). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { mailServer } from "../../kit/servers/MailServer.ts"
import { start } from "../../kit/Service.ts"
import { notifiedShop, toldOf } from "../../kit/stories/notified.ts"

const begin = Effect.gen(function* () {
  const mails = yield* mailServer()
  const env = { SMTP_URL: mails.url, MAIL_FROM: "coffer@pay.example" }
  const running = yield* start({ clock: "test", env })
  return { ...(yield* notifiedShop(running, mails)), mails }
})
const subjectsOf = (mails: ReadonlyArray<string>) => mails.map((mail) => /^Subject: (.+)$/im.exec(mail)?.[1])

it.live("each person whose role is for it gets one mail about a live dispute, and the sandbox sends none", () =>
  Effect.gen(function* () {
    const { api, dispute, join, liveDispute, mails, merchantId, pass } = yield* begin
    const ada = yield* join("ada", "owner")
    const fin = yield* join("fin", "finance")
    yield* join("dev", "developer")
    const eve = yield* join("eve", "viewer")
    yield* liveDispute("dsp_live1")
    yield* pass("2 minutes")
    assert.deepStrictEqual(toldOf(mails, "dsp_live1"), [ada.email, fin.email])
    assert.deepStrictEqual(toldOf(mails, dispute), [])
    const mail = mails.notifications.find((each) => each.includes("To: fin@"))!.replaceAll("=\r\n", "")
    assert.match(mail, /^Subject: A dispute was opened: /m)
    assert.include(mail, `${api.url}/console/${merchantId}/live/disputes/dsp_live1`)
    assert.include(mail, `${api.url}/console/${merchantId}/live/notifications`)
    assert.match(mail, /US\$19\.99/)
    assert.match(mail, /Deadline: 8 Jan 1970/)
    assert.notInclude(mail, "List-Unsubscribe")
    assert.deepStrictEqual(
      (yield* eve.bell()).map(({ object_id }) => object_id).filter((id) => id.startsWith("dsp_")),
      ["dsp_live1"]
    )
    yield* pass("3 hours")
    assert.lengthOf(toldOf(mails, "dsp_live1"), 2)
  }).pipe(Effect.scoped)
)

it.live("a deadline is mailed three days and one day ahead, and not once the dispute is decided", () =>
  Effect.gen(function* () {
    const { decide, join, leap, liveDispute, mails } = yield* begin
    const { email } = yield* join("fin", "finance")
    yield* liveDispute("dsp_waits")
    yield* liveDispute("dsp_ends")
    yield* leap("3 days")
    assert.lengthOf(toldOf(mails, "dsp_waits"), 1)
    yield* leap("30 hours")
    assert.lengthOf(toldOf(mails, "dsp_waits"), 2)
    assert.lengthOf(toldOf(mails, "dsp_ends"), 2)
    yield* decide("dsp_ends", "won")
    yield* leap("2 days")
    assert.deepStrictEqual(toldOf(mails, "dsp_waits"), [email, email, email])
    const subjects = subjectsOf(mails.notifications.filter((mail) => mail.replaceAll("=\r\n", "").includes("dsp_ends")))
    assert.deepStrictEqual(
      subjects.map((subject) => subject?.split(":")[0]),
      ["A dispute was opened", "A dispute is due in 3 days", "A dispute was won"]
    )
  }).pipe(Effect.scoped)
)

it.live(
  "who has switched an occasion off gets no mail of it, and still finds it in the console, in each language",
  () =>
    Effect.gen(function* () {
      const { join, liveDispute, mails, pass } = yield* begin
      const fin = yield* join("fin", "finance")
      const ada = yield* join("ada", "owner")
      const before = yield* fin.settings
      assert.strictEqual(before.email, fin.email)
      assert.deepInclude(before.occasions, { occasion: "dispute_opened", is_mailed: true })
      assert.deepInclude(before.occasions, { occasion: "key_leaked", is_mailed: false })
      const after = yield* fin.change({ mails: { dispute_opened: false, key_leaked: true } })
      assert.deepInclude(after.body.data.occasions, { occasion: "dispute_opened", is_mailed: false })
      assert.deepInclude(after.body.data.occasions, { occasion: "key_leaked", is_mailed: true })
      assert.deepInclude(after.body.data.occasions, { occasion: "payout_paid", is_mailed: true })
      yield* ada.change({ language: "zh" })
      yield* liveDispute("dsp_off")
      yield* pass("2 minutes")
      assert.deepStrictEqual(toldOf(mails, "dsp_off"), [ada.email])
      assert.match(mails.notifications.at(-1)!, /lang=3D"zh-CN"|lang="zh-CN"|base64/)
      assert.include(
        (yield* fin.bell()).map(({ object_id }) => object_id),
        "dsp_off"
      )
      assert.strictEqual((yield* fin.change({ mails: { nothing: true } })).status, 400)
      assert.strictEqual((yield* ada.settings).language, "zh")
    }).pipe(Effect.scoped)
)

it.live("a person who was removed before the mail server took the mail gets nothing", () =>
  Effect.gen(function* () {
    const { api, join, liveDispute, mails, merchantId, pass } = yield* begin
    const ada = yield* join("ada", "owner")
    const fin = yield* join("fin", "finance")
    yield* pass("2 minutes")
    mails.behave({ refuse: 451 })
    yield* liveDispute("dsp_gone")
    yield* pass("1 minute")
    yield* api.operator("POST", `/people/${fin.person_id}/remove`, { merchant_id: merchantId })
    mails.behave("take")
    yield* pass("3 hours")
    assert.deepStrictEqual(toldOf(mails, "dsp_gone"), [ada.email])
  }).pipe(Effect.scoped)
)

it.live("a mail that may have been taken is not sent again, and one that was refused for good neither", () =>
  Effect.gen(function* () {
    const { join, liveDispute, mails, pass, sql } = yield* begin
    yield* join("fin", "finance")
    mails.behave("cut")
    yield* liveDispute("dsp_cut")
    yield* pass("1 day")
    mails.behave({ refuse: 550 })
    yield* liveDispute("dsp_refused")
    yield* pass("1 day")
    mails.behave("take")
    yield* pass("1 day")
    assert.lengthOf(toldOf(mails, "dsp_cut"), 1)
    assert.lengthOf(toldOf(mails, "dsp_refused"), 0)
    const rows = yield* sql<{ readonly status: string }>`select status from notification_mails m
      join notifications n using (notification_id) where object_id in ('dsp_cut', 'dsp_refused') order by object_id`
    assert.deepStrictEqual(
      rows.map(({ status }) => status),
      ["unknown", "failed"]
    )
  }).pipe(Effect.scoped)
)

it.live(
  "after twenty mails on one day the others come in one mail on the next, which counts those it does not list",
  () =>
    Effect.gen(function* () {
      const { join, leap, liveDispute, mails, pass } = yield* begin
      yield* join("fin", "finance")
      for (let number = 0; number < 34; number++) yield* liveDispute(`dsp_many${number}`, 60)
      yield* pass("10 minutes")
      assert.lengthOf(mails.notifications, 20)
      yield* leap("1 day")
      assert.lengthOf(mails.notifications, 21)
      const digest = mails.notifications.at(-1)!.replaceAll("=\r\n", "")
      assert.match(digest, /^Subject: 14 notifications: /m)
      assert.include(digest, "And 4 more")
      yield* leap("2 days")
      assert.lengthOf(mails.notifications, 21)
    }).pipe(Effect.scoped)
)
