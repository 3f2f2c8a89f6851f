/** A merchant's receiver that was down: it refused three events to the last attempt, and takes whatever comes now. */
import { Effect } from "effect"
import { hooksOf } from "../callers/Hooks.ts"
import { merchantOf } from "../Merchant.ts"
import { receiver } from "../Receiver.ts"
import type { Running } from "../Service.ts"

export const outage = Effect.fnUntraced(function* (running: Running) {
  const shop = merchantOf(running)
  const hook = yield* receiver
  yield* hooksOf(running, running.merchant).create({ url: hook.url })
  hook.answer(500)
  for (const amount of [100, 200, 300]) yield* shop.paid(amount)
  yield* running.pass("10 hours")
  hook.answer(200)
  return { hook, shop }
})
