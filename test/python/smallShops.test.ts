/**
 * The small shops of docs/guides/shop.md, each as its file stands, against the service and through a proxy that loses
 * answers: what a buyer, a forger, the bank and a crash do to them.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import path from "node:path"
import { webhooks } from "@coffer/sdk"
import { afterAll, assert, beforeAll, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { clientOf } from "../kit/callers/sdk.ts"
import { eventually } from "../kit/Process.ts"
import { needsPhp } from "../kit/program/php.ts"
import { needsPython } from "../kit/program/python.ts"
import { freePort, type Running, start, withNewMerchant } from "../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/smallShops") {}

const fileOf = (ending: string) => path.resolve("examples/small", `shop.${ending}`)

let folder = ""
interface Program {
  readonly language: string
  readonly ending: string
  readonly missing: string
  readonly command: (port: number) => readonly [string, ...ReadonlyArray<string>]
}
const programs: ReadonlyArray<Program> = [
  // A module looks for packages beside its file.
  { language: "Node", ending: "mjs", missing: "", command: () => [process.execPath, path.join(folder, "shop.mjs")] },
  { language: "Python", ending: "py", missing: needsPython, command: () => ["/usr/bin/python3", "-B", fileOf("py")] },
  {
    language: "PHP",
    ending: "php",
    missing: needsPhp,
    command: (port) => ["php", "-S", `127.0.0.1:${port}`, fileOf("php")]
  }
]

/** Forwards to the service, and breaks the connection in place of the answers that `loses` names. */
const proxyTo = (baseUrl: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const state = { loses: (_: string): boolean => false }
      const server = createServer(async (request, response) => {
        const chunks: Array<Uint8Array> = []
        for await (const chunk of request) chunks.push(chunk)
        const { connection: _, host: __, ...headers } = request.headers
        const answer = await fetch(`${baseUrl}${request.url}`, {
          method: request.method!,
          headers: headers as Record<string, string>,
          ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) })
        })
        const body = Buffer.from(await answer.arrayBuffer())
        if (state.loses(`${request.method} ${request.url}`)) return request.socket.destroy()
        const type = answer.headers.get("content-type") ?? "text/plain"
        const sent = Object.fromEntries([...answer.headers].filter(([name]) => /^coffer-|^retry-after$/.test(name)))
        return response.writeHead(answer.status, { ...sent, "content-type": type }).end(body)
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return { server, state, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
    }),
    ({ server }) => Effect.sync(() => server.close().closeAllConnections())
  )

/** A shop of its own merchant, which may be killed and started again. */
const shopOf = Effect.fnUntraced(function* ({ command, language }: Program, running: Running) {
  const proxy = yield* proxyTo(running.baseUrl)
  const port = yield* freePort
  const home = `http://127.0.0.1:${port}`
  const sales = path.join(folder, `sales-${language}`)
  const env = {
    PATH: process.env["PATH"] ?? "",
    PYTHONPATH: path.resolve("packages/python"),
    PHP_CLI_SERVER_WORKERS: "4",
    COFFER_KEY: running.merchant.sandboxKey,
    COFFER_BASE_URL: `${proxy.url}/v1`,
    PORT: String(port),
    SHOP_URL: home,
    SHOP_FOLDER: sales
  }
  let child: ChildProcess | undefined
  const kill = Effect.promise(async () => {
    if (child === undefined) return
    const ended = new Promise((resolve) => child!.once("close", resolve))
    // PHP's workers are its children.
    process.kill(-child.pid!, "SIGKILL")
    await ended
    child = undefined
  })
  const begin = Effect.gen(function* () {
    const [program, ...words] = command(port)
    child = spawn(program, words, { env, cwd: folder, detached: true, stdio: ["ignore", "ignore", "pipe"] })
    let said = ""
    child.stderr!.setEncoding("utf8").on("data", (text: string) => (said += text))
    yield* eventually(
      `the shop to listen: ${said}`,
      Effect.promise(() =>
        fetch(`${home}/none`).then(
          ({ status }) => status === 404,
          () => false
        )
      ),
      "30 seconds"
    )
  })
  yield* Effect.addFinalizer(() => kill)
  yield* begin
  const call = (to: string, body?: object) =>
    Effect.promise(async () => {
      const answer = await fetch(
        `${home}${to}`,
        body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }
      )
      return { status: answer.status, body: (await answer.json()) as Record<string, any> }
    })
  const post = (body: string, headers: object) =>
    Effect.promise(
      async () => (await fetch(`${home}/hook`, { method: "POST", body, headers: headers as never })).status
    )
  /** What it has kept, without asking it. */
  const kept = (number: string) => JSON.parse(readFileSync(path.join(sales, `${number}.json`), "utf8"))
  const coffer = clientOf(running)
  const secret = (yield* Effect.promise(async () => coffer.webhookSigningSecret.get())).secret
  return { begin, call, coffer, kept, kill, post, secret, state: proxy.state }
})
type Shop = Effect.Success<ReturnType<typeof shopOf>>

const does = <A>(act: () => PromiseLike<A>) => Effect.promise(async () => act())

