/** The commands of every kind of object: get, list, and tail. */
import { Console, Effect, Option } from "effect"
import { Argument, type Command, Flag } from "effect/cli"
import type { Coffer, FollowOptions, List } from "../../sdk/src/index.ts"
import { type Client, connect, connectToWrite } from "./client.ts"
import type { CliFailure } from "./CliFailure.ts"
import { count } from "./flags.ts"
import { command, json, type Words } from "./frame.ts"
import { sinceOf } from "./withoutNone.ts"
import { type Column, printObject, table } from "./output.ts"
import { plain } from "./plain.ts"
import { pageMax, printList } from "./printList.ts"

export interface Cursors {
  readonly limit: number
  readonly starting_after?: string
  readonly ending_before?: string
  readonly created?: { readonly gte: string }
}

export interface Resource<Item, Filters extends Command.Command.Config> {
  /** For people: "orders". */
  readonly called: string
  readonly idOf: (item: Item) => string
  readonly columns: ReadonlyArray<Column<Item>>
  readonly filters: Filters
  /** One list, or several whose items are merged. */
  readonly list: (
    coffer: Coffer,
    cursors: Cursors,
    filters: Command.Command.Config.Infer<Filters>
  ) => ReadonlyArray<List<Item>>
}

/** One whose lists can be followed. */
export interface Tailed<Item, Filters extends Command.Command.Config> extends Resource<Item, Filters> {
  /** The same lists, each from after an object on, or from its first. */
  readonly followed: (
    coffer: Coffer,
    filters: Command.Command.Config.Infer<Filters>
  ) => ReadonlyArray<(after: string | null, options: FollowOptions) => AsyncGenerator<Item, void, undefined>>
  /** Excluded from `tail`: objects that tailing itself creates. */
  readonly isOwnEcho?: (item: Item, filters: Command.Command.Config.Infer<Filters>) => boolean
}
/** The sample number in a command's help, by argument. */
export const sampleOf = {
  "trade-no": "cart-4711",
  "refund-no": "refund-1",
  "dispute-no": "dsp_…",
  "event-id": "evt_…",
  "link-id": "plink_…",
  "delivery-id": "dlv_…",
  "report-no": "rpt_…",
  "endpoint-id": "whe_…"
} as const

const rowsDefault = 20
const rowsMax = 1_000_000
const lastDefault = 10

export const getCommand = (
  called: string,
  argument: keyof typeof sampleOf,
  get: (coffer: Coffer, ref: string) => PromiseLike<object>
) =>
  command(
    "get",
    { does: `Print one of your ${called}`, example: sampleOf[argument] },
    { ref: Argument.String(argument) },
    ({ ref }) =>
      Effect.gen(function* () {
        const { ask } = yield* connect()
        yield* printObject(yield* ask((coffer) => get(coffer, ref)))
      })
  )

/** Acts on one object, by its number: what became of it is printed. */
export const actsOn =
  (number: Argument.Argument<string>) =>
  <const Name extends string, const Config extends Command.Command.Config>(
    name: Name,
    words: Words,
    config: Config,
    act: (coffer: Coffer, number: string, flags: Command.Command.Config.Infer<Config>) => PromiseLike<object>
  ) =>
    command(name, words, { number, flags: config }, ({ flags, number }) =>
      Effect.gen(function* () {
        const { ask } = yield* connectToWrite()
        yield* printObject(yield* ask((coffer) => act(coffer, number, flags as never)))
      })
    )

export const listCommand = <Item, const Filters extends Command.Command.Config>(resource: Resource<Item, Filters>) =>
  command(
    "list",
    { does: `List ${resource.called}, newest first`, example: "--limit 100 --since 2h" },
    {
      filters: resource.filters,
      limit: count("limit", [1, rowsMax], rowsDefault, "Maximum number"),
      since: Flag.String("since").pipe(
        Flag.optional,
        Flag.withDescription("Only created since 30s, 15m, 2h or 7d ago, yesterday, or 2026-11-23T06:00:00Z")
      )
    },
    Effect.fnUntraced(function* ({ filters, limit, since }) {
      const client = yield* connect()
      const created = Option.isSome(since) ? { created: { gte: yield* sinceOf(since.value, client.now) } } : {}
      const cursors = { limit: Math.min(limit, pageMax), ...created }
      const next = mergeLists(client, resource.list(client.coffer, cursors, filters as never), resource.idOf)
      const rows = yield* printList(resource.columns, limit, next)
      if (rows === 0 && !(yield* json)) yield* Console.error(`No ${resource.called} found.`)
    })
  )

