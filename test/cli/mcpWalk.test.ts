/**
 * An agent goes from nothing to a certified integration in the sandbox, using only the MCP tools: with `coffer mcp` as
 * its child, and over HTTP. It lists tools, reads the documents, certifies its shop's receiver, makes an order, pays and
 * refunds it, sees its webhooks arrive, and proves the ledger.
 */
import { createHash } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { docsAbove } from "@coffer/mcp/docs"
import { webhooks } from "@coffer/sdk"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Agent, agentOverHttp, agentOverStdio, textOf, yes } from "../kit/callers/mcp.ts"
import { envOf, type as typed } from "../kit/callers/cli.ts"
import { eventually } from "../kit/Process.ts"
import { start } from "../kit/Service.ts"

/** The shop that the agent writes: it believes what is signed, and keeps the types of its events. */
const shop = (secret: string) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly events: Array<{ type: string; id: string }>; close: () => void }>(
      (resume) => {
        const events: Array<{ type: string; id: string }> = []
        const server = createServer(async (request, response) => {
          const parts: Array<Buffer> = []
          for await (const part of request) parts.push(part as Buffer)
          const raw = Buffer.concat(parts).toString("utf8")
          const isTaken = await webhooks.verify(raw, request.headers, secret).then(
            (event) => events.push(event) > 0,
            () => false
          )
          response.writeHead(isTaken ? 200 : 400).end()
        }).listen(0, "127.0.0.1", () => {
          const { port } = server.address() as AddressInfo
          const close = () => {
            server.closeAllConnections()
            server.close()
          }
          resume(Effect.succeed({ url: `http://127.0.0.1:${port}/hook`, events, close }))
        })
      }
    ),
    ({ close }) => Effect.sync(close)
  )

const walk = Effect.fnUntraced(function* (
  agent: Agent,
  certify: (url: string, secret: string) => Effect.Effect<string>
) {
  const names = yield* agent.names
  assert.isAbove(names.length, 40)
  // At four bytes a token, also with the tools of the command line.
  const list = yield* Effect.promise(() => agent.client.listTools())
  assert.isBelow(Buffer.byteLength(JSON.stringify(list)) / 4, 8_000)

  const found = yield* agent.call("docs_search", { query: "certify webhooks receiver" })
  const [{ page, section }] = (found.structuredContent as { found: ReadonlyArray<{ page: string; section: string }> })
    .found as [{ page: string; section: string }]
  assert.isNotEmpty(textOf(yield* agent.call("docs_read", { page, section })))
  const resources = yield* Effect.promise(() => agent.client.listResources())
  assert.include(
    resources.resources.map(({ uri }) => uri),
    "coffer://docs/errors"
  )

  const { secret } = yield* agent.data("webhookSigningSecret_get")
  const { events, url } = yield* shop(secret)
  assert.strictEqual(yield* certify(url, secret), "A")

  const order = yield* agent.data("orders_create", { amount: 1999, subject: "Two books", notify_url: url })
  const paid = yield* agent.data("testHelpers_orders_pay", { ref: order.trade_no })
  assert.strictEqual(paid.status, "paid")
  const refund = yield* agent.data("refunds_create", { trade_no: order.trade_no, amount: 500 })
  assert.strictEqual(refund.status, "succeeded")
  for (const type of ["payment.succeeded", "refund.succeeded"]) {
    yield* eventually(
      `the shop to hear of ${type}`,
      Effect.sync(() => events.some((event) => event.type === type))
    )
  }
  yield* eventually(
    "both deliveries to have succeeded",
    Effect.map(
      agent.data("webhookDeliveries_list"),
      ({ data }) => data.length === 2 && data.every(({ status }: { status: string }) => status === "succeeded")
    )
  )

  const balance = yield* agent.data("balance_get", { currency: "USD" })
  const { data: rows } = yield* agent.data("ledger_list", { currency: "USD" })
  const sum = rows.reduce((total: number, { amount }: { amount: number }) => total + amount, 0)
  assert.strictEqual(sum, balance.available_balance)
  const { data: links } = yield* agent.data("ledger_chain", { currency: "USD" })
  assert.isAbove(links.length, 1)
  links.forEach(({ hash, previous_hash: previous, text }: Record<string, string>, place: number) => {
    assert.strictEqual(createHash("sha256").update(text!, "utf8").digest("hex"), hash)
    assert.strictEqual(previous, links[place + 1]?.hash ?? "")
  })

  const story = yield* agent.data("orders_timeline", { ref: order.trade_no })
  assert.include(JSON.stringify(story), "refund")
})

