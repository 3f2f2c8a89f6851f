/**
 * Asks DNS about a shop's host: the texts of its TXT record, and whether it points to this installation. The machine's
 * name servers are asked directly, with a limit of some seconds for each answer, and nothing connects to the host.
 */
import { Resolver } from "node:dns"
import { type Looked, recordNameOf } from "@coffer/rules/shop/domain"
import { Context, Effect } from "effect"
import ipaddr from "ipaddr.js"
import { onRealTime } from "../../platform/runtime/realTime.ts"
import { isAddress } from "../../shared/signedUrls/shopDomainSettings.ts"

/** Other name servers than those of the machine, as `127.0.0.1:5353`: for tests. */
export const NameServers = Context.Reference<ReadonlyArray<string> | undefined>("@coffer/domains/NameServers", {
  defaultValue: () => undefined
})

/** For all questions about one host together. */
const patience = "5 seconds"
/** TXT records of one name that are read. */
const textsMax = 100

const silent: Looked = { texts: "silent", points: "silent" }

/** `pointTo`: names and addresses of the installation's proxy. */
export const lookUp = (host: string, pointTo: ReadonlyArray<string>): Effect.Effect<Looked> =>
  Effect.gen(function* () {
    const servers = yield* NameServers
    const resolver = yield* Effect.acquireRelease(
      Effect.sync(() => new Resolver({ timeout: 1_000, maxTimeout: 1_000, tries: 2 })),
      (each) => Effect.sync(() => each.cancel())
    )
    if (servers !== undefined) resolver.setServers(servers)
    const { addressesOf, aliasesOf, textsOf } = makeAsk(resolver)
    const names = pointTo.filter((each) => !isAddress(each))
    const [texts, aliases, addresses, ours] = yield* Effect.all(
      [textsOf(recordNameOf(host)), aliasesOf(host), addressesOf(host), Effect.forEach(names, addressesOf, together)],
      together
    )
    const known = pointTo.filter(isAddress)
    const points = pointsHere({ aliases, addresses, names, ours: [known, ...ours] })
    return { texts, points }
  }).pipe(Effect.scoped, Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.succeed(silent) }), onRealTime)

const together = { concurrency: "unbounded" } as const

type Answer = ReadonlyArray<string> | "silent"

interface Found {
  readonly aliases: Answer
  readonly addresses: Answer
  readonly names: ReadonlyArray<string>
  readonly ours: ReadonlyArray<Answer>
}

/** By its alias, or by an address of ours: two answers for a name with many addresses may differ in the others. */
const pointsHere = ({ addresses, aliases, names, ours }: Found): boolean | "silent" => {
  if (aliases !== "silent" && aliases.some((alias) => names.includes(alias.toLowerCase()))) return true
  if (addresses === "silent") return "silent"
  const known = new Set(ours.flatMap((each) => (each === "silent" ? [] : each.map(normalizeAddress))))
  if (addresses.some((address) => known.has(normalizeAddress(address)))) return true
  return addresses.length > 0 && ours.includes("silent") ? "silent" : false
}

/** Normalizes an address: IPv6 has many spellings, and includes IPv4. */
const normalizeAddress = (address: string) => ipaddr.process(address).toString()

const makeAsk = (resolver: Resolver) => {
  const addressesOf = (name: string) =>
    Effect.map(
      Effect.all(
        [
          answer<string>((done) => resolver.resolve4(name, done)),
          answer<string>((done) => resolver.resolve6(name, done))
        ],
        together
      ),
      // Some name servers never answer about IPv6.
      ([v4, v6]): Answer =>
        v4 === "silent" && v6 === "silent" ? "silent" : [v4, v6].flatMap((each) => (each === "silent" ? [] : each))
    )
  return {
    addressesOf,
    aliasesOf: (name: string) => answer<string>((done) => resolver.resolveCname(name, done)),
    textsOf: (name: string) =>
      Effect.map(
        answer<Array<string>>((done) => resolver.resolveTxt(name, done)),
        (texts): Answer => (texts === "silent" ? texts : texts.slice(0, textsMax).map((parts) => parts.join("")))
      )
  }
}

type Done<Item> = (error: NodeJS.ErrnoException | null, found: ReadonlyArray<Item>) => void

/** A missing record is an answer. */
const absent = new Set(["ENOTFOUND", "ENODATA"])

const answer = <Item>(ask: (done: Done<Item>) => void) =>
  Effect.callback<ReadonlyArray<Item> | "silent">((resume) =>
    ask((error, found) =>
      resume(Effect.succeed(error === null ? found : absent.has(error.code ?? "") ? [] : ("silent" as const)))
    )
  )