/** The items of several lists, newest first: returns the next ones, up to a limit; none after the last. */
export const mergeLists = <Item>({ ask }: Client, lists: ReadonlyArray<List<Item>>, idOf: (item: Item) => string) => {
  const iterators = lists.map((list) => list[Symbol.asyncIterator]())
  const heads: Array<IteratorResult<Item, void>> = []
  return Effect.fnUntraced(function* (countMax: number) {
    if (heads.length === 0) {
      for (const iterator of iterators) heads.push(yield* ask(() => iterator.next()))
    }
    const some: Array<Item> = []
    while (some.length < countMax) {
      const left = heads.flatMap((head, index) => (head.done === true ? [] : [{ index, item: head.value }]))
      if (left.length === 0) break
      const newest = left.reduce((best, one) => (idOf(one.item) > idOf(best.item) ? one : best))
      some.push(newest.item)
      heads[newest.index] = yield* ask(() => iterators[newest.index]!.next())
    }
    return some
  })
}

export const tailCommand = <Item, const Filters extends Command.Command.Config>({
  called,
  columns,
  filters,
  followed,
  idOf,
  isOwnEcho,
  list
}: Tailed<Item, Filters>) =>
  command(
    "tail",
    { does: `Print ${called} as they are created, until Ctrl-C`, example: "--last 0" },
    {
      filters,
      last: count("last", [0, pageMax], lastDefault, "How many of the newest to start with")
    },
    Effect.fnUntraced(function* ({ filters, last }) {
      const client = yield* connect({ maxRetries: 0 })
      const print = yield* table(columns)
      const isShown = (item: Item) => isOwnEcho?.(item, filters as never) !== true
      const pages: Array<ReadonlyArray<Item>> = []
      for (const one of list(client.coffer, { limit: pageMax }, filters as never)) {
        pages.push((yield* client.ask(() => one.page())).data)
      }
      const newest = pages.flat().toSorted((a, b) => (idOf(a) > idOf(b) ? -1 : 1))
      yield* print(newest.filter(isShown).slice(0, last).toReversed())
      // Each list has its own position: a new item in one may be older than one shown from another.
      yield* Effect.forEach(
        followed(client.coffer, filters as never).entries(),
        ([index, begin]) => {
          const [first] = pages[index]!
          const after = first === undefined ? null : idOf(first)
          return eachFollowed(
            client,
            (options) => begin(after, options),
            (item) => (isShown(item) ? print([item]) : Effect.void)
          )
        },
        { concurrency: "unbounded", discard: true }
      )
    })
  )

/** Takes new objects one after the other, until it is interrupted or the service refuses. */
export const eachFollowed = Effect.fnUntraced(function* <Item, E, R>(
  client: Client,
  begin: (options: FollowOptions) => AsyncGenerator<Item, void, undefined>,
  take: (item: Item) => Effect.Effect<void, E, R>
) {
  const { found, lost } = tellOutages(client)
  const tell = Effect.runSyncWith(yield* Effect.context<never>())
  const controller = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (made) => Effect.sync(() => made.abort())
  )
  const items = begin({
    signal: controller.signal,
    onLost: (error) => tell(lost(client.failureOf(error))),
    onFound: () => tell(found)
  })
  while (true) {
    const { done, value } = yield* client.ask(() => items.next())
    if (done === true) return
    yield* take(value)
  }
}, Effect.scoped)

/** On standard error, when the service stops and resumes answering. */
export const tellOutages = ({ account: { baseUrl } }: Client) => ({
  lost: ({ message }: CliFailure) => Console.error(`coffer: ${plain(message)} Retrying until it responds.`),
  found: Console.error(`coffer: ${plain(baseUrl)} is responding again.`)
})
