/**
 * `coffer erasures repeat`: after the restore of a backup, repeats the erasures since the backup. It reads the log of
 * the service, or the list of erasures of another database.
 */
import { Console, Effect, FileSystem } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { failed, unreadable } from "./CliFailure.ts"
import { json, operatorCommand } from "./frame.ts"
import { shownJson } from "./json.ts"
import { connectOperator, type Operator } from "./operatorClient.ts"
import { count } from "./output.ts"
import { plain } from "./plain.ts"
import { progress } from "./progress.ts"

/** One erasure: of an address, by its hash, or of one order. */
type Erased = { readonly email_hash: string } | { readonly trade_no: string }

/** As in a log line, in JSON or as name=value, and as in a list of erasures. */
const fields = /"?(email_hash|trade_no)"?\s*[=:]\s*"?([0-9a-f]{64}|TRD_(?:SB_)?[0-9A-HJKMNP-TV-Z]{26})\b/g

/** Other lines of a log name orders too. */
const isOfErasure = (line: string) => /a buyer is erased|ers_[0-9A-HJKMNP-TV-Z]{26}/.test(line)

/** Without duplicates, in the order of the text. */
export const erasedIn = (text: string): ReadonlyArray<Erased> => {
  const found = new Map<string, Erased>()
  for (const line of text.split("\n").filter(isOfErasure)) {
    for (const [, name, value] of line.matchAll(fields)) {
      found.set(value!, name === "email_hash" ? { email_hash: value! } : { trade_no: value! })
    }
  }
  return [...found.values()]
}

const repeat = operatorCommand(
  "repeat",
  {
    does: "After restoring a backup, repeat the erasures made since then, from the service's log",
    example: "coffer erasures repeat service.log --dry-run"
  },
  {
    file: Argument.String("file").pipe(
      Argument.withDescription("The log, or the response of GET /operator/v1/erasures; other lines are ignored")
    ),
    dryRun: Flag.Boolean("dry-run").pipe(Flag.withDefault(false), Flag.withDescription("Only count the erasures"))
  },
  Effect.fnUntraced(function* ({ dryRun, file }) {
    const fs = yield* FileSystem.FileSystem
    const text = yield* fs.readFileString(file).pipe(
      Effect.catchTags({
        PlatformError: unreadable(file)
      })
    )
    const all = erasedIn(text)
    if (all.length === 0) {
      return yield* failed(
        "no_erasure",
        `${file} contains no erasures.`,
        "use the log written since the backup was made"
      )
    }
    const operator = yield* connectOperator
    const report = yield* progress(all.length)
    let [begun, gone] = [0, 0]
    for (const erased of dryRun ? [] : all) {
      if (yield* repeatErasure(operator, erased)) begun++
      else gone++
      yield* report(begun + gone)
    }
    if (yield* json) return yield* Console.log(shownJson({ found: all.length, begun, gone }))
    yield* Console.log(
      dryRun
        ? `${plain(file)} names ${count(all.length)} erasures.`
        : `${count(begun)} erasures started again; ${count(gone)} are for orders that are not in the backup. ` +
            "See their progress with GET /operator/v1/erasures."
    )
  })
)

/** False: the order is newer than the backup. A repeated erasure is already running, or finds nothing. */
const repeatErasure = (operator: Operator, erased: Erased) =>
  Effect.as(operator.post("/erasures", erased), true).pipe(
    Effect.catchIf(
      ({ code }) => code === "order_not_found",
      () => Effect.succeed(false)
    )
  )

export const erasuresCommand = Command.make("erasures").pipe(
  Command.withDescription("Erasures of buyer data: repeat them after restoring a backup"),
  Command.withSubcommands([repeat])
)
