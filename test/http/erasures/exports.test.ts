/** Archives of all that is kept of a buyer, and of a merchant who moves away (docs/architecture.md, section 7). */
import { createHash } from "node:crypto"
import { apiLogs } from "@coffer/resources/calls"
import { merchantModes, merchants } from "@coffer/resources/merchants"
import { paymentLinks } from "@coffer/resources/links"
import { mails, orders } from "@coffer/resources/orders"
import { archivedColumns, type Columns, shown } from "@coffer/resources/Resource"
import { disputeEvidence, disputes, refunds } from "@coffer/resources/returns"
import { ledger, payouts } from "@coffer/resources/wallets"
import { deliveryAttempts, webhookSettings } from "@coffer/resources/webhooks"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { entriesOf } from "../../kit/callers/operators.ts"
import { type Json, merchantOf, said } from "../../kit/Merchant.ts"
import { uploaded } from "../../kit/callers/uploads.ts"
import { keysOf } from "../../kit/callers/apiKeys.ts"
import { flushed } from "../../kit/rows/logs.ts"
import { endpointFields } from "../../../src/reads/exports/merchantPages.ts"
import { operatorToken, type Running, start } from "../../kit/Service.ts"

/** The files of a tar archive, as any program reads them; a byte is a character. `comments`: entries without a file. */
const filesOf = (archive: Buffer) => {
  const files = new Map<string, string>()
  let comments = 0
  const textAt = (at: number, length: number) => archive.toString("utf8", at, at + length).replace(/\0.*$/s, "")
  for (let at = 0; archive[at] !== 0;) {
    const header = Buffer.from(archive.subarray(at, at + 512))
    const sum = Number.parseInt(textAt(at + 148, 8), 8)
    header.fill(" ", 148, 156)
    assert.strictEqual(
      header.reduce((total, byte) => total + byte, 0),
      sum
    )
    const size = Number.parseInt(textAt(at + 124, 12), 8)
    const content = archive.toString("latin1", at + 512, at + 512 + size)
    if (textAt(at + 156, 1) === "g") comments += content === `${size} comment=making\n` ? 1 : Number.NaN
    else files.set(textAt(at, 100), content)
    at += 512 + Math.ceil(size / 512) * 512
  }
  return { comments, files }
}

const operator = { Authorization: `Bearer ${operatorToken}` }

const exported = (running: Running, path: string, body: object, headers: Record<string, string> = operator) =>
  Effect.promise(async () => {
    const answer = await fetch(`${running.baseUrl}${path}`, {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json" },
      body: JSON.stringify(body)
    })
    assert.strictEqual(answer.status, 200)
    assert.strictEqual(answer.headers.get("content-type"), "application/x-tar")
    const { comments, files } = filesOf(Buffer.from(await answer.arrayBuffer()))
    const manifest: Json = JSON.parse(files.get("manifest.json")!)
    assert.deepStrictEqual(
      manifest["files"].map(({ path }: Json) => path),
      [...files.keys()].slice(0, -1)
    )
    for (const { lines, path, sha256 } of manifest["files"]) {
      const content = files.get(path)!
      assert.strictEqual(createHash("sha256").update(content, "latin1").digest("hex"), sha256)
      if (lines !== undefined) assert.strictEqual(content.trimEnd().split("\n").length, lines)
    }
    const linesOf = (folder: string): ReadonlyArray<Json> =>
      [...files]
        .filter(([path]) => path.startsWith(`${folder}/`))
        .flatMap(([, text]) => text.trimEnd().split("\n"))
        .map((line) => JSON.parse(line))
    for (const folder of new Set([...files.keys()].flatMap((path) => /^(\w+)\/\d+\.jsonl$/.exec(path)?.[1] ?? []))) {
      for (const line of linesOf(folder)) holdDeclared(folder, line)
    }
    return { comments, files, manifest, linesOf, text: [...files.values()].join("\n") }
  })

