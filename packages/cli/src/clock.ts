/** `coffer clock`, `coffer channel`: the test clock of your sandbox, and its simulated bank. */
import { Console, Effect, Option, Schedule } from "effect"
import { Argument, Command } from "effect/cli"
import type { SandboxClock } from "../../sdk/src/index.ts"
import { failed } from "./CliFailure.ts"
import { type Client, connect, connectToWrite } from "./client.ts"
import { text } from "./flags.ts"
import { command, json } from "./frame.ts"
import { indentedJson, shownJson } from "./json.ts"
import { count, paint, span, time } from "./output.ts"
import { plain } from "./plain.ts"
import { progress } from "./progress.ts"

/** The poll interval while the clock advances. */
const lookEvery = "1 second"
/** How often an unanswered call is retried. The clock advances meanwhile. */
const missesMax = 60

const print = Effect.fnUntraced(function* (clock: SandboxClock) {
  if (yield* json) return yield* Console.log(indentedJson(clock))
  const style = yield* paint
  const { ahead_ms, happened, now, stops, target } = clock
  const ahead = ahead_ms === 0 ? "real time" : `${span(ahead_ms)} ahead of real time`
  const way = target === null ? "" : `, advancing to ${time(target)}`
  yield* Console.log(`${style("bold", time(now))}  ${ahead}${way}`)
  if (stops > 0) yield* Console.log(`  ${count(stops)} things came due on the way`)
  for (const [what, times] of Object.entries(happened))
    yield* Console.log(`  ${count(times).padStart(6)}  ${plain(what)}`)
})

const goalOf = (by: Option.Option<string>, to: Option.Option<string>) => {
  if (Option.isSome(by) === Option.isSome(to)) {
    return failed(
      "bad_advance",
      "How far, or to what time?",
      "run coffer clock advance 24h, or use --to 2026-12-24T00:00:00Z",
      2
    )
  }
  if (Option.isSome(to)) return Effect.succeed({ to: to.value })
  const step = Option.getOrThrow(by)
  return Effect.succeed({ by: /^\d{1,15}$/.test(step) ? Number(step) : step })
}

/** Waits until the clock has reached its target, and shows its progress. */
const untilThere = Effect.fnUntraced(function* ({ ask }: Client, first: SandboxClock) {
  const comeTo = ({ now }: SandboxClock) => Date.parse(now) - Date.parse(first.now)
  const report = yield* progress(undefined, wayLine)
  const look = ask((coffer) => coffer.testHelpers.clock.get()).pipe(
    Effect.retry({ while: ({ isPassing }) => isPassing, schedule: Schedule.spaced(lookEvery), times: missesMax })
  )
  let clock = first
  while (clock.status === "advancing") {
    yield* report(comeTo(clock))
    yield* Effect.sleep(lookEvery)
    clock = yield* look
  }
  yield* report(comeTo(clock), comeTo(clock))
  return clock
})

export const wayLine = (come: number, _: number | undefined, millis: number): string =>
  `the clock advanced ${span(come)} in ${span(millis)}`

const advance = command(
  "advance",
  {
    does: "Advance your sandbox's test clock, and wait until it is done",
    example: "coffer clock advance 24h"
  },
  {
    by: Argument.String("by").pipe(
      Argument.optional,
      Argument.withDescription("How far to advance: 90s, 10m, 24h, 90d, or a number of seconds")
    ),
    to: text("to", "The time to advance to, such as 2026-12-24T00:00:00Z")
  },
  Effect.fnUntraced(function* ({ by, to }) {
    const goal = yield* goalOf(by, to)
    const client = yield* connect()
    const first = yield* client.ask((coffer) => coffer.testHelpers.clock.advance(goal))
    yield* print(yield* untilThere(client, first))
  })
)

export const clockCommand = command(
  "clock",
  {
    does: "Show your sandbox's test clock",
    example: "coffer clock"
  },
  {},
  () =>
    Effect.gen(function* () {
      const { ask } = yield* connect()
      yield* print(yield* ask((coffer) => coffer.testHelpers.clock.get()))
    })
).pipe(Command.withSubcommands([advance]))

export const channelCommand = command(
  "channel",
  { does: "Take the channel of your sandbox down, or bring it up again: up or down", example: "coffer channel down" },
  { state: Argument.Literals("state", ["up", "down"]) },
  ({ state }) =>
    Effect.gen(function* () {
      const { ask } = yield* connectToWrite()
      const made = yield* ask(({ testHelpers }) => testHelpers.channel.set({ reachable: state === "up" }))
      if (yield* json) return yield* Console.log(shownJson(made))
      yield* Console.log(made.reachable ? "The channel is up." : "The channel is down: calls that need it return 502.")
    })
)
