/** `stripe-simulator`: listens until it is stopped. If it cannot start, one line says why. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect } from "effect"
import { readArguments, usage } from "./arguments.ts"
import { apiVersion } from "./facts/table.ts"
import { start } from "./start.ts"

const listen = Effect.fnUntraced(function* (argv: ReadonlyArray<string>) {
  const parsed = yield* readArguments(argv)
  if (parsed.help) return yield* Console.log(usage)
  const { url } = yield* start(parsed.options)
  yield* Console.log(
    [
      `Stripe's API ${apiVersion}, simulated at ${url}`,
      `Any key works: sk_test_… and sk_live_… of one account each.`,
      parsed.options.stateFile === undefined
        ? `State is in memory, and gone when this ends.`
        : `State is kept in ${parsed.options.stateFile}.`
    ].join("\n")
  )
  return yield* Effect.never
}, Effect.scoped)

const failWith = (message: string) =>
  Effect.andThen(
    Console.error(message),
    Effect.sync(() => {
      process.exitCode = 1
    })
  )

listen(process.argv.slice(2)).pipe(
  Effect.catchTags({
    BadArgument: ({ message }) => failWith(message),
    StateFileUnusable: ({ message }) => failWith(message),
    ServeError: ({ cause }) => failWith(`It cannot listen: ${cause instanceof Error ? cause.message : String(cause)}`)
  }),
  NodeRuntime.runMain({ disableErrorReporting: true })
)
