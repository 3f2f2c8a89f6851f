/** `coffer orders export` and its like: a list as a CSV file. `coffer exports buyer`: all of a buyer, as an archive. */
import { Console, Effect, FileSystem, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { Call, Coffer } from "../../sdk/src/index.ts"
import { unwritable } from "./CliFailure.ts"
import { connect } from "./client.ts"
import { command, json } from "./frame.ts"
import { shownJson } from "./json.ts"
import { count } from "./output.ts"
import { plain } from "./plain.ts"
import { sinceOf } from "./withoutNone.ts"

interface Created {
  readonly created?: { readonly gte: string }
}

export const exportCommand = <const Filters extends Command.Command.Config>(
  called: string,
  filters: Filters,
  csv: (coffer: Coffer, created: Created, filters: Command.Command.Config.Infer<Filters>) => Call<string>
) =>
  command(
    "export",
    { does: `Write ${called} to a CSV file, newest first, up to 10,000 rows`, example: `${called}.csv --since 7d` },
    {
      file: Argument.String("file"),
      filters,
      since: Flag.String("since").pipe(
        Flag.optional,
        Flag.withDescription("Only created since 30s, 15m, 2h or 7d ago, yesterday, or 2026-11-23T06:00:00Z")
      )
    },
    Effect.fnUntraced(function* ({ file, filters, since }) {
      const client = yield* connect()
      const created = Option.isSome(since) ? { created: { gte: yield* sinceOf(since.value, client.now) } } : {}
      const { data, isTruncated } = yield* client.ask((coffer) => csv(coffer, created, filters as never).withResponse())
      yield* writeContent(file, data)
      // After removing quoted cells, which may contain line breaks, each line except the header is a row.
      const rows = data.replace(/"[^"]*"/g, "").split("\r\n").length - 2
      if (yield* json) yield* Console.log(shownJson({ file, rows, truncated: isTruncated }))
      else yield* Console.log(`${count(rows)} ${called} written to ${plain(file)}.`)
      if (isTruncated) yield* Console.error("coffer: There are more rows. Use narrower filters to get the rest.")
    })
  )

export const writeContent = Effect.fnUntraced(function* (file: string, content: string | Uint8Array) {
  const fs = yield* FileSystem.FileSystem
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content
  yield* fs.writeFile(file, bytes, { mode: 0o600 }).pipe(
    Effect.catchTags({
      PlatformError: unwritable(file)
    })
  )
})

const buyer = command(
  "buyer",
  { does: "Export everything kept about a buyer to a tar archive", example: "buyer.tar --email buyer@shop.example" },
  {
    file: Argument.String("file"),
    email: Flag.String("email").pipe(Flag.withDescription("The buyer's email"))
  },
  ({ email, file }) =>
    Effect.gen(function* () {
      const { ask } = yield* connect()
      const archive = yield* ask((coffer) => coffer.exports.buyer({ email }))
      yield* writeContent(file, archive)
      if (yield* json) return yield* Console.log(shownJson({ file, bytes: archive.length }))
      yield* Console.log(`${count(archive.length)} bytes written to ${plain(file)}.`)
    })
)

export const exportsCommand = Command.make("exports").pipe(
  Command.withDescription("Export buyer data: buyer"),
  Command.withSubcommands([buyer])
)
