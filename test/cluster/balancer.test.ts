/** A balancer of ours learns which runner has the wallets of a key, and sends the key's writes there. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { hasHaproxy } from "../../packages/bench/src/stage/balancer.ts"
import { Api } from "../kit/Api.ts"
import { connect, eventually } from "../kit/Process.ts"
import { eachOwnsAPart, newOrders, newWallets, ownerOf } from "../kit/runners/threeRunners.ts"
import { newOrder, perform, performAtLast, runner } from "../kit/runners/TwoRunners.ts"
import { haproxy } from "../kit/servers/haproxy.ts"
import { freePort, freshDatabase, operatorToken } from "../kit/Service.ts"

/** Two runners; both trust a proxy on this machine, unless the second has other settings. */
const behindOurs = Effect.fnUntraced(function* (env: Record<string, string> = { TRUSTED_PROXIES: "127.0.0.1" }) {
  const databaseUrl = yield* freshDatabase
  const ports = [yield* freePort, yield* freePort] as const
  const a = yield* runner(databaseUrl, { TRUSTED_PROXIES: "127.0.0.1", RUNNER_PORT: String(ports[0]) })
  const b = yield* runner(databaseUrl, { ...env, RUNNER_PORT: String(ports[1]) })
  yield* a.ready
  yield* b.ready
  const held = yield* eachOwnsAPart(yield* connect(databaseUrl), 2)
  return { a, b, held, ports }
})

it.live("a runner tells our own proxy, and nobody else, which runner carried out a write that it sent on", () =>
  Effect.gen(function* () {
    const { a, b, held, ports } = yield* behindOurs({})
    const orders = yield* newOrders(a, yield* newWallets(a), 24)
    const owned = ({ pid }: typeof a) => orders.find(({ wallet }) => ownerOf(wallet, held) === pid)!
    const toldBy = (coffer: typeof a, order: (typeof orders)[number]) =>
      Effect.map(perform(coffer, "annotate", order), ({ headers, status }) => {
        assert.strictEqual(status, 200)
        return headers.get("coffer-owner")
      })
    yield* eventually(
      "the owner to be known",
      Effect.map(toldBy(a, owned(b)), (told) => told === `127.0.0.1:${ports[1]}`)
    )
    assert.isNull(yield* toldBy(a, owned(a)))
    for (const order of [owned(a), owned(b)]) assert.isNull(yield* toldBy(b, order))
  })
)

const elsewhere = ({ api }: { readonly api: Api }) =>
  Effect.map(api.get("/metrics"), ({ text }) =>
    [...text.matchAll(/^coffer_commands_asked_total\{.*owner="elsewhere".*\} (\d+)$/gm)].reduce(
      (sum, [, count]) => sum + Number(count),
      0
    )
  )

const title = "the balancer of docker/haproxy.cfg"

describe.skipIf(!hasHaproxy)(hasHaproxy ? title : `${title} (left out: this machine has no haproxy)`, () => {
  it.live("sends the writes of a key to the runner that has its wallet, and to another one once that is gone", () =>
    Effect.gen(function* () {
      const { a, b, ports } = yield* behindOurs()
      const runners = [a, b].map(({ port }, index) => ({ port, runnerPort: ports[index]! }))
      const baseUrl = `http://127.0.0.1:${yield* haproxy(runners)}`
      const balancer = { ...a, baseUrl, api: new Api(baseUrl, operatorToken) }
      // One currency of each key: the wallets of another one may be at another runner.
      const wallets = (yield* newWallets(a)).filter(({ currency }) => currency === "USD")
      const payEach = Effect.forEach(wallets, (wallet) =>
        Effect.gen(function* () {
          const { headers, status } = yield* perform(balancer, "pay", yield* newOrder(a, wallet))
          assert.strictEqual(status, 200)
          assert.isFalse(headers.has("coffer-owner"))
        })
      )
      const sentOn = Effect.map(Effect.all([elsewhere(a), elsewhere(b)]), ([ofA, ofB]) => ofA + ofB)
      yield* eventually(
        "all writes to arrive at their owners",
        Effect.gen(function* () {
          const before = yield* sentOn
          yield* payEach
          return (yield* sentOn) === before
        })
      )
      b.signal("SIGKILL")
      yield* b.ended
      for (const wallet of wallets) yield* performAtLast(balancer, "pay", yield* newOrder(a, wallet))
    })
  )
})