/** The columns of each folder's lines. */
const declared: Readonly<Record<string, Columns>> = {
  merchant: archivedColumns(merchants),
  settings: archivedColumns(merchantModes),
  orders: archivedColumns(orders),
  refunds: archivedColumns(refunds),
  disputes: archivedColumns(disputes),
  evidence: archivedColumns(disputeEvidence),
  payouts: archivedColumns(payouts),
  payment_links: archivedColumns(paymentLinks),
  ledger: archivedColumns(ledger),
  mails: archivedColumns(mails),
  delivery_attempts: { ...archivedColumns(deliveryAttempts), event_id: shown("none"), url: shown("mentions") }
}

/** A line has what its merchant may see of the row, down to the parts of JSON, and nothing else. */
const holdDeclared = (folder: string, line: Json) => {
  // Events are bodies as they were delivered. Calls and endpoints are packed in columns of many.
  if (folder === "events") return
  if (folder === "logs") {
    const { request_body: _, response_body: __, ...header } = line
    return holdAmong(header, archivedColumns(apiLogs))
  }
  if (folder === "webhook_endpoints") {
    const shape = webhookSettings.columns.endpoints.shape as { readonly parts: Columns }
    const stored = Object.keys(line).map((name) => endpointFields[name as keyof typeof endpointFields])
    return holdAmong(Object.fromEntries(stored.map((name) => [name, 0])), archivedOf(shape.parts))
  }
  assert.hasAllKeys(line, declared[folder] ?? {}, folder)
  for (const [name, { shape }] of Object.entries(declared[folder]!)) {
    if (typeof shape !== "object" || line[name] === null) continue
    const hidden = Object.keys(shape.parts).filter((part) => !(part in archivedOf(shape.parts)))
    for (const each of [line[name]].flat()) for (const part of hidden) assert.notProperty(each, part, name)
  }
}
const archivedOf = (columns: Columns) => archivedColumns({ table: "", columns })
const holdAmong = (line: Json, columns: Columns) => assert.containsAllKeys(columns, Object.keys(line))

const email = "Jane@buyer.example"

it.live(
  "an archive sends its first bytes before it has read anything, and more for each thousand rows it looks at",
  () =>
    Effect.gen(function* () {
      const running = yield* start()
      yield* merchantOf(running).paid(1_000, { receipt_email: "john@buyer.example" })
      const { sql } = running
      const rows = 2_500
      const { columns } = orders
      const names = Object.keys(columns).filter((name) => name !== "trade_no" && name !== "out_trade_no")
      yield* sql.unsafe(`insert into orders (trade_no, out_trade_no, ${names.join(", ")})
      select overlay(trade_no placing lpad(n::text, 5, '0') from length(trade_no) - 4), 'copy-' || n, ${names.join(", ")}
      from orders, generate_series(1, ${rows}) as n`)
      const began = sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`lock table orders in access exclusive mode`
          return yield* Effect.promise(async () => {
            const abort = new AbortController()
            const { body } = await fetch(`${running.baseUrl}/operator/v1/exports`, {
              method: "POST",
              headers: { ...operator, "Content-Type": "application/json" },
              body: JSON.stringify({ email }),
              signal: abort.signal
            })
            const { value } = await body!.getReader().read()
            abort.abort()
            return value!.length
          })
        })
      )
      assert.isAtLeast(yield* began, 512)
      const { comments } = yield* exported(running, "/operator/v1/exports", { email })
      assert.isAtLeast(comments, Math.ceil(rows / 1_000) + 1)
    }).pipe(Effect.scoped)
)

it.live("an archive of a buyer has what is kept of the buyer, of nobody else, and says what is in it", () =>
  Effect.gen(function* () {
    const running = yield* start()
    const shop = merchantOf(running)
    const { trade_no } = yield* shop.paid(1_000, { receipt_email: email, metadata: { name: "Jane" } })
    yield* said(shop.refund({ trade_no, amount: 100, reason: "Too large" }))
    yield* shop.paid(2_000, { receipt_email: "john@buyer.example", metadata: { name: "John" } })
    yield* running.atRest
    const { linesOf, text } = yield* exported(running, "/operator/v1/exports", { email: email.toLowerCase() })
    assert.deepStrictEqual(
      linesOf("orders").map((order) => [order["trade_no"], order["receipt_email"]]),
      [[trade_no, email]]
    )
    assert.deepInclude(linesOf("refunds")[0], { trade_no, amount: 100, reason: "Too large" })
    assert.deepStrictEqual(
      linesOf("events")
        .map(({ type }) => type)
        .toSorted(),
      ["payment.succeeded", "refund.succeeded"]
    )
    assert.deepInclude(linesOf("mails")[0], { trade_no, recipient: email })
    assert.notInclude(text, "John")
    const entries = yield* entriesOf(running.api, "&act=exports.buyer")
    assert.strictEqual(entries.length, 2)
    assert.notInclude(JSON.stringify(entries).toLowerCase(), email.toLowerCase())
  }).pipe(Effect.scoped)
)