const paid = Effect.fnUntraced(function* ({ call, coffer, kept }: Shop, number: string, method: "card" | "alipay") {
  assert.strictEqual((yield* call("/buy", { cart: number, title: "Moby Dick" })).status, 200)
  yield* does(() => coffer.testHelpers.orders.pay(number, { payment_method: method }))
  yield* eventually(
    "the event of the payment",
    Effect.sync(() => kept(number).paid === true),
    "30 seconds"
  )
})

const agrees = Effect.fnUntraced(function* ({ call }: Shop, number: string, ours: number) {
  const { body } = yield* call("/books")
  assert.isTrue(body["agree"], JSON.stringify(body))
  assert.deepInclude(body["lines"], { number, ours, ledger: ours, agrees: true })
})

const sells = Effect.fnUntraced(function* (shop: Shop) {
  const { call, coffer, kept } = shop
  const both = yield* Effect.all(
    [1, 2].map(() => call("/buy", { cart: "twice", title: "Moby Dick", amount: 1 })),
    { concurrency: 2 }
  )
  assert.deepStrictEqual(
    both.map(({ body, status }) => [status, body["amount"], body["checkout_url"]]),
    both.map(() => [200, 1999, both[0]!.body["checkout_url"]])
  )
  const other = yield* call("/buy", { cart: "twice", title: "Emma" })
  assert.strictEqual(other.status, 409)
  assert.strictEqual((yield* call("/buy", { cart: "../x", title: "Emma" })).status, 400)
  yield* paid(shop, "paid", "card")
  assert.isString(kept("paid").shipped_at)
  assert.notProperty(kept("paid"), "checkout_url")
  const orders = yield* does(() => coffer.orders.list({ out_trade_no: "twice" }).page())
  assert.lengthOf(orders.data, 1)
})

const believes = Effect.fnUntraced(function* (shop: Shop) {
  const { call, kept, post, secret } = shop
  yield* call("/buy", { cart: "heard", title: "Moby Dick" })
  const bodyOf = (id: string, type: string, number: string) =>
    JSON.stringify({ id, object: "event", type, data: { object: { out_trade_no: number } } })
  const signed = (body: string, now = Date.now()) => does(() => webhooks.sign(body, secret, { now: () => now }))
  const forged = bodyOf("evt_forged", "payment.succeeded", "heard")
  assert.strictEqual(yield* post(forged, {}), 400)
  assert.strictEqual(yield* post(forged, yield* signed(`${forged} `)), 400)
  assert.strictEqual(yield* post(forged, yield* signed(forged, Date.now() - 301_000)), 400)
  assert.isFalse(kept("heard").paid)
  // A true signature of what Coffer never did: the shop asks, and does not believe the event.
  assert.strictEqual(yield* post(forged, yield* signed(forged)), 200)
  assert.isFalse(kept("heard").paid)
  // Of two posts of an event at once one is done, and an older event changes nothing.
  yield* paid(shop, "heard", "card")
  const { shipped_at } = kept("heard")
  const late = bodyOf("evt_late", "payment.expired", "heard")
  const headers = yield* signed(late)
  const statuses = yield* Effect.all([post(late, headers), post(late, headers), post(late, headers)], {
    concurrency: 3
  })
  assert.deepStrictEqual(statuses, [200, 200, 200])
  assert.deepInclude(kept("heard"), { paid: true, shipped_at })
  assert.lengthOf(
    kept("heard").events.filter((id: string) => id === "evt_late"),
    1
  )
  const stranger = bodyOf("evt_other", "payment.succeeded", "never-sold")
  assert.strictEqual(yield* post(stranger, yield* signed(stranger)), 200)
})

const refundsOnce = Effect.fnUntraced(function* (shop: Shop) {
  const { call, coffer, kept, state } = shop
  yield* paid(shop, "back", "card")
  const refund = (id: string, amount?: number) => call("/orders/back/refund", { id, ...(amount && { amount }) })
  // The first answer is lost: the client repeats it by itself.
  let lost = 0
  state.loses = (line) => line === "POST /v1/refunds" && ++lost === 1
  assert.strictEqual((yield* refund("parcel-1", 500)).status, 200)
  assert.strictEqual((yield* refund("parcel-1", 500)).status, 200)
  assert.strictEqual((yield* refund("parcel-1", 600)).status, 409)
  assert.strictEqual((yield* refund("parcel-2", 5000)).status, 400)
  assert.notProperty(kept("back").refunds, "parcel-2")
  assert.strictEqual((yield* refund("parcel-2", 300)).status, 200)
  const { data } = yield* does(() => coffer.refunds.list({ trade_no: "back" }).page())
  assert.deepStrictEqual(
    data.map(({ amount }) => amount),
    [300, 500]
  )
  yield* agrees(shop, "back", 1199)
})

