/** The amounts that an order may have, where a merchant has accounts at channels with limits of their own. */
import { assert, describe, it } from "@effect/vitest"
import { ChannelName } from "@coffer/model/Ids"
import type { AmountBounds } from "@coffer/rules/order/termsProblem"
import { Effect } from "effect"
import { make, type RegisteredChannel } from "../../src/shared/channel/Channel.ts"

const between = (min: number, max: number): AmountBounds => ({
  USD: { min, max },
  HKD: { min, max },
  CNY: { min: 1, max: 10 }
})

const taken = Effect.fnUntraced(function* (
  channels: Readonly<Record<string, AmountBounds | undefined>>,
  active: ReadonlyArray<string>
) {
  const channel = make()
  for (const [name, bounds] of Object.entries(channels)) {
    // Only these members of a channel are looked at.
    const one = { name: ChannelName.make(name), rank: 1, ...(bounds === undefined ? {} : { bounds }) }
    yield* channel.register(one as RegisteredChannel)
  }
  const account = (name: string) => ({ isActive: active.includes(name), setAt: "", own: {} })
  return channel.boundsOf(Object.fromEntries(Object.keys(channels).map((name) => [name, account(name)])))
})

describe("an order's amount", () => {
  it.effect("is one that some active account takes, and not that of the first alone", () =>
    Effect.gen(function* () {
      const channels = { first: between(50, 900), second: between(100, 5_000) }
      assert.deepStrictEqual(yield* taken(channels, ["first", "second"]), between(50, 5_000))
      assert.deepStrictEqual(yield* taken(channels, ["second"]), between(100, 5_000))
      assert.isUndefined(yield* taken(channels, []))
    })
  )

  it.effect("is any where one active account has no limits", () =>
    Effect.gen(function* () {
      const channels = { first: between(50, 900), second: undefined }
      assert.isUndefined(yield* taken(channels, ["first", "second"]))
      assert.deepStrictEqual(yield* taken(channels, ["first"]), between(50, 900))
    })
  )
})
