/** The look of the service at its own checkout page from outside, through a proxy where TLS ends (PCI DSS 11.6.1). */
import { readFileSync } from "node:fs"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, Metric } from "effect"
import { makeLook } from "../../src/door/doctor/checkoutPage.ts"
import { Settings } from "../../src/platform/runtime/Settings.ts"
import { authority, needsOpenssl } from "../kit/servers/Certificates.ts"
import { type Json, merchantOf, said as toldOf } from "../kit/Merchant.ts"
import { freePort, start } from "../kit/Service.ts"

interface Passed {
  readonly html: string
  readonly headers: Record<string, string>
}

/** A proxy that buyers reach, which may change what it passes on. Programs of this process trust its certificate. */
const proxied = Effect.gen(function* () {
  const { ca, sign } = yield* authority
  const { cert, key } = sign("DNS:localhost")
  const before = getCACertificates("default")
  yield* Effect.acquireRelease(
    Effect.sync(() => setDefaultCACertificates([...before, readFileSync(ca, "utf8")])),
    () => Effect.sync(() => setDefaultCACertificates(before))
  )
  const port = yield* freePort
  const asked: Array<string> = []
  let change = (passed: Passed): Passed | undefined => passed
  const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (request, response) => {
    asked.push(request.url!)
    fetch(`http://127.0.0.1:${port}${request.url}`, { headers: { "user-agent": request.headers["user-agent"]! } }).then(
      async (got) => {
        const { "content-encoding": _, "content-length": __, ...headers } = Object.fromEntries(got.headers)
        const sent = change({ html: await got.text(), headers })
        if (sent === undefined) return void response.destroy()
        response.writeHead(got.status, sent.headers).end(sent.html)
      }
    )
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.sync(() => server.closeAllConnections() ?? server.close())
  )
  const publicUrl = `https://localhost:${(server.address() as AddressInfo).port}`
  const running = yield* start({ port, clock: "test", env: { PUBLIC_URL: publicUrl } })
  const said: Array<string> = []
  const look = makeLook(yield* Effect.provideContext(Settings, running.context)).pipe(
    Effect.provide(Logger.layer([Logger.make(({ message }) => void said.push(String(message)))])),
    Effect.provideContext(running.context)
  )
  const newOrder: Effect.Effect<Json> = toldOf(merchantOf(running).post("/v1/orders", { amount: 2_000 }))
  return { ...running, newOrder, asked, look, said, through: (made: typeof change) => (change = made) }
})

const valueOf = (name: string) =>
  Effect.map(Metric.snapshot, (all) => {
    const found = all.find(({ id }) => id === name)
    return found?.type === "Gauge" ? Number(found.state.value) : undefined
  })
const altered = valueOf("coffer_checkout_page_altered")
const age = valueOf("coffer_checkout_page_look_age_seconds")

const times = <E, R>(count: number, look: Effect.Effect<void, E, R>) => Effect.repeat(look, { times: count - 1 })

describe(`the checkout page as buyers get it${needsOpenssl}`, { skip: needsOpenssl !== "" }, () => {
  it.live("is fetched once a day, at an unpaid order's address if there is one, and is reported as correct", () =>
    Effect.gen(function* () {
      const { asked, look, newOrder, said } = yield* proxied
      asked.length = 0
      yield* look
      assert.deepStrictEqual(asked, ["/checkout/none?lang=en"])
      const { checkout_url } = yield* newOrder
      yield* times(24 * 60, look)
      assert.deepStrictEqual(asked.slice(1), [`${new URL(checkout_url).pathname}?lang=en`])
      assert.deepStrictEqual([yield* altered, yield* age], [0, 0])
      assert.deepStrictEqual(said, [])
    })
  )

  for (const [what, change, told] of [
    [
      "a foreign script",
      ({ html }) => ({ html: html.replace("</body>", "<script>steal()</script></body>") }),
      /added: a script with the hash sha256-/
    ],
    [
      "a script from elsewhere",
      ({ html }) => ({ html: html.replace("</head>", '<script src="https://x.example/a.js"></script></head>') }),
      /added: a script src="https:\/\/x\.example/
    ],
    [
      "a changed script",
      ({ html }) => ({ html: html.replace('"use strict"', '"use strict";steal()') }),
      /added: a script.*missing: a script/
    ],
    [
      "an attribute that is a script",
      ({ html }) => ({ html: html.replace("<main", '<main onclick="steal()"') }),
      /added: onclick=/
    ],
    [
      "another form",
      ({ html }) => ({ html: html.replace("</main>", '<form action="https://x.example"></form></main>') }),
      /added: <form/
    ],
    [
      "a field for a card",
      ({ html }) => ({ html: html.replace("</main>", '<input name="pan"></main>') }),
      /added: a field pan/
    ],
    [
      "another policy",
      ({ headers }) => ({ headers: { ...headers, "content-security-policy": "default-src *" } }),
      /added: the header content-security-policy: default-src \*/
    ],
    [
      "a header that is gone",
      ({ headers: { "x-content-type-options": _, ...headers } }) => ({ headers }),
      /added: the header x-content-type-options: none/
    ]
  ] satisfies ReadonlyArray<[string, (passed: Passed) => Partial<Passed>, RegExp]>) {
    it.live(`that has ${what} is reported after half an hour, and no more once it is correct`, () =>
      Effect.gen(function* () {
        const { look, newOrder, said, through } = yield* proxied
        yield* newOrder
        through((passed) => ({ ...passed, ...change(passed) }))
        yield* times(29, look)
        assert.deepStrictEqual([yield* altered, said], [0, []])
        yield* look
        assert.strictEqual(yield* altered, 1)
        assert.lengthOf(said, 1)
        assert.match(said[0]!, told)
        through((passed) => passed)
        yield* times(24 * 60, look)
        assert.strictEqual(yield* altered, 0)
      })
    )
  }

  it.live("is not altered where it cannot be seen, and is looked at again after an hour", () =>
    Effect.gen(function* () {
      const { asked, look, through } = yield* proxied
      yield* look
      through(() => undefined)
      asked.length = 0
      yield* times(24 * 60, look)
      assert.lengthOf(asked, 1)
      yield* times(59, look)
      assert.lengthOf(asked, 1)
      yield* look
      assert.lengthOf(asked, 2)
      assert.strictEqual(yield* altered, 0)
    })
  )

  it.live("is not looked at where NO_OUTBOUND is set or PUBLIC_URL is in clear", () =>
    Effect.gen(function* () {
      const { asked, context } = yield* proxied
      const settings = yield* Effect.provideContext(Settings, context)
      asked.length = 0
      for (const read of [
        { ...settings, noOutbound: true },
        { ...settings, publicUrl: settings.publicUrl.replace("https", "http") }
      ]) {
        yield* Effect.provideContext(makeLook(read), context)
        assert.strictEqual(yield* age, Infinity)
      }
      assert.deepStrictEqual(asked, [])
    })
  )
})
