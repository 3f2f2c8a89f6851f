/** `coffer runners`: the runners of the installation, and draining one before its machine goes. */
import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { json, operatorCommand } from "./frame.ts"
import { shownJson } from "./json.ts"
import { connectOperator } from "./operatorClient.ts"
import { plain } from "./plain.ts"

interface Runner {
  readonly instance_id: string
  readonly address: string | null
  readonly state: string
  readonly draining: boolean
  readonly shards: number | null
  readonly version: string
}

const list = operatorCommand(
  "list",
  { does: "The runners of the last hour, and how many shards each holds", example: "coffer runners list" },
  {},
  Effect.fnUntraced(function* () {
    const operator = yield* connectOperator
    const { runners } = (yield* operator.get("/cluster")) as { readonly runners: ReadonlyArray<Runner> }
    if (yield* json) return yield* Console.log(shownJson(runners))
    for (const { address, draining, instance_id, shards, state, version } of runners) {
      const how = draining ? "draining" : state
      yield* Console.log(plain(`${instance_id}  ${address ?? "-"}  ${how}  ${shards ?? "-"} shards  ${version}`))
    }
  })
)

const drain = operatorCommand(
  "drain",
  { does: "Let a runner give up its shards and connections, and then stop", example: "coffer runners drain 4f1d7c0a…" },
  { runner: Argument.String("runner").pipe(Argument.withDescription("Its instance_id, from coffer runners list")) },
  Effect.fnUntraced(function* ({ runner }) {
    const operator = yield* connectOperator
    const answer = yield* operator.post(`/cluster/runners/${encodeURIComponent(runner)}/drain`)
    if (yield* json) return yield* Console.log(shownJson(answer))
    yield* Console.log(`The runner ${plain(runner)} gives up its shards and connections, and then stops.`)
  })
)

export const runnersCommand = Command.make("runners").pipe(
  Command.withDescription("The installation's runners: list, drain"),
  Command.withSubcommands([list, drain])
)