it.live(
  "an archive of a merchant has every row of the environment, in as many files as it takes, without secrets",
  () =>
    Effect.gen(function* () {
      const running = yield* start()
      const { merchantId, sandboxKey } = running.merchant
      const shop = merchantOf(running)
      yield* shop.paid(1_000)
      const { api } = running
      yield* said(api.operator("POST", `/merchants/${merchantId}`, { note: "Suspected of laundering; file 17" }))
      const { trade_no } = yield* said(shop.post("/v1/orders", { amount: 1_000 }))
      yield* said(shop.post(`/v1/test_helpers/orders/${trade_no}/pay`, { amount: 999 }))
      const [parked] = (yield* said(shop.get(`/v1/orders/${trade_no}/timeline`)))["entries"].filter(
        ({ kind }: { kind: string }) => kind === "unapplied_payment"
      )
      const note = "Kept; laundering, see file 17"
      yield* said(api.operator("POST", `/orders/${trade_no}/payments/${parked.id}/close`, { note }))
      const endpoint = yield* said(
        shop.post("/v1/webhook_endpoints", { url: "https://shop.example/hook", enabled_events: ["*"] })
      )
      yield* running.sql`insert into orders (trade_no, version, merchant_id, mode, out_trade_no, amount, currency,
        status, refunded_amount, metadata, declines, unapplied_payments, due_at, expires_at, created_at)
      select 'TRD_SB_' || lpad(n::text, 26, '0'), 1, ${merchantId}, 'sandbox', 'n' || n, 1, 'USD', 'expired', 0, '{}',
        0, '[]', 'epoch', 'epoch', 'epoch' from generate_series(1, 600) n`
      const { linesOf, manifest, text } = yield* exported(running, `/operator/v1/merchants/${merchantId}/exports`, {
        mode: "sandbox"
      })
      assert.deepInclude(manifest, { merchant_id: merchantId, mode: "sandbox" })
      const [{ orders }] = (yield* running.sql`select count(*)::int as orders from orders
      where merchant_id = ${merchantId}`) as unknown as [{ orders: number }]
      assert.strictEqual(new Set(linesOf("orders").map((order) => order["trade_no"])).size, orders)
      const [{ rows }] = (yield* running.sql`select count(*)::int as rows from ledger
      where merchant_id = ${merchantId}`) as unknown as [{ rows: number }]
      assert.strictEqual(linesOf("ledger").length, rows)
      assert.strictEqual(linesOf("merchant")[0]!["merchant_id"], merchantId)
      assert.deepInclude(linesOf("webhook_endpoints")[0], { id: endpoint["id"], url: "https://shop.example/hook" })
      const [archived] = linesOf("orders").filter((order) => order["trade_no"] === trade_no)
      assert.deepInclude(archived!["unapplied_payments"][0], { state: "closed", amount: 999 })
      for (const hidden of ["laundering", endpoint["secret"], "secrets"]) assert.notInclude(text, hidden)
      for (const secret of ["key_hash", "signing", "channel_accounts", sandboxKey]) assert.notInclude(text, secret)
      const none = yield* running.api.operator("POST", `/merchants/mer_${"0".repeat(26)}/exports`, { mode: "live" })
      assert.strictEqual(none.status, 404)
    }).pipe(Effect.scoped)
)

