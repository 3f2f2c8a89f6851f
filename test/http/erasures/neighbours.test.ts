/** A buyer is a whole address: which ones an erasure removes, what it leaves of others, and what remains of a buyer. */
import { assert, describe, it } from "@effect/vitest"
import { wholeAddress } from "@coffer/rules/wholeAddress"
import { Array, Effect } from "effect"
import { uploaded } from "../../kit/callers/uploads.ts"
import { type Json, merchantOf, said } from "../../kit/Merchant.ts"
import { flushed } from "../../kit/rows/logs.ts"
import { begin, erasedBy, stored } from "../../kit/stories/erasures.ts"
import { filesIn } from "../../kit/stories/erasedBuyer.ts"

const ann = "ann@x.example"
const others = [
  "joann@x.example",
  "mary.ann@x.example",
  "lee-ann@x.example",
  "joe+ann@x.example",
  "o'ann@x.example",
  "ann@x.example.au",
  "ann@x.examples",
  "ann@x.example-shop.test",
  "ann+gift@x.example"
]

/** An order with all that a buyer leaves: words, a refund, a dispute that was won, with its evidence and a file. */
const bought = Effect.fnUntraced(function* (
  { running, shop }: Effect.Success<ReturnType<typeof begin>>,
  email: string,
  more: Json = {}
) {
  const terms = { receipt_email: email, subject: `For ${email}`, metadata: { mail: email, shelf: "A7" }, ...more }
  const { trade_no } = yield* shop.paid(1_000, terms)
  yield* said(shop.refund({ trade_no, amount: 100, reason: `${email} asked`, metadata: { by: email } }))
  const url = yield* uploaded(running, running.merchant.merchantId)
  const { dispute_no } = yield* said(shop.dispute(trade_no))
  const evidence = { customer_email_address: email, customer_name: "A buyer" }
  yield* said(shop.respond(dispute_no, { evidence, files: [{ type: "receipt", url }] }))
  yield* said(shop.resolve(dispute_no, "won"))
  return trade_no as string
})

const escaped = (text: string, escape: (code: number) => string) =>
  text.replace(/[^a-z0-9.]/g, (letter) => escape(letter.charCodeAt(0)))
const hex = (code: number, digits = 2) => code.toString(16).padStart(digits, "0")

/** Ways in which programs write an address into a text, each alone and in a text within another. */
const manySpellings = (email: string): ReadonlyArray<string> =>
  [
    email.toUpperCase(),
    `"${email.replace("@", '"@')}`,
    email.replace("@", "\uff20"),
    email.replace(".example", "\u3002example"),
    encodeURIComponent(email),
    encodeURIComponent(encodeURIComponent(encodeURIComponent(email))),
    [...email].map((letter) => `%${hex(letter.charCodeAt(0)).toUpperCase()}`).join(""),
    escaped(email, (code) => `%u${hex(code, 4)}`),
    escaped(email, (code) => `\\u${hex(code, 4)}`),
    escaped(email, (code) => `\\u{${hex(code)}}`),
    escaped(email, (code) => `\\x${hex(code)}`),
    escaped(email, (code) => `&#${code};`),
    escaped(email, (code) => `&#x${hex(code)};`),
    escaped(email, (code) => `&#X${hex(code)}`),
    email.replace("@", "&commat;"),
    email.replaceAll(/[@.]/g, "\\$&"),
    email.replace("@", "&amp;#64;")
  ].flatMap((text) => [
    text,
    `to <${text}>, please`,
    `\u9001\u5230${text}\u3002\u8c22\u8c22`,
    `https://shop.example/?q=order+of+${encodeURIComponent(text)}+now`,
    JSON.stringify(JSON.stringify({ mail: text }))
  ])

const tables = ["orders", "refunds", "disputes", "dispute_evidence", "mails", "events", "deliveries", "files"]

