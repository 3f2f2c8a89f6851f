/** The bound of a merchant's files, and when a file is removed (silences: D23). */
import { assert, describe, it } from "@effect/vitest"
import { filesBytesMax } from "@coffer/model/Limits"
import { Effect } from "effect"
import { disputed } from "../../kit/stories/disputed.ts"
import { assertRefused, said } from "../../kit/Merchant.ts"
import { type Running, start } from "../../kit/Service.ts"
import { png } from "../../kit/pages/png.ts"
import { fileOf, filePart, formOf, modePart, upload, uploaded, uploadOwn } from "../../kit/callers/uploads.ts"

const held = ({ sql }: Running, merchantId: string) =>
  Effect.map(
    sql<{ bytes: number }>`select bytes::int4 as bytes from file_bytes where merchant_id = ${merchantId}
      and mode = 'sandbox'`,
    ([row]) => row?.bytes
  )

const names = ({ sql }: Running) =>
  Effect.map(sql<{ name: string }>`select name from files`, (rows) => rows.map((row) => row.name))

const status = (url: string) => Effect.promise(async () => (await fetch(url)).status)

describe("the files of a merchant", () => {
  it.live("hold no more than they may, also when many come at once, and what is refused leaves nothing behind", () =>
    Effect.gen(function* () {
      const running = yield* start()
      const { baseUrl, merchant, sql } = running
      const { merchantId, sandboxKey } = merchant
      yield* sql`insert into file_bytes values (${merchantId}, 'sandbox', ${filesBytesMax.sandbox - 2_500})`
      const send = uploadOwn(baseUrl, sandboxKey, formOf(filePart(fileOf("pdf", 1_000))))
      const replies = yield* Effect.replicateEffect(send, 12, { concurrency: "unbounded" })
      assert.deepStrictEqual(replies.map(({ status }) => status).toSorted(), [
        201,
        201,
        ...Array.from({ length: 10 }, () => 400)
      ])
      const refused = replies.find(({ status }) => status === 400)!
      assertRefused({ ...refused, headers: new Headers(), text: "" }, 400, "invalid_request", "file")
      assert.lengthOf(yield* names(running), 2)
      assert.strictEqual(yield* held(running, merchantId), filesBytesMax.sandbox - 500)
      const other = yield* running.api.newMerchant()
      yield* uploaded(running, other.merchantId)
    })
  )

  it.live("go after a week when nothing names them, and make room; evidence, drafts and logos stay", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      const { api, pass } = running
      const { merchantId, no, respond, shop } = yield* disputed(running, { evidence_due_by: null })
      const [evidence, unnamed] = [yield* uploaded(running, merchantId), yield* uploaded(running, merchantId)]
      const logo = yield* uploadedPng(running, merchantId)
      yield* said(api.operator("POST", `/merchants/${merchantId}`, { logo_url: logo }))
      yield* said(respond({ files: [{ type: "receipt", url: evidence }] }))
      yield* pass("6 days")
      assert.lengthOf(yield* names(running), 3)
      yield* pass("10 days")
      assert.deepStrictEqual((yield* names(running)).toSorted(), [evidence, logo].map(nameOf).toSorted())
      assert.deepStrictEqual(yield* Effect.all([evidence, logo, unnamed].map(status)), [200, 200, 404])
      assertRefused(
        yield* shop.respond(no, { files: [{ type: "receipt", url: unnamed }] }),
        400,
        "invalid_request",
        "files[0].url"
      )
      yield* said(respond({ files: [], evidence: { customer_name: "Ada" } }))
      yield* pass("30 days")
      assert.deepStrictEqual(yield* names(running), [nameOf(logo)])
      assert.isBelow((yield* held(running, merchantId))!, 1_000)
    })
  )
})

const nameOf = (url: string) => url.slice(url.lastIndexOf("/") + 1)

const uploadedPng = Effect.fnUntraced(function* ({ baseUrl }: Running, merchantId: string) {
  const { body } = yield* upload(baseUrl, merchantId, formOf(filePart(png(8, 8)), modePart("sandbox")))
  return body.data.url as string
})
