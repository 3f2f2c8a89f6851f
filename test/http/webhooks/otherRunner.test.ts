/** A webhook setting that is changed at one runner takes effect at the other (docs/decisions/0021). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { hooksOf, signaturesIn, stripeAccepts } from "../../kit/callers/Hooks.ts"
import { eventually } from "../../kit/Process.ts"
import { receiver } from "../../kit/Receiver.ts"
import { asRunner, freshDatabase, start } from "../../kit/Service.ts"

it.live("a runner hears at once of the endpoints and secrets that another runner has changed", () =>
  Effect.gen(function* () {
    const database = yield* freshDatabase
    const one = yield* start({ database, env: yield* asRunner })
    const other = yield* start({ database, env: yield* asRunner })
    const { merchant } = one
    yield* one.api.operator("POST", `/merchants/${merchant.merchantId}`, { approved: true, live_currencies: ["USD"] })
    const live = hooksOf(one, merchant, merchant.liveKey)
    const order = Effect.map(other.api.post("/v1/orders", merchant.liveKey, { amount: 100 }), ({ status }) => status)
    const url = "https://shop.example/"
    yield* eventually(
      "the merchant to be known",
      Effect.map(order, (status) => status === 400)
    )
    const { id } = yield* live.create({ url })
    yield* eventually(
      "the endpoint to be known",
      Effect.map(order, (status) => status === 201)
    )
    yield* live.update(id, { disabled: true })
    yield* eventually(
      "that it was disabled",
      Effect.map(order, (status) => status === 400)
    )

    const hook = yield* receiver
    const hooks = hooksOf(one, merchant)
    const made = yield* hooks.create({ url: hook.url })
    const { secret } = yield* hooks.rotate(made.id)
    const elsewhere = hooksOf(other, merchant)
    yield* eventually(
      "both signatures",
      Effect.gen(function* () {
        yield* elsewhere.paid()
        const received = yield* hook.next
        return signaturesIn(received)[0] === 2 && stripeAccepts(received, secret)
      })
    )
    assert.isTrue(stripeAccepts(hook.all.at(-1)!, made.secret))
  })
)