it.live("a merchant exports what is kept of its own buyer, with the calls and the files about the buyer", () =>
  Effect.gen(function* () {
    const running = yield* start()
    const { api, merchant } = running
    const shop = merchantOf(running)
    const other = merchantOf(running, (yield* api.newMerchant()).sandboxKey)
    const key = { "X-Api-Key": merchant.sandboxKey }
    yield* shop.paid(1_000, { out_trade_no: "own", receipt_email: email, metadata: { name: "Jane" } })
    yield* shop.paid(2_000, { out_trade_no: "others", receipt_email: "john@buyer.example", metadata: { name: "John" } })
    const foreign = yield* other.paid(3_000, { out_trade_no: "elsewhere", receipt_email: email })
    // Whether the archive has this call would reveal whose order of another merchant it is.
    assert.strictEqual((yield* shop.get(`/v1/orders/${foreign["trade_no"]}`)).status, 404)
    const url = yield* uploaded(running, merchant.merchantId)
    const { dispute_no } = yield* said(shop.dispute("own"))
    yield* said(shop.respond(dispute_no, { evidence: { customer_name: "Jane" }, files: [{ type: "receipt", url }] }))
    // Refused, so that the log alone has it.
    yield* shop.post("/v1/orders", { amount: -1, receipt_email: email })
    yield* said(shop.get("/v1/orders"))
    yield* flushed(running)

    const { files, linesOf, manifest, text } = yield* exported(running, "/v1/exports", { email }, key)
    assert.deepInclude(manifest, { merchant_id: merchant.merchantId, mode: "sandbox", missing_files: [] })
    assert.deepStrictEqual(
      linesOf("orders").map(({ out_trade_no }) => out_trade_no),
      ["own"]
    )
    assert.deepInclude(linesOf("evidence")[0], { dispute_no })
    const name = url.slice(url.lastIndexOf("/") + 1)
    const upload = yield* Effect.promise(() =>
      fetch(`${running.baseUrl}/files/${name}`).then((response) => response.arrayBuffer())
    )
    assert.isTrue(Buffer.from(upload).equals(Buffer.from(files.get(`files/${name}`)!, "latin1")))
    const calls = linesOf("logs").map(({ method, path, status }) => `${method} ${path} ${status}`)
    for (const call of ["POST /v1/orders 201", "POST /v1/orders 400", "GET /v1/orders 200"]) assert.include(calls, call)
    const list = linesOf("logs").find(({ method, path }) => method === "GET" && path === "/v1/orders")!
    assert.deepStrictEqual(
      list["response_body"].data.data.map((order: Json) => order["out_trade_no"]),
      ["own"]
    )
    for (const absent of ["John", "john@", "elsewhere", foreign["trade_no"]]) assert.notInclude(text, absent)

    yield* flushed(running)
    const own = yield* said(shop.get("/v1/logs?path=/v1/exports"))
    assert.deepInclude(own["data"][0], { path: "/v1/exports", status: 200 })
    assert.notInclude(JSON.stringify(own["data"][0].request_body), email)
  }).pipe(Effect.scoped)
)

it.live("an archive has no refund that the bank did not take, since the merchant was told that there is none", () =>
  Effect.gen(function* () {
    const running = yield* start()
    const { merchantId, sandboxKey } = yield* running.api.newMerchant()
    const shop = merchantOf(running, sandboxKey)
    const order = yield* shop.paid(1_000, { receipt_email: "ann@buyer.example" })
    yield* shop.reachable(false)
    assert.strictEqual((yield* shop.refund({ trade_no: order["trade_no"], amount: 100 })).status, 502)
    yield* shop.reachable(true)
    const { refund_no } = yield* said(shop.refund({ trade_no: order["trade_no"], amount: 200 }))
    const ofMerchant = yield* exported(running, `/operator/v1/merchants/${merchantId}/exports`, { mode: "sandbox" })
    const key = { "X-Api-Key": sandboxKey }
    const ofBuyer = yield* exported(running, "/v1/exports", { email: "ann@buyer.example" }, key)
    for (const { linesOf } of [ofMerchant, ofBuyer]) {
      assert.deepStrictEqual(
        linesOf("refunds").map((line) => line["refund_no"]),
        [refund_no]
      )
    }
  }).pipe(Effect.scoped)
)

