/** Links on the terminal of the embedded default, with which a developer on this machine opens the console. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, it } from "@effect/vitest"
import { type Context, Effect, Layer } from "effect"
import * as DataDir from "../../../src/platform/runtime/DataDir.ts"
import * as DemoPeople from "../../../src/channels/sandbox/DemoPeople.ts"
import * as Wiring from "../../../src/Wiring.ts"
import { consoleBrowser } from "../../kit/callers/console.ts"
import { type Options, start } from "../../kit/Service.ts"

const begin = Effect.fnUntraced(function* (options: Options = {}) {
  const running = yield* start(options)
  const { api, merchant } = running
  const home = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(path.join(tmpdir(), "coffer-demo-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )
  const known = {
    base_url: api.url,
    operator_token: "",
    merchant_id: merchant.merchantId,
    sandbox_key: "",
    live_key: ""
  }
  writeFileSync(path.join(home, "credentials.json"), JSON.stringify(known), { mode: 0o600 })
  const own = DataDir.layer(home).pipe(Layer.provide(Wiring.platform))
  const within = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    effect.pipe(Effect.provide(own), Effect.provide(running.context as Context.Context<R>)) as Effect.Effect<A, E>
  const use = (link: string, browser = consoleBrowser(api)) =>
    Effect.map(browser.call("POST", "/sign_in/use", { token: link.split("#")[1] }), (reply) => ({ ...browser, reply }))
  return { ...running, links: within(DemoPeople.links), withdraw: within(DemoPeople.withdraw), use, home }
})

it.live("one link signs in to the demo merchant as its owner, and one as an operator, each once, in any browser", () =>
  Effect.gen(function* () {
    const { links, merchant, use } = yield* begin()
    const pair = yield* links
    const owner = yield* use(pair!.owner)
    assert.strictEqual(owner.reply.status, 201, owner.reply.text)
    const [role] = owner.reply.body.data.person.roles
    assert.deepStrictEqual([role.merchant_id, role.role], [merchant.merchantId, "owner"])
    const operator = yield* use(pair!.operator)
    assert.strictEqual((yield* operator.operate("GET", "/merchants")).status, 200)
    assert.strictEqual((yield* owner.operate("GET", "/merchants")).status, 403)
    // Used before, by another browser, and of two at once.
    for (const link of [pair!.owner, pair!.operator]) assert.strictEqual((yield* use(link)).reply.status, 400)
    const again = (yield* links)!.owner
    const two = yield* Effect.all([use(again), use(again)], { concurrency: "unbounded" })
    assert.deepStrictEqual(two.map(({ reply }) => reply.status).toSorted(), [201, 400])
  }).pipe(Effect.scoped)
)

it.live("a new pair ends the one before, however often it is asked for", () =>
  Effect.gen(function* () {
    const { links, use } = yield* begin()
    const first = yield* links
    for (let times = 0; times < 7; times++) yield* links
    const last = yield* links
    assert.strictEqual((yield* use(first!.owner)).reply.status, 400)
    assert.strictEqual((yield* use(last!.owner)).reply.status, 201)
  }).pipe(Effect.scoped)
)

it.effect("a link that is older than 15 minutes does not sign in", () =>
  Effect.gen(function* () {
    const { leap, links, use } = yield* begin({ clock: "test" })
    const pair = yield* links
    yield* leap("16 minutes")
    assert.strictEqual((yield* use(pair!.operator)).reply.status, 400)
  }).pipe(Effect.scoped)
)

it.live("there are none, and the demo people lose their roles and sessions, once a merchant is live", () =>
  Effect.gen(function* () {
    const { api, links, merchant, use } = yield* begin()
    const pair = yield* links
    const operator = yield* use(pair!.operator)
    yield* api.operator("POST", `/merchants/${merchant.merchantId}`, { approved: true })
    assert.isUndefined(yield* links)
    assert.strictEqual((yield* operator.operate("GET", "/merchants")).status, 401)
    assert.strictEqual((yield* use(pair!.owner)).reply.status, 400)
    assert.notInclude((yield* api.operator("GET", "/people?merchant_id=installation")).text, "demo.invalid")
  }).pipe(Effect.scoped)
)

it.live("there are none where two operators, a passkey or a provider is wanted, nor with a database of its own", () =>
  Effect.gen(function* () {
    for (const env of [
      { TWO_OPERATORS: "fees" },
      { DEMAND_PASSKEYS: "operators", PUBLIC_URL: "https://pay.example" },
      { DEMAND_PASSKEYS: "live", PUBLIC_URL: "https://pay.example" }
    ] as ReadonlyArray<Record<string, string>>) {
      assert.isUndefined(yield* (yield* begin({ env })).links, JSON.stringify(env))
    }
    // A copy of the embedded database that is served with DATABASE_URL.
    const { links, use, withdraw } = yield* begin()
    const pair = yield* links
    const owner = yield* use(pair!.owner)
    yield* withdraw
    assert.strictEqual((yield* owner.call("GET", "/session")).status, 401)
    assert.strictEqual((yield* use(pair!.operator)).reply.status, 400)
  }).pipe(Effect.scoped)
)
