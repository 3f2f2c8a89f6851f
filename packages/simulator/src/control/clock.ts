/** The clock, which a test stops, moves and restarts. */
import { Effect, Schema } from "effect"
import { command, nothing, type Parts, refuse } from "./Command.ts"

export const clockCommands = ({ deliveries, engine, faults, world }: Parts) => {
  const time = () => ({ now: world.seconds(), stands: world.clock.isStanding() })
  return {
    state: command(nothing, () =>
      Effect.sync(() => ({ ...time(), held_webhooks: deliveries.heldCount(), faults: faults.all() }))
    ),
    advance: command(Schema.Struct({ seconds: Schema.Number }), ({ seconds }) =>
      seconds < 0
        ? refuse("The clock does not go back.")
        : Effect.map(engine.moveTo(world.clock.millis() + seconds * 1000), time)
    ),
    move_to: command(Schema.Struct({ time: Schema.Number }), ({ time: to }) =>
      to < world.seconds() ? refuse("The clock does not go back.") : Effect.map(engine.moveTo(to * 1000), time)
    ),
    stand: command(nothing, () => Effect.sync(() => (world.clock.stand(), time()))),
    go_on: command(nothing, () => Effect.sync(() => (world.clock.goOn(), world.wake(), time()))),
    rest: command(nothing, () => Effect.map(engine.rest, time))
  }
}
