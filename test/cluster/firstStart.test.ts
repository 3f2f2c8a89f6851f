/** The first start on a laptop: nothing but an empty COFFER_HOME. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { consoleBrowser } from "../kit/callers/console.ts"
import { credentialsOf, launch, newHome, once } from "../kit/Process.ts"

/** A person waits for /readyz alone and takes payments. Later the greeting is read, and its links are used. */
const firstStart = once(
  Effect.gen(function* () {
    const home = yield* newHome
    const { api, baseUrl, ready, said } = yield* launch({ env: { COFFER_HOME: home } })
    yield* api.ready
    const { sandbox_key: key } = credentialsOf(home)
    const created = yield* api.post("/v1/orders", key, { amount: 100 })
    const balance = yield* api.get("/v1/balance?currency=USD", key)
    yield* ready
    const greeting = { ...said }
    const links = [...greeting.stdout.matchAll(/http\S+\/console\/sign-in#[\w-]{43}/g)].map(([link]) => link)
    const use = (link = "") =>
      Effect.map(
        consoleBrowser(api).call("POST", "/sign_in/use", { token: link.split("#")[1] }),
        ({ body, status }) => [status, body.data?.person.roles[0].role]
      )
    const used = [yield* use(links[0]), yield* use(links[0])] as const
    return { home, baseUrl, created, balance, greeting, links, used }
  })
)

describe("a first start", () => {
  it.live(
    "has its demo merchant before it says on /readyz that it is ready: whoever waits for that finds credentials.json",
    () =>
      Effect.gen(function* () {
        const { balance, created } = yield* firstStart
        assert.strictEqual(created.status, 201)
        assert.isAbove(balance.body.data.available_balance, 0)
      })
  )

  it.live("greets people with the path of the credentials and the address of the reference, and prints no JSON", () =>
    Effect.gen(function* () {
      const { baseUrl, greeting, home } = yield* firstStart
      assert.include(greeting.stdout, `${home}/credentials.json`)
      assert.include(greeting.stdout, `${baseUrl}/docs`)
      assert.strictEqual(greeting.stderr, "")
    })
  )

  it.live("prints two links that sign in to the console, each once", () =>
    Effect.gen(function* () {
      const { baseUrl, links, used } = yield* firstStart
      assert.lengthOf(links, 2)
      assert.isTrue(links.every((link) => link.startsWith(baseUrl)))
      assert.deepStrictEqual(used[0], [201, "owner"])
      assert.strictEqual(used[1][0], 400)
    })
  )
})
