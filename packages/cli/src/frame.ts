/** The flags of every command and its end: the account's flags, `--json`, and failures that say what to do next. */
import { constants } from "node:os"
import { Effect } from "effect"
import { Command, Flag, GlobalFlag } from "effect/cli"
import { type CliFailure, Reported, say } from "./CliFailure.ts"

export const key = GlobalFlag.Setting("key")({
  flag: Flag.Redacted("key").pipe(
    Flag.optional,
    Flag.withDescription(
      "API key; default: COFFER_KEY (safer: not visible in process lists), then .coffer/credentials.json"
    )
  )
})

export const baseUrl = GlobalFlag.Setting("base-url")({
  flag: Flag.String("base-url").pipe(
    Flag.optional,
    Flag.withDescription("URL of the API, such as https://pay.example/v1; default: COFFER_BASE_URL, then that file")
  )
})

export const operatorToken = GlobalFlag.Setting("operator-token")({
  flag: Flag.Redacted("operator-token").pipe(
    Flag.optional,
    Flag.withDescription("Operator token; default: COFFER_OPERATOR_TOKEN, then .coffer/credentials.json")
  )
})

export const operatorUrl = GlobalFlag.Setting("operator-url")({
  flag: Flag.String("operator-url").pipe(
    Flag.optional,
    Flag.withDescription(
      "URL of the operator API (https://pay.example/operator/v1); default: COFFER_OPERATOR_URL, then that file"
    )
  )
})

export const json = GlobalFlag.Setting("json")({
  flag: Flag.Boolean("json").pipe(
    Flag.withDefault(false),
    Flag.withDescription("Print JSON: one object, or one object per line")
  )
})

export const profile = GlobalFlag.Setting("profile")({
  flag: Flag.String("profile").pipe(
    Flag.optional,
    Flag.withDescription("Profile to use; default: the one chosen with coffer profiles use")
  )
})

export const live = GlobalFlag.Setting("live")({
  flag: Flag.Boolean("live").pipe(
    Flag.withDefault(false),
    Flag.withDescription("Use the live environment and key. Changes ask for confirmation")
  )
})

export const yes = GlobalFlag.Setting("yes")({
  flag: Flag.Boolean("yes").pipe(
    Flag.withDefault(false),
    Flag.withDescription("With --live: change it without being asked, as a program does")
  )
})

type Run<Config extends Command.Command.Config, R> = (
  input: Command.Command.Config.Infer<Config>
) => Effect.Effect<void, CliFailure | Reported, R>

let isReaderHeard = false
/** The reader of the output may close the pipe, as `head` does. Then the command ends as after SIGPIPE. */
const endWithReader = Effect.sync(() => {
  if (isReaderHeard) return
  isReaderHeard = true
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(128 + constants.signals.SIGPIPE)
    throw error
  })
})

const sayFailure = <R>(run: Effect.Effect<void, CliFailure | Reported, R>) =>
  Effect.catchTags(run, { CliFailure: (failure) => Effect.flatMap(json, (asJson) => say(failure, asJson)) })

/** `example`: the arguments of the command, or a whole line that contains `coffer`. */
export interface Words {
  readonly does: string
  readonly example: string
}

/** Makes commands with a handler, which accept these flags besides their own. */
const commandWith =
  <const Flags extends ReadonlyArray<GlobalFlag.GlobalFlag<any>>>(flags: Flags) =>
  <const Name extends string, const Config extends Command.Command.Config, R>(
    name: Name,
    { does, example }: Words,
    config: Config,
    run: Run<Config, R>
  ) =>
    Command.make(name, config, (input) => sayFailure(Effect.andThen(endWithReader, run(input)))).pipe(
      Command.withDescription(does),
      Command.withExamples(({ commandPath }) => [
        { command: /\bcoffer\b/.test(example) ? example : [...commandPath, example].join(" ").trimEnd() }
      ]),
      Command.withGlobalFlags(flags)
    )

const account = [key, baseUrl, profile, live, yes] as const
/** For a merchant. */
export const command = commandWith([...account, json])
/** For an operator. */
export const operatorCommand = commandWith([operatorToken, operatorUrl, json])
/** Without an account of this service. */
export const anyonesCommand = commandWith([json])
/** For a merchant or an operator, depending on the flags. */
export const anybodysCommand = commandWith([...account, operatorToken, operatorUrl, json])