/** It is killed while the refund has no answer, and the buyer's payment comes while it is away. */
const restarts = Effect.fnUntraced(function* (shop: Shop) {
  const { begin, call, coffer, kept, kill, state } = shop
  yield* paid(shop, "killed", "card")
  yield* call("/buy", { cart: "away", title: "Emma" })
  let killed = false
  state.loses = (line) => {
    if (line !== "POST /v1/refunds" || killed) return false
    killed = true
    return true
  }
  yield* Effect.forkChild(
    Effect.exit(Effect.catchDefect(call("/orders/killed/refund", { id: "rest" }), () => Effect.void))
  )
  yield* eventually(
    "the lost answer",
    Effect.sync(() => killed)
  )
  yield* kill
  yield* does(() => coffer.testHelpers.orders.pay("away"))
  assert.isFalse(kept("away").paid)
  yield* begin
  yield* agrees(shop, "killed", 0)
  assert.isTrue(kept("away").paid)
  assert.strictEqual(kept("killed").refunds.rest.status, "succeeded")
  const { data } = yield* does(() => coffer.refunds.list({ trade_no: "killed" }).page())
  assert.lengthOf(data, 1)
})

const cancels = Effect.fnUntraced(function* (shop: Shop) {
  const { call, coffer } = shop
  yield* call("/buy", { cart: "given-up", title: "Emma" })
  for (const _ of [1, 2]) {
    const { body, status } = yield* call("/orders/given-up/cancel", {})
    assert.deepStrictEqual([status, body["status"]], [200, "expired"])
  }
  // The buyer is faster.
  yield* call("/buy", { cart: "raced", title: "Emma" })
  yield* does(() => coffer.testHelpers.orders.pay("raced"))
  assert.strictEqual((yield* call("/orders/raced/cancel", {})).status, 409)
  const { body } = yield* call("/orders/raced")
  assert.isTrue(body["paid"])
  assert.isString(body["shipped_at"])
  assert.strictEqual((yield* call("/orders/nobody/cancel", {})).status, 404)
})

const reconciles = Effect.fnUntraced(function* (shop: Shop, running: Running) {
  const { call, coffer } = shop
  yield* paid(shop, "sent-back", "alipay")
  yield* call("/orders/sent-back/refund", { id: "one", amount: 400 })
  yield* agrees(shop, "sent-back", 1999)
  for (const [outcome, ours] of [
    ["succeeded", 1599],
    ["failed", 1999]
  ] as const) {
    yield* does(() => coffer.testHelpers.refunds.settle("sent-back.one", { outcome }))
    yield* running.atRest
    yield* agrees(shop, "sent-back", ours)
  }
  yield* paid(shop, "disputed", "card")
  const { dispute_no } = yield* does(() => coffer.testHelpers.orders.dispute("disputed"))
  yield* running.atRest
  yield* agrees(shop, "disputed", 1999)
  for (const [outcome, ours] of [
    ["lost", 0],
    ["won", 1999]
  ] as const) {
    yield* does(() => coffer.testHelpers.disputes.resolve(dispute_no, { outcome }))
    yield* running.atRest
    yield* agrees(shop, "disputed", ours)
    assert.strictEqual((yield* call("/orders/disputed")).body["dispute"], outcome)
  }
})

describe("the small shops", () => {
  it("have at most 200 lines of code each, and no line is wider than a page shows", () => {
    for (const { ending } of programs) {
      const lines = readFileSync(fileOf(ending), "utf8").split("\n")
      const code = lines.filter((line) => !/^\s*(?:\/\/.*|\/\*\*.*\*\/|#.*|<\?php)?$/.test(line))
      assert.isAtMost(code.length, 200, ending)
      assert.isAtMost(Math.max(...lines.map(({ length }) => length)), 120, ending)
    }
  })
})

layer(Layer.effect(Service, start({ env: { ALLOW_PRIVATE_WEBHOOKS: "true" } })), { excludeTestServices: true })(
  "the small shop",
  (it) => {
    beforeAll(() => {
      mkdirSync(path.resolve("node_modules/.cache"), { recursive: true })
      folder = mkdtempSync(path.resolve("node_modules/.cache/small-shops-"))
      // The source of the SDK, under the name of its package.
      const sdk = path.join(folder, "node_modules/@coffer/sdk")
      mkdirSync(sdk, { recursive: true })
      writeFileSync(path.join(sdk, "package.json"), `{ "type": "module", "exports": "./index.js" }`)
      const source = JSON.stringify(path.resolve("packages/sdk/src/index.ts"))
      writeFileSync(path.join(sdk, "index.js"), `export * from ${source}\n`)
      writeFileSync(path.join(folder, "shop.mjs"), readFileSync(fileOf("mjs")))
    })
    afterAll(() => rmSync(folder, { recursive: true, force: true }))

    for (const program of programs) {
      it.effect.skipIf(program.missing !== "")(
        `in ${program.language} sells once, believes what is signed, refunds once by intention, closes what is not paid, ` +
          `agrees with the ledger after each turn of the bank, and loses nothing when it is killed${program.missing}`,
        () =>
          Effect.gen(function* () {
            const running = yield* withNewMerchant(yield* Service)
            const shop = yield* shopOf(program, running)
            yield* sells(shop)
            yield* believes(shop)
            yield* refundsOnce(shop)
            yield* cancels(shop)
            yield* reconciles(shop, running)
            yield* restarts(shop)
          }).pipe(Effect.scoped)
      )
    }
  }
)