describe("an erasure of one buyer", () => {
  it.effect(
    "changes no row of anybody whose address has the buyer's as a part, and the dry run counts what it does",
    () =>
      Effect.gen(function* () {
        const world = yield* begin()
        const { running, shop } = world
        for (const email of others) yield* bought(world, email)
        yield* said(shop.post("/v1/orders", { amount: 5, return_url: "https://shop.example/?for=lee-ann%40x.example" }))
        yield* running.settle
        const rows = Effect.forEach(tables, (table) =>
          Effect.map(running.sql.unsafe(`select to_jsonb(t)::text as row from ${table} t order by 1`), (found) => found)
        )
        const before = yield* rows
        yield* flushed(running)
        const calls = (yield* said(shop.get("/v1/logs?limit=100")))["data"]
        const tradeNo = yield* bought(world, ann)
        // It is hers by its texts alone.
        yield* bought(world, ann, { receipt_email: undefined })
        const dry = yield* said(shop.post("/v1/erasures", { email: ann, dry_run: true }))
        const done = yield* erasedBy(running, shop, { email: ann })
        const { answers: _, logs: __, payment_links: ___, ...counted } = done["counts"]
        const { answers: a, logs: b, payment_links: c, ...foreseen } = dry["counts"]
        assert.deepStrictEqual([a, b, c], [null, null, null])
        assert.deepStrictEqual(foreseen, counted)
        assert.deepInclude(counted, { orders: 2, refunds: 2, disputes: 2, files: 2, mails: 1 })
        assert.isNull((yield* shop.order(tradeNo))["receipt_email"])
        const after = yield* rows
        for (const [place, table] of tables.entries()) {
          const kept = new Set(after[place]!.map((row) => JSON.stringify(row)))
          for (const row of before[place]!)
            assert.isTrue(kept.has(JSON.stringify(row)), `${table}: ${JSON.stringify(row)}`)
        }
        yield* flushed(running)
        const texts = JSON.stringify(yield* said(shop.get(`/v1/logs?limit=100&starting_after=${calls[0].request_id}`)))
        for (const call of calls) assert.include([...texts].length === 0 ? "" : JSON.stringify(calls), call.request_id)
        const known = yield* stored(running)
        for (const email of others)
          assert.isTrue(
            known.some((text) => text.includes(email)),
            email
          )
      }).pipe(Effect.scoped)
  )

  it.effect("takes the address alone out of what is another's, wherever it stands there", () =>
    Effect.gen(function* () {
      const world = yield* begin()
      const { running, shop } = world
      const bobs = "bob@y.example"
      const { trade_no } = yield* shop.paid(1_000, {
        out_trade_no: "1",
        receipt_email: bobs,
        subject: "Tea for Bob",
        metadata: { sold_by: ann, gift_note: "with love" }
      })
      yield* said(shop.refund({ trade_no, amount: 5, reason: `${ann} says that it is late`, metadata: { size: "L" } }))
      yield* said(shop.post(`/v1/orders/1/send_receipt`, { email: ann }))
      yield* said(shop.post("/v1/orders/1", { receipt_email: bobs }))
      yield* running.settle
      const dry = yield* said(shop.post("/v1/erasures", { email: ann, dry_run: true }))
      const done = yield* erasedBy(running, shop, { email: ann })
      for (const name of ["orders", "refunds", "mails", "events"]) {
        assert.strictEqual(done["counts"][name], dry["counts"][name], name)
      }
      assert.deepInclude(yield* shop.order("1"), {
        receipt_email: bobs,
        subject: "Tea for Bob",
        metadata: { sold_by: "[erased]", gift_note: "with love" },
        paid_card: { brand: "visa", last4: "4242" }
      })
      const refunds = yield* said(shop.get(`/v1/refunds?trade_no=${trade_no}`))
      assert.deepInclude(refunds["data"][0], { reason: "[erased] says that it is late", metadata: { size: "L" } })
      const left = (yield* stored(running)).filter((text) => wholeAddress(ann).isIn(text))
      assert.deepStrictEqual(left, [])
    }).pipe(Effect.scoped)
  )

  it.effect("a dry run says of which merchant, environment, order and address it is, as the erasure does", () =>
    Effect.gen(function* () {
      const { running, shop } = yield* begin()
      const { trade_no } = yield* shop.paid(1_000, { receipt_email: ann })
      for (const terms of [{ email: ann }, { trade_no }]) {
        const dry = yield* said(shop.post("/v1/erasures", { ...terms, dry_run: true }))
        const done = yield* erasedBy(running, shop, terms)
        for (const name of ["merchant_id", "mode", "trade_no", "email_hash"]) {
          assert.strictEqual(dry[name], done[name], name)
        }
      }
    }).pipe(Effect.scoped)
  )

  it.effect("leaves the address in none of its spellings, in any row, log or file", () =>
    Effect.gen(function* () {
      const { folder, running, shop } = yield* begin()
      const encoded = encodeURIComponent(ann)
      const spellings = [
        ann,
        ann.toUpperCase(),
        encoded,
        encodeURIComponent(encoded),
        `https://shop.example/login?next=${encodeURIComponent(`/thanks?email=${encoded}`)}`,
        [...Buffer.from(ann)].map((byte) => `%${byte.toString(16)}`).join(""),
        JSON.stringify({ mail: ann }).replace("@", "\\u0040"),
        JSON.stringify(JSON.stringify({ mail: ann }).replace("@", "\\u0040")),
        "ann&#64;x.example",
        "&lt;ann&commat;x.example&gt;",
        "mailto:ann@x.example.",
        '"ann"@x.example'
      ]
      // Forty more in one text each of another's order, of one without an address, of a link and of a refused call.
      const many = manySpellings(ann)
      assert.isAtLeast(many.length, 40)
      assert.isTrue(many.every((text) => wholeAddress(ann).isIn(text)))
      for (const some of Array.chunksOf(many, 32)) {
        const metadata = Object.fromEntries(some.map((text, place) => [`text_${place}`, text]))
        yield* said(shop.post("/v1/orders", { amount: 100, receipt_email: "bob@y.example", metadata }))
        yield* said(shop.post("/v1/orders", { amount: 100, metadata }))
        yield* said(shop.post("/v1/payment_links", { amount: 100, subject: "Coffee", metadata }))
      }
      yield* shop.post("/v1/orders", { amount: -1, note: many, more: { [many[1]!]: many } })
      for (const [place, text] of spellings.entries()) {
        const more = [
          { metadata: { text } },
          { subject: text.slice(0, 200) },
          { receipt_email: "bob@y.example", metadata: { text } }
        ]
        for (const terms of more) yield* said(shop.post("/v1/orders", { amount: 100 + place, ...terms }))
        yield* shop.post("/v1/orders", { amount: -1, note: text })
        if (!/[\s"<>\\&]/.test(text)) {
          const return_url = text.startsWith("https") ? text : `https://shop.example/?for=${text}&a=b`
          yield* said(shop.post("/v1/orders", { amount: 5, receipt_email: "bob@y.example", return_url }))
        }
      }
      yield* said(
        shop.post("/v1/payment_links", { amount: 5, subject: "Tea", metadata: { text: encoded, by: "bob@y.example" } })
      )
      yield* shop.get(`/v1/orders?receipt_email=${encoded}`)
      yield* running.settle
      yield* flushed(running)
      yield* erasedBy(running, shop, { email: "Ann@X.example" })
      yield* flushed(running)
      const { isIn } = wholeAddress(ann)
      assert.deepStrictEqual(
        (yield* stored(running)).filter((text) => isIn(text)),
        []
      )
      assert.deepStrictEqual(
        filesIn(folder).filter((text) => isIn(text)),
        []
      )
      const links = yield* said(shop.get("/v1/payment_links"))
      assert.deepInclude(links["data"][0], { subject: "Tea", metadata: { text: "[erased]", by: "bob@y.example" } })
    }).pipe(Effect.scoped)
  )

  it.effect(
    "finds what was written into an erased order, waits for a mail on its way, and lets creates be repeated",
    () =>
      Effect.gen(function* () {
        const { running, shop } = yield* begin()
        const terms = {
          amount: 1_000,
          out_trade_no: "1",
          receipt_email: ann,
          subject: "Tea",
          notify_url: "https://shop.example/hook"
        }
        const { trade_no } = yield* said(shop.post("/v1/orders", terms))
        yield* said(shop.post(`/v1/test_helpers/orders/${trade_no}/pay`, { payment_method: "card" }))
        yield* running.settle
        yield* running.sql`update deliveries set status = 'failed', next_attempt_at = null`
        yield* erasedBy(running, shop, { email: ann })
        const order = yield* shop.order("1")
        const [event] = (yield* said(shop.get(`/v1/events?object_id=${trade_no}`)))["data"]
        for (const field of ["receipt_email", "paid_card", "subject", "metadata", "return_url", "notify_url"]) {
          assert.deepStrictEqual(event.data.object[field], order[field], field)
        }
        assert.strictEqual((yield* shop.post("/v1/orders", terms)).status, 200)
        for (const other of [{ subject: "Coffee" }, { capture: "manual" }]) {
          assert.strictEqual((yield* shop.post("/v1/orders", { ...terms, ...other })).status, 409)
        }

        yield* said(shop.post("/v1/orders/1", { metadata: { customer: ann } }))
        const bobs = yield* shop.paid(1_000, { receipt_email: "bob@y.example" })
        yield* said(shop.post(`/v1/orders/${bobs["trade_no"]}/send_receipt`, { email: ann }))
        yield* said(shop.post(`/v1/orders/${bobs["trade_no"]}`, { receipt_email: "bob@y.example" }))
        yield* running.settle
        yield* running.sql`update mails set status = 'sending' where recipient = ${ann}`
        const asked = yield* said(shop.post("/v1/erasures", { email: ann }))
        yield* running.pass("1 minute")
        assert.deepInclude(yield* said(shop.get(`/v1/erasures/${asked["erasure_no"]}`)), {
          status: "running",
          orders_waiting: 1
        })
        yield* running.sql`update mails set status = 'sent' where recipient = ${ann}`
        yield* erasedBy(running, shop, { email: ann })
        assert.deepStrictEqual(
          (yield* stored(running)).filter((text) => wholeAddress(ann).isIn(text)),
          []
        )
      }).pipe(Effect.scoped)
  )
})

it.effect("an operator's erasure of a short address changes no order of any merchant whose address ends so", () =>
  Effect.gen(function* () {
    const { running, shop } = yield* begin()
    const other = merchantOf(running, (yield* running.api.newMerchant()).sandboxKey)
    yield* said(shop.post("/v1/orders", { amount: 5, out_trade_no: "1", receipt_email: "helen@z.example" }))
    yield* said(other.post("/v1/orders", { amount: 5, out_trade_no: "1", receipt_email: "maria@z.example" }))
    for (const email of ["n@z.example", "a@z.exam"]) {
      const { erasure_no } = yield* said(running.api.operator("POST", "/erasures", { email }))
      const read = said(running.api.operator("GET", `/erasures/${erasure_no}`))
      for (let minutes = 0; minutes < 20 && (yield* read)["status"] !== "done"; minutes++) {
        yield* flushed(running)
        yield* running.pass("1 minute")
      }
      assert.deepInclude((yield* read)["counts"], { orders: 0 })
    }
    assert.strictEqual((yield* shop.order("1"))["receipt_email"], "helen@z.example")
    assert.strictEqual((yield* other.order("1"))["receipt_email"], "maria@z.example")
  }).pipe(Effect.scoped)
)
