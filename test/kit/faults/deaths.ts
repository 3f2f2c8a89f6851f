/**
 * Ways in which a request gets no answer because its process dies, and what the next process on the same database
 * answers to a retry. Each is tried on all writes together, so that one crash serves for all.
 */
import { Deferred, Effect, Exit, Scope } from "effect"
import { cable } from "../servers/Cable.ts"
import { timeOf } from "./Crash.ts"
import { type Failure, heard, prepared, toldBy, trap } from "./failures.ts"
import { freshDatabase, start } from "../Service.ts"
import { type Asked, send, type Write } from "../routes/write.ts"

/**
 * Stops writes for which `comes` holds at the point `where`. `others` says what the rest do: those that stop, too, are
 * sent last and stop at any point. Then the process dies. The next one on its database gets all again at that time.
 */
const dies = (
  name: string,
  where: (point: string) => "before" | "after" | undefined,
  comes: (write: Write) => boolean,
  others: "are done" | "stand before their commit" | "are not meant"
): Failure => ({
  names: [name],
  play: Effect.fnUntraced(function* (writes) {
    const database = yield* freshDatabase
    const wire = yield* cable(database)
    const set = trap()
    const scope = yield* Scope.make()
    // Its end finds no database and takes seconds, which need not be waited for.
    const bury = Effect.forkDetach(Scope.close(scope, Exit.void), { startImmediately: true })
    yield* Effect.addFinalizer(() => bury)
    const dying = yield* start({ clock: "test", database: wire.url, faults: set.layer }).pipe(Scope.provide(scope))
    const meant = writes.filter((write) => others !== "are not meant" || comes(write))
    const begun = yield* prepared(dying, meant)
    const [coming, rest] = [begun.filter(({ write }) => comes(write)), begun.filter(({ write }) => !comes(write))]

    if (others === "are done") yield* Effect.forEach(rest, ({ asked }) => send(dying, asked))
    const end = yield* Deferred.make<never>()
    let left = coming.length
    const all = yield* Deferred.make<void>()
    const stand = Effect.suspend(() => {
      if (--left <= 0) Deferred.doneUnsafe(all, Effect.void)
      return Deferred.await(end)
    })
    set.at = (point) => {
      const side = where(point)
      if (side === undefined) return undefined
      return (effect) => (side === "before" ? stand : Effect.onExit(effect, () => stand))
    }
    const begin = ({ asked }: { readonly asked: Asked }) => Effect.forkScoped(send(dying, asked))
    yield* Effect.forEach(coming, begin)
    yield* Deferred.await(all)
    if (others === "stand before their commit") {
      set.at = () => () => stand
      yield* Effect.forEach(rest, begin)
      yield* heard(dying)
    }

    wire.cut()
    const begins = yield* timeOf(dying)
    Deferred.doneUnsafe(end, Exit.die("the process is dead"))
    yield* bury
    const service = yield* start({ clock: "test", database, begins })
    const told = yield* Effect.forEach(begun, (one) =>
      Effect.map(send(service, one.asked), (reply) => ({ ...one, column: name, told: toldBy(reply), reply }))
    )
    return { service, told }
  })
})

const isKeyed = ({ isKeyed }: Write) => isKeyed
const isChannel = (point: string) => /^(RefundChannel|DisputeChannel|HoldChannel)\./.test(point)

export const deaths: ReadonlyArray<Failure> = [
  dies(
    "dies before",
    (point) => (point === "Idempotency.run" ? "before" : undefined),
    isKeyed,
    "stand before their commit"
  ),
  dies(
    "dies midway",
    (point) => (isChannel(point) ? "after" : undefined),
    ({ asksChannel }) => asksChannel,
    "are not meant"
  ),
  dies("dies after", (point) => (point === "Idempotency.finish" ? "before" : undefined), isKeyed, "are done")
]
