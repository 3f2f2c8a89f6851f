/** The first start on a laptop: nothing but an empty COFFER_HOME. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { consoleBrowser } from "../kit/callers/console.ts"
import { credentialsOf, launch, newHome, run } from "../kit/Process.ts"

describe("a first start", () => {
  it.live(
    "has its demo merchant before it says on /readyz that it is ready: whoever waits for that finds credentials.json",
    () =>
      Effect.gen(function* () {
        const home = yield* newHome
        const { api } = yield* launch({ env: { COFFER_HOME: home } })
        yield* api.ready
        const { sandbox_key: key } = credentialsOf(home)
        assert.strictEqual((yield* api.post("/v1/orders", key, { amount: 100 })).status, 201)
        const { body } = yield* api.get("/v1/balance?currency=USD", key)
        assert.isAbove(body.data.available_balance, 0)
      })
  )

  it.live("greets people with the path of the credentials and the address of the reference, and prints no JSON", () =>
    Effect.gen(function* () {
      const home = yield* newHome
      const { baseUrl, said } = yield* run({ env: { COFFER_HOME: home } })
      assert.include(said.stdout, `${home}/credentials.json`)
      assert.include(said.stdout, `${baseUrl}/docs`)
      assert.strictEqual(said.stderr, "")
    })
  )

  it.live("prints two links that sign in to the console, each once", () =>
    Effect.gen(function* () {
      const home = yield* newHome
      const { api, baseUrl, said } = yield* run({ env: { COFFER_HOME: home } })
      const linksOf = (text: string) => [...text.matchAll(/http\S+\/console\/sign-in#[\w-]{43}/g)].map(([link]) => link)
      const greeted = linksOf(said.stdout)
      assert.lengthOf(greeted, 2)
      assert.isTrue(greeted.every((link) => link.startsWith(baseUrl)))
      const use = (link: string) =>
        Effect.map(
          consoleBrowser(api).call("POST", "/sign_in/use", { token: link.split("#")[1] }),
          ({ body, status }) => [status, body.data?.person.roles[0].role]
        )
      assert.deepStrictEqual(yield* use(greeted[0]!), [201, "owner"])
      assert.strictEqual((yield* use(greeted[0]!))[0], 400)
    })
  )
})