it.live("an archive has no order that names the buyer in a refund alone that the bank did not take", () =>
  Effect.gen(function* () {
    const running = yield* start()
    const { sandboxKey } = yield* running.api.newMerchant()
    const shop = merchantOf(running, sandboxKey)
    const metadata = { mail: "ann@buyer.example" }
    const refunded = yield* shop.paid(1_000, { receipt_email: "eva@buyer.example" })
    yield* shop.refund({ trade_no: refunded["trade_no"], amount: 200, metadata })
    const refused = yield* shop.paid(1_000, { receipt_email: "eva@buyer.example" })
    yield* shop.reachable(false)
    assert.strictEqual((yield* shop.refund({ trade_no: refused["trade_no"], amount: 100, metadata })).status, 502)
    const { linesOf } = yield* exported(running, "/v1/exports", { email: metadata.mail }, { "X-Api-Key": sandboxKey })
    assert.deepStrictEqual(
      linesOf("orders").map((line) => line["trade_no"]),
      [refunded["trade_no"]]
    )
  }).pipe(Effect.scoped)
)

it.live("a key without the scope exports nothing", () =>
  Effect.gen(function* () {
    const running = yield* start()
    const key = yield* keysOf(running).of(["orders:read", "erasures:write"])
    const refused = yield* running.api.post("/v1/exports", key, { email })
    assert.strictEqual(refused.status, 403)
    assert.include(refused.text, "exports:read")
  }).pipe(Effect.scoped)
)

const neighbours = ["joann@x.example", "mary.ann@x.example", "ann@x.example.au", "o'ann@x.example"]

it.live("an archive has all that the buyer's erasure would take out, and nothing that another's would", () =>
  Effect.gen(function* () {
    const running = yield* start()
    const shop = merchantOf(running)
    const ann = "ann@x.example"
    for (const [place, receipt_email] of [...neighbours, "bob@y.example"].entries()) {
      const subject = `Secret gift ${place}`
      yield* shop.paid(1_000, { receipt_email, subject, metadata: { street: "1 Long Road", mail: receipt_email } })
      yield* shop.post("/v1/orders", { amount: "x", receipt_email, subject })
    }
    const terms = { amount: 500, metadata: { for: "bob@y.example", sold_by: ann, street: "1 Long Road" } }
    yield* said(
      shop.post("/v1/orders", {
        ...terms,
        out_trade_no: "bobs",
        receipt_email: "bob@y.example",
        subject: "Secret gift"
      })
    )
    yield* said(shop.post("/v1/orders", { amount: 500, out_trade_no: "named", metadata: { mail: "ANN@x.example" } }))
    const other = yield* shop.paid(1_000, { out_trade_no: "sent", receipt_email: "bob@y.example" })
    yield* said(shop.post("/v1/orders/sent/send_receipt", { email: ann }))
    yield* said(shop.post("/v1/orders/sent", { receipt_email: "bob@y.example" }))
    yield* said(shop.refund({ trade_no: other["trade_no"], amount: 1, reason: `asked by ${ann}, of 1 Long Road` }))
    yield* said(shop.get("/v1/orders"))
    yield* running.atRest
    yield* flushed(running)
    const key = { "X-Api-Key": running.merchant.sandboxKey }
    const { linesOf, text } = yield* exported(running, "/v1/exports", { email: ann }, key)
    assert.sameMembers(
      linesOf("orders").map(({ out_trade_no }) => out_trade_no),
      ["bobs", "named", "sent"]
    )
    assert.deepStrictEqual(
      linesOf("mails").map(({ recipient }) => recipient),
      [ann]
    )
    assert.deepStrictEqual(
      linesOf("refunds").map(({ reason }) => reason),
      [ann]
    )
    const bobs = linesOf("orders").find(({ out_trade_no }) => out_trade_no === "bobs")!
    assert.deepInclude(bobs, { receipt_email: "[not shown]", subject: "[not shown]" })
    assert.deepInclude(bobs["metadata"], { sold_by: ann, street: "[not shown]" })
    for (const absent of [...neighbours, "bob@y.example", "Secret gift", "Long Road"]) assert.notInclude(text, absent)
  }).pipe(Effect.scoped)
)
