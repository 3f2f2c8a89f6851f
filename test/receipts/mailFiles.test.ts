/** Mails as files, where there is no mail server (src/shared/mail/Mailer.ts). */
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { mailFilesMax } from "../../src/shared/mail/Mailer.ts"
import { DataDir } from "../../src/platform/runtime/DataDir.ts"
import { merchantOf } from "../kit/Merchant.ts"
import { start } from "../kit/Service.ts"

it.live("the folder of mails keeps those that were written last, a thousand of them", () =>
  Effect.gen(function* () {
    const running = yield* start({ clock: "test" })
    const folder = `${Context.get(running.context as Context.Context<DataDir>, DataDir).path}/mails`
    mkdirSync(folder, { recursive: true })
    for (let number = 0; number < mailFilesMax + 4; number++) {
      const file = `${folder}/mail_${number}.eml`
      writeFileSync(file, "Dear")
      utimesSync(file, number, number)
    }
    const shop = merchantOf(running)
    const { trade_no } = yield* shop.paid(100)
    yield* shop.post(`/v1/orders/${String(trade_no)}/send_receipt`, { email: "reader@example.com" })
    yield* running.atRest
    const left = new Set(readdirSync(folder))
    assert.strictEqual(left.size, mailFilesMax)
    assert.deepStrictEqual(
      Array.from({ length: 6 }, (_, number) => left.has(`mail_${number}.eml`)),
      [false, false, false, false, false, true]
    )
  })
)