describe("an agent", () => {
  it.live("goes from nothing to a certified integration through coffer mcp", () =>
    Effect.gen(function* () {
      yield* docsAbove(process.cwd()).texts
      const running = yield* start({ env: { ALLOW_PRIVATE_WEBHOOKS: "true" } })
      const few = yield* agentOverStdio(["--tools", "balance,events"], envOf(running))
      assert.sameMembers(
        [...(yield* few.names)],
        ["balance_get", "events_get", "events_list", "docs_read", "docs_search", "webhooks_certify"]
      )
      const agent = yield* agentOverStdio([], envOf(running))
      yield* walk(agent, (url) =>
        Effect.map(agent.call("webhooks_certify", { url }), ({ structuredContent }) =>
          String((structuredContent as { grade: string }).grade)
        )
      )
    }).pipe(Effect.scoped)
  )

  it.live("goes the same way over HTTP", () =>
    Effect.gen(function* () {
      yield* docsAbove(process.cwd()).texts
      const running = yield* start({ env: { ALLOW_PRIVATE_WEBHOOKS: "true" } })
      const agent = yield* agentOverHttp(running.baseUrl, running.merchant.sandboxKey)
      yield* walk(agent, (url, secret) =>
        Effect.map(typed(["webhooks", "certify", url, "--json"], { COFFER_WEBHOOK_SECRET: secret }), ({ stdout }) =>
          String(JSON.parse(stdout).grade)
        )
      )
    }).pipe(Effect.scoped)
  )

  it.live("has through coffer mcp the tools of its key, and asks a person before it acts in live", () =>
    Effect.gen(function* () {
      const running = yield* start()
      const { api, baseUrl, merchant } = running
      yield* api.operator("POST", `/merchants/${merchant.merchantId}`, {
        approved: true,
        live_currencies: ["USD"],
        live: { default_notify_url: "https://example.com/hook" }
      })
      const env = { COFFER_KEY: merchant.liveKey, COFFER_BASE_URL: `${baseUrl}/v1` }
      const refused = yield* typed(["mcp"], env)
      assert.strictEqual(refused.code, 2)
      assert.include(refused.stderr, "add --live")

      const asked: Array<string> = []
      for (const speaks of ["2025-11-25", "2026-07-28"] as const) {
        const person = (question: string) => {
          asked.push(question)
          return asked.length % 2 === 0 ? yes : { action: "decline" as const }
        }
        const agent = yield* agentOverStdio(["--live"], env, { speaks, person })
        assert.notInclude(yield* agent.names, "testHelpers_orders_pay")
        const terms = { amount: 4200, currency: "USD", out_trade_no: `cart-${speaks}` }
        assert.include(textOf(yield* agent.call("orders_create", terms)), "did not confirm", speaks)
        yield* agent.data("orders_create", terms)
        // A signing secret is not shown.
        assert.include(JSON.stringify(yield* agent.data("webhookSigningSecret_get")), "withheld")
      }
      assert.lengthOf(asked, 4)
      assert.include(asked[0]!, "Amount: 42.00 USD")
      assert.lengthOf((yield* api.get("/v1/orders", merchant.liveKey)).body.data.data, 2)
    }).pipe(Effect.scoped)
  )
})
