/** What every command takes, and how it ends: the account's flags, `--json`, and failures that say what to do next. */
import { Effect } from "effect"
import { Command, Flag, GlobalFlag } from "effect/cli"
import { type CliFailure, Said, say } from "./CliFailure.ts"

export const key = GlobalFlag.Setting("key")({
  flag: Flag.Redacted("key").pipe(
    Flag.optional,
    Flag.withDescription(
      "API key; otherwise COFFER_KEY (which no list of processes shows), else .coffer/credentials.json"
    )
  )
})

export const baseUrl = GlobalFlag.Setting("base-url")({
  flag: Flag.String("base-url").pipe(
    Flag.optional,
    Flag.withDescription(
      "Address of the service, as in https://pay.example/v1; otherwise COFFER_BASE_URL, else that file"
    )
  )
})

export const json = GlobalFlag.Setting("json")({
  flag: Flag.Boolean("json").pipe(
    Flag.withDefault(false),
    Flag.withDescription("Print JSON: one object, or one object a line")
  )
})

/** A command with a handler. */
export const command = <const Name extends string, const Config extends Command.Command.Config, R>(
  name: Name,
  description: string,
  config: Config,
  run: (input: Command.Command.Config.Infer<Config>) => Effect.Effect<void, CliFailure | Said, R>
) =>
  Command.make(name, config, (input) =>
    Effect.catchTags(run(input), {
      CliFailure: (failure) => Effect.flatMap(json, (asJson) => say(failure, asJson))
    })
  ).pipe(Command.withDescription(description), Command.withGlobalFlags([key, baseUrl, json]))
