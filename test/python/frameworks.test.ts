/**
 * The shops of docs/guides/frameworks.md against the service: Express as it stands, the handlers of Next.js with
 * requests of the platform, and the views of Django with a stand-in for its modules. Each sells once, believes what is
 * signed, and shows what was paid.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import path from "node:path"
import { webhooks } from "@coffer/sdk"
import { afterAll, assert, beforeAll, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { merchantOf, said } from "../kit/Merchant.ts"
import { eventually } from "../kit/Process.ts"
import { needsPython, pythonRun } from "../kit/program/python.ts"
import { freePort, type Running, start, withNewMerchant } from "../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/frameworks") {}

const page = readFileSync("docs/guides/frameworks.md", "utf8")
const [express, library, buy, hook, thanks, views] = [...page.matchAll(/^```(?:js|python)\n([^]*?)^```$/gm)].map(
  ([, code]) => code!
) as [string, string, string, string, string, string]

let folder = ""
const write = (file: string, text: string): string => {
  const at = path.join(folder, file)
  mkdirSync(path.dirname(at), { recursive: true })
  writeFileSync(at, text)
  return at
}

const envOf = ({ baseUrl, merchant }: Running, shop: string) => ({
  PATH: process.env["PATH"] ?? "",
  COFFER_KEY: merchant.sandboxKey,
  COFFER_BASE_URL: `${baseUrl}/v1`,
  SHOP_URL: shop
})

/** An event as Coffer posts it. */
const eventOf = (number: string) =>
  JSON.stringify({
    id: `evt_${number}`,
    object: "event",
    type: "payment.succeeded",
    data: { object: { out_trade_no: number } }
  })

interface Post {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}
const signed = (body: string, secret: string): Effect.Effect<Post> =>
  Effect.map(
    Effect.promise(() => webhooks.sign(body, secret)),
    (headers) => ({ body, headers: headers as never })
  )

const secretOf = (running: Running): Effect.Effect<string> =>
  Effect.map(said(merchantOf(running).get("/v1/webhook_signing_secret")), ({ secret }) => secret as string)

/** The account has one order of this number, and the buyer was sent to its checkout. */
const sold = Effect.fnUntraced(function* (running: Running, number: string, places: ReadonlyArray<string | null>) {
  const { data } = yield* said(merchantOf(running).get(`/v1/orders?out_trade_no=${number}`))
  assert.lengthOf(data, 1)
  for (const place of places) assert.include(String(place), "/checkout/")
})

