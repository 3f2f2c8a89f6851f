/** `coffer ledger`: proves that no movement of money was changed, removed or inserted (docs/ledger.md). */
import { createHash } from "node:crypto"
import {
  type Broken,
  type Kept,
  type Link,
  makeVerifier,
  meaningOf,
  type Movement,
  walletOf
} from "@coffer/rules/wallet/chain"
import { Console, Effect, FileSystem, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { BalanceTransaction } from "../../sdk/src/index.ts"
import { headerText, linesText, linksIn } from "./chainFile.ts"
import { failed, Reported, unreadable, unwritable } from "./CliFailure.ts"
import { type Client, connect } from "./client.ts"
import { currencies } from "./flags.ts"
import { command, json } from "./frame.ts"
import { shownJson } from "./json.ts"
import { count, paint } from "./output.ts"
import { plain } from "./plain.ts"
import { progress } from "./progress.ts"
import { pageMax } from "./printList.ts"

type Currency = (typeof currencies)[number]

/** The result for one wallet. */
interface Verdict {
  readonly wallet: string
  readonly rows: number
  /** The newest row, to be kept and passed with `--kept` next time. */
  readonly head: Pick<Link, "hash" | "id">
  readonly broken: Broken | undefined
}

const currency = Flag.Literals("currency", currencies).pipe(
  Flag.between(0, currencies.length),
  Flag.withDescription(`Only this wallet; ${currencies.join(", ")} by default`)
)

const digestOf = ({ text }: Link): string => createHash("sha256").update(text, "utf8").digest("hex")

const walletsOf = (chosen: ReadonlyArray<Currency>): ReadonlyArray<Currency> =>
  chosen.length === 0 ? currencies : chosen

const verify = command(
  "verify",
  {
    does: "Verify your ledger's hash chain, and report the first invalid row",
    example: "coffer ledger verify"
  },
  {
    file: Argument.String("file").pipe(
      Argument.optional,
      Argument.withDescription("File written by `coffer ledger export`, to verify it offline")
    ),
    currency,
    kept: Flag.KeyValuePair("kept").pipe(
      Flag.optional,
      Flag.withDescription("LED_…=hash: the newest row of an earlier check, which must still exist")
    )
  },
  Effect.fnUntraced(function* ({ currency, file, kept }) {
    const hashes = Option.getOrElse(kept, () => ({}))
    const known: Kept = { hashes, unmet: new Set(Object.keys(hashes)) }
    const verdicts = Option.isSome(file)
      ? yield* verdictsOfFile(file.value, known)
      : yield* verdictsOfApi(currency, known)
    for (const verdict of verdicts) yield* tell(verdict)
    if (verdicts.length === 0) yield* Console.error("There are no rows yet.")
    if (known.unmet.size > 0) {
      const gone = [...known.unmet].join(", ")
      return yield* failed(
        "row_gone",
        `${gone} from an earlier check is no longer in any chain.`,
        "tell the operator of the service, who can check the ledger"
      )
    }
    if (verdicts.some(({ broken }) => broken !== undefined)) return yield* new Reported({ exitCode: 1 })
  })
)

const tell = Effect.fnUntraced(function* ({ broken, head, rows, wallet }: Verdict) {
  if (yield* json) {
    const reason = broken === undefined ? null : { ...broken, reason: meaningOf[broken.rule] }
    return yield* Console.log(shownJson({ wallet, rows, head, broken: reason }))
  }
  const style = yield* paint
  if (broken === undefined) {
    yield* Console.log(`${plain(wallet)}: ${style("green", `${count(rows)} rows verified`)}`)
    return yield* Console.log(
      `  Keep its newest row, and verify it next time: --kept ${plain(`${head.id}=${head.hash}`)}`
    )
  }
  const { id, rule } = broken
  yield* Console.log(`${plain(wallet)}: ${style("red", `${plain(id)} is invalid`)} (rule ${rule}): ${meaningOf[rule]}`)
  yield* Console.log("  Next: tell the operator of the service; docs/ledger.md explains each rule")
})

const verdictsOfApi = Effect.fnUntraced(function* (chosen: ReadonlyArray<Currency>, kept: Kept) {
  const client = yield* connect()
  const verdicts: Array<Verdict> = []
  for (const one of walletsOf(chosen)) {
    const verdict = yield* verdictOfApi(client, one, kept)
    if (verdict !== undefined) verdicts.push(verdict)
  }
  return verdicts
})

/** The chain and the ledger are read in parallel. */
const verdictOfApi = Effect.fnUntraced(function* (client: Client, currency: Currency, kept: Kept) {
  const verifier = makeVerifier(kept, digestOf)
  const report = yield* progress()
  const movements = movementsOf(client, currency)
  let head: Link | undefined
  let rows = 0
  yield* eachPage(client, currency, (links) =>
    Effect.gen(function* () {
      for (const link of links) {
        verifier.add(link, yield* movements(link))
        head ??= link
      }
      rows += links.length
      yield* report(rows, head?.sequence)
    })
  )
  if (head === undefined) return undefined
  return {
    wallet: walletOf(head),
    rows,
    head: { id: head.id, hash: head.hash },
    broken: verifier.end()
  } satisfies Verdict
})

/** The movement of a link: both lists go from the newest to the oldest. */
const movementsOf = ({ ask, coffer }: Client, currency: Currency) => {
  const iterator = coffer.ledger.list({ currency, limit: pageMax })[Symbol.asyncIterator]()
  let next: IteratorResult<BalanceTransaction, void> | undefined
  return Effect.fnUntraced(function* ({ id }: Link) {
    next ??= yield* ask(() => iterator.next())
    // Written after the request for the chain.
    while (next.done !== true && next.value.id > id) next = yield* ask(() => iterator.next())
    if (next.done === true || next.value.id !== id) return "missing" as const
    const movement: Movement = next.value
    next = undefined
    return movement
  })
}

const eachPage = Effect.fnUntraced(function* <E, R>(
  { ask, coffer }: Client,
  currency: Currency,
  take: (links: ReadonlyArray<Link>) => Effect.Effect<void, E, R>
) {
  let page = yield* ask(() => coffer.ledger.chain(currency, { limit: pageMax }).page())
  for (;;) {
    yield* take(page.data)
    const { next } = page
    const following = yield* ask(() => next())
    if (following === undefined) return
    page = following
  }
})

const verdictsOfFile = Effect.fnUntraced(function* (file: string, kept: Kept) {
  const fs = yield* FileSystem.FileSystem
  const text = yield* fs.readFileString(file).pipe(
    Effect.catchTags({
      PlatformError: unreadable(file)
    })
  )
  const links = linksIn(text)
  if (Option.isNone(links)) {
    const next = "create one with coffer ledger export chain.csv (the CSV of balance transactions has no hashes)"
    return yield* failed("bad_file", `${file} is not a hash chain.`, next, 2)
  }
  return [...Map.groupBy(links.value, walletOf)].map(([wallet, rows]): Verdict => {
    const newestFirst = rows.toSorted((a, b) => b.sequence - a.sequence)
    const verifier = makeVerifier(kept, digestOf)
    for (const link of newestFirst) verifier.add(link)
    const { hash, id } = newestFirst[0]!
    return { wallet, rows: rows.length, head: { id, hash }, broken: verifier.end() }
  })
})

const exportCommand = command(
  "export",
  {
    does: "Export your ledger's hash chain to a file, for `coffer ledger verify`",
    example: "coffer ledger export chain.csv"
  },
  { file: Argument.String("file"), currency },
  Effect.fnUntraced(function* ({ currency, file }) {
    const fs = yield* FileSystem.FileSystem
    const client = yield* connect()
    const report = yield* progress()
    const write = (text: string, flag: "a" | "w") =>
      fs.writeFileString(file, text, { flag }).pipe(
        Effect.catchTags({
          PlatformError: unwritable(file)
        })
      )
    yield* write(headerText, "w")
    let rows = 0
    for (const one of walletsOf(currency)) {
      yield* eachPage(client, one, (links) =>
        Effect.gen(function* () {
          yield* write(linesText(links), "a")
          rows += links.length
          yield* report(rows)
        })
      )
    }
    yield* Console.log((yield* json) ? shownJson({ file, rows }) : `${count(rows)} rows written to ${plain(file)}.`)
  })
)

export const ledgerCommand = Command.make("ledger").pipe(
  Command.withDescription("The ledger's hash chain: verify, export"),
  Command.withSubcommands([verify, exportCommand])
)
