/** Commands that inject faults into requests, webhooks and keys. */
import { Effect, Schema } from "effect"
import { Fault } from "../server/faults.ts"
import { command, nothing, type Parts, there } from "./Command.ts"

const Order = Schema.Union([Schema.Literals(["oldest_first", "newest_first"]), Schema.Array(Schema.Int)])
export const troubleCommands = ({ deliveries, faults, revoked, world }: Parts) => ({
  fault: command(Fault, (fault) => Effect.sync(() => (faults.add(fault), { faults: faults.all() }))),
  clear_faults: command(Schema.Struct({ account: Schema.optionalKey(Schema.String) }), ({ account }) =>
    Effect.sync(() => (faults.clear(account), { faults: faults.all() }))
  ),
  hold_webhooks: command(nothing, () => Effect.sync(() => (deliveries.hold(), {}))),
  release_webhooks: command(Schema.Struct({ order: Schema.optionalKey(Order) }), ({ order = "oldest_first" }) =>
    Effect.map(deliveries.release(order), (sent) => ({ sent }))
  ),
  send_again: command(Schema.Struct({ event: Schema.String }), ({ event: id }) =>
    Effect.gen(function* () {
      const [book] = yield* there(world, "event", id)
      const endpoints = Array.from(book.newest("webhook_endpoint"), ({ id }) => id)
      for (const endpoint of endpoints) {
        world.schedule(book, world.clock.millis(), { do: "deliver", event: id, endpoint, attempt: 1, isStruck: true })
      }
      return { endpoints }
    })
  ),
  rate_limit: command(Schema.Struct({ calls: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)) }), ({ calls }) =>
    Effect.sync(() => ((world.settings = { ...world.settings, rateLimit: calls }), {}))
  ),
  thin_events: command(Schema.Struct({ endpoint: Schema.String }), ({ endpoint: id }) =>
    Effect.gen(function* () {
      yield* there(world, "webhook_endpoint", id)
      world.thin.add(id)
      return {}
    })
  ),
  revoke_key: command(Schema.Struct({ key: Schema.String }), ({ key }) => Effect.sync(() => (revoked.add(key), {}))),
  restore_key: command(Schema.Struct({ key: Schema.String }), ({ key }) => Effect.sync(() => (revoked.delete(key), {})))
})