layer(Layer.effect(Service, start({ env: { ALLOW_PRIVATE_WEBHOOKS: "true" } })), { excludeTestServices: true })(
  "the shop",
  (it) => {
    beforeAll(() => {
      mkdirSync(path.resolve("node_modules/.cache"), { recursive: true })
      folder = mkdtempSync(path.resolve("node_modules/.cache/frameworks-"))
      // The source of the SDK, under the name of its package.
      write("node_modules/@coffer/sdk/package.json", `{ "type": "module", "exports": "./index.js" }`)
      const source = JSON.stringify(path.resolve("packages/sdk/src/index.ts"))
      write("node_modules/@coffer/sdk/index.js", `export * from ${source}\n`)
      write("package.json", `{ "type": "module" }`)
    })
    afterAll(() => rmSync(folder, { recursive: true, force: true }))

    it.effect("of Express sells once, and believes what is signed", () =>
      Effect.gen(function* () {
        const running = yield* withNewMerchant(yield* Service)
        const port = yield* freePort
        const home = `http://127.0.0.1:${port}`
        const env = { ...envOf(running, home), PORT: String(port) }
        const file = write("express.js", express)
        yield* Effect.acquireRelease(
          Effect.sync((): ChildProcess => spawn(process.execPath, [file], { env, cwd: folder, stdio: "inherit" })),
          (child) => Effect.sync(() => void child.kill())
        )
        const ask = (to: string, init: RequestInit = {}) =>
          Effect.promise(() => fetch(`${home}${to}`, { redirect: "manual", ...init }))
        yield* eventually(
          "the shop to listen",
          Effect.promise(() =>
            fetch(`${home}/thanks/none`).then(
              ({ ok }) => ok,
              () => false
            )
          )
        )
        const places = yield* Effect.forEach([1, 2], () => ask("/buy/e-1", { method: "POST" }))
        assert.deepStrictEqual(
          places.map(({ status }) => status),
          [303, 303]
        )
        yield* sold(
          running,
          "e-1",
          places.map(({ headers }) => headers.get("location"))
        )
        const post = yield* signed(eventOf("e-1"), yield* secretOf(running))
        const other = { ...post, body: eventOf("e-2") }
        assert.strictEqual((yield* ask("/hook", { method: "POST", ...other })).status, 400)
        const text = (to: string) => Effect.flatMap(ask(to), (answer) => Effect.promise(() => answer.text()))
        assert.include(yield* text("/thanks/e-1"), "waiting")
        for (const _ of [1, 2]) assert.strictEqual((yield* ask("/hook", { method: "POST", ...post })).status, 200)
        assert.include(yield* text("/thanks/e-1"), "Paid")
        assert.include(yield* text("/thanks/e-2"), "waiting")
      }).pipe(Effect.scoped)
    )

    it.effect("of Next.js sells once, and believes what is signed", () =>
      Effect.gen(function* () {
        const running = yield* withNewMerchant(yield* Service)
        write("lib/shop.js", library)
        write("app/buy/[number]/route.js", buy)
        write("app/hook/route.js", hook)
        write("app/thanks/[number]/route.js", thanks)
        const post = yield* signed(eventOf("n-1"), yield* secretOf(running))
        const file = write(
          "next.js",
          `import { POST as buy } from "./app/buy/[number]/route.js"
        import { POST as hook } from "./app/hook/route.js"
        import { GET as thanks } from "./app/thanks/[number]/route.js"
        const post = ${JSON.stringify(post)}
        const params = (number) => ({ params: Promise.resolve({ number }) })
        const at = (to, init) => new Request("http://shop.example" + to, init)
        const text = async (number) => (await thanks(at("/thanks/" + number), params(number))).text()
        const answers = []
        for (const _ of [1, 2]) answers.push(await buy(at("/buy/n-1", { method: "POST" }), params("n-1")))
        const places = answers.map(({ headers, status }) => [status, headers.get("location")])
        const before = await text("n-1")
        const wrong = await hook(at("/hook", { method: "POST", ...post, body: post.body.replaceAll("n-1", "n-2") }))
        const right = []
        for (const _ of [1, 2]) right.push((await hook(at("/hook", { method: "POST", ...post }))).status)
        console.log(JSON.stringify({ places, before, wrong: wrong.status, right, after: await text("n-1") }))`
        )
        const output = yield* Effect.promise(() =>
          outputOf([process.execPath, file], envOf(running, "http://shop.example"))
        )
        const { after, before, places, right, wrong } = JSON.parse(output)
        yield* sold(
          running,
          "n-1",
          places.map(([, place]: [number, string]) => place)
        )
        assert.deepStrictEqual([places[0][0], wrong, right], [303, 400, [200, 200]])
        assert.include(before, "waiting")
        assert.include(after, "Paid")
      })
    )

    it.effect.skipIf(needsPython !== "")(`of Django sells once, and believes what is signed${needsPython}`, () =>
      Effect.gen(function* () {
        const running = yield* withNewMerchant(yield* Service)
        // What the views use of Django, in its shape.
        write("django/__init__.py", "")
        write(
          "django/http.py",
          `class HttpResponse:
    def __init__(self, content="", status=200):
        self.content, self.status_code, self.headers = content, status, {}


class HttpResponseRedirect(HttpResponse):
    def __init__(self, to):
        super().__init__("", 302)
        self.headers["Location"] = to
`
        )
        write("django/views/__init__.py", "")
        write("django/views/decorators/__init__.py", "")
        write("django/views/decorators/csrf.py", "def csrf_exempt(view):\n    return view\n")
        write("django/views/decorators/http.py", "def require_POST(view):\n    return view\n")
        write("views.py", views)
        const post = yield* signed(eventOf("d-1"), yield* secretOf(running))
        const file = write(
          "drive.py",
          `import json
from types import SimpleNamespace

import views

post = json.loads(${JSON.stringify(JSON.stringify(post))})
request = SimpleNamespace(body=post["body"].encode(), headers=post["headers"])
other = SimpleNamespace(body=post["body"].replace("d-1", "d-2").encode(), headers=post["headers"])
answers = [views.buy(request, "d-1"), views.buy(request, "d-1")]
places = [[each.status_code, each.headers["Location"]] for each in answers]
before = views.thanks(request, "d-1").content
wrong = views.hook(other).status_code
right = [views.hook(request).status_code, views.hook(request).status_code]
after = views.thanks(request, "d-1").content
print(json.dumps({"places": places, "before": before, "wrong": wrong, "right": right, "after": after}))
`
        )
        const { code, stderr, stdout } = yield* Effect.promise(() =>
          pythonRun([file], {
            ...envOf(running, "http://shop.example"),
            PYTHONPATH: `${folder}:${path.resolve("packages/python")}`
          })
        )
        assert.strictEqual(code, 0, stderr)
        const { after, before, places, right, wrong } = JSON.parse(stdout)
        yield* sold(
          running,
          "d-1",
          places.map(([, place]: [number, string]) => place)
        )
        assert.deepStrictEqual([places[0][0], wrong, right], [303, 400, [200, 200]])
        assert.include(before, "waiting")
        assert.include(after, "Paid")
      })
    )
  }
)

const outputOf = ([program, ...words]: readonly [string, ...ReadonlyArray<string>], env: Record<string, string>) =>
  new Promise<string>((resolve, reject) => {
    const child = spawn(program, words, { env, cwd: folder })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => (output += text))
    }
    child.once("close", (code) => (code === 0 ? resolve(output) : reject(new Error(output))))
  })
