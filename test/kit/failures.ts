/**
 * Ways in which a request may fail to be answered, and what whoever sends it again is told. Each is played on all
 * writes of `writes.ts`; those that need a crash are played together, so that one crash serves for all of them.
 */
import { assert } from "@effect/vitest"
import { Deferred, Effect, Exit, Layer, Scope } from "effect"
import { Faults } from "../../src/platform/runtime/Faults.ts"
import type { Reply } from "./Api.ts"
import type { SqlError } from "effect/sql"
import { cable } from "./Cable.ts"
import { timeOf } from "./Crash.ts"
import { hangUp } from "./hangUp.ts"
import { freshDatabase, type Running, start } from "./Service.ts"
import { type Asked, send, type Write } from "./writes.ts"

export interface Failure {
  readonly name: string
  readonly meets: (write: Write) => boolean
  /** What the retry of each write was told, and where the writes were made. */
  readonly play: (writes: ReadonlyArray<Write>) => Effect.Effect<Played, SqlError.SqlError, Scope.Scope>
}

interface Played {
  readonly service: Running
  readonly told: ReadonlyArray<{ readonly write: Write; readonly merchantId: string; readonly told: string }>
}

/** The status; `kept`: the stored answer of the first request; for a refusal, its code. */
const toldBy = ({ body, headers, status }: Reply) =>
  [status, headers.has("idempotent-replayed") ? "kept" : "", body?.error ?? ""].filter(Boolean).join(" ")

type Action = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** What happens at points of the program from now on. */
interface Trap {
  /** Undefined: nothing but what happens there anyway. */
  at: ((point: string, tables: string) => Action | undefined) | undefined
  readonly layer: Layer.Layer<Faults>
}

const trap = (): Trap => {
  const set: Trap = {
    at: undefined,
    layer: Layer.succeed(Faults, {
      around: (point, effect, tables) =>
        Effect.suspend(() => (set.at?.(point, tables?.() ?? "") ?? ((same) => same))(effect))
    })
  }
  return set
}

const prepared = (service: Running, writes: ReadonlyArray<Write>) =>
  Effect.forEach(writes, (write) =>
    Effect.gen(function* () {
      const merchant = yield* service.api.newMerchant()
      return { write, merchantId: merchant.merchantId, asked: yield* write.prepare(service, merchant) }
    })
  )

/** By then the server has heard whatever was sent to it before. */
const heard = ({ api }: Running) => Effect.repeat(api.get("/healthz"), { times: 5 })

const onlyClaims = (tables: string) => tables === "idempotency_keys"

// One process ------------------------------------------------------------------

/** The first request of each write goes wrong as `first` says, and is sent again to the same process. */
const inOneProcess = (
  name: string,
  first: (service: Running, set: Trap, asked: Asked) => Effect.Effect<string | void>,
  meets: (write: Write) => boolean = () => true
): Failure => ({
  name,
  meets,
  play: Effect.fnUntraced(function* (writes) {
    const set = trap()
    const service = yield* start({ clock: "test", faults: set.layer })
    const told = yield* Effect.forEach(yield* prepared(service, writes), ({ asked, merchantId, write }) =>
      Effect.gen(function* () {
        const already = yield* first(service, set, asked)
        set.at = undefined
        return { write, merchantId, told: already ?? toldBy(yield* insist(service, asked)) }
      })
    )
    return { service, told }
  })
})

const triesMax = 100

/** Time stands still: what waits for a lease would be in progress for ever. */
const insist = Effect.fnUntraced(function* (service: Running, asked: Asked) {
  for (let tries = 1; ; tries++) {
    const reply = yield* send(service, asked)
    if (reply.body.error !== "idempotency_in_progress") return reply
    assert.match(reply.headers.get("retry-after") ?? "", /^[1-9]\d*$/)
    assert.isBelow(tries, triesMax, `in progress for ever: ${asked.path}`)
  }
})

/** The lane's connection is lost at the first batch that is meant, before or after Postgres has it. */
const unknown = (isMeant: (tables: string) => boolean, isWritten: boolean) =>
  Effect.fnUntraced(function* (service: Running, set: Trap, asked: Asked) {
    let isDone = false
    set.at = (point, tables) => {
      if (isDone || point !== "Transactor.write" || !isMeant(tables)) return undefined
      isDone = true
      return (effect) => (isWritten ? Effect.andThen(effect, Effect.die("lost")) : Effect.die("lost"))
    }
    const reply = yield* send(service, asked)
    assert.isTrue(isDone, "the connection was lost")
    // A refund looks for itself, and goes on when it is there.
    if (isWritten && reply.status < 300) return
    assert.strictEqual(reply.status, 503, `${asked.path}: ${reply.text}`)
    assert.match(reply.headers.get("retry-after") ?? "", /^[1-9]\d*$/)
  })

const hungUp = Effect.fnUntraced(function* (service: Running, set: Trap, asked: Asked) {
  const reached = yield* Deferred.make<void>()
  const gate = yield* Deferred.make<void>()
  set.at = (point) =>
    point === "Transactor.write"
      ? (effect) =>
          Deferred.succeed(reached, undefined).pipe(Effect.andThen(Deferred.await(gate)), Effect.andThen(effect))
      : undefined
  yield* hangUp(service.baseUrl, asked, Deferred.await(reached))
  yield* heard(service)
  yield* Deferred.succeed(gate, undefined)
})

const twoAtOnce = Effect.fnUntraced(function* (service: Running, _: Trap, asked: Asked) {
  const replies = yield* Effect.all([send(service, asked), send(service, asked)], { concurrency: "unbounded" })
  const known = replies.filter(({ body }) => body.error !== "idempotency_in_progress")
  const told = new Set([...known, yield* insist(service, asked)].map((reply) => toldBy(reply)))
  return [...told].toSorted().join(", ")
})

// Two processes ----------------------------------------------------------------

/**
 * All writes are begun and come to where they stand; then the process dies, and the next one on the same database gets
 * them again at that moment. What does not come there by itself is sent last, and stands wherever it has to.
 */
const dies = (
  name: string,
  where: (point: string) => "before" | "after" | undefined,
  comes: (write: Write) => boolean,
  others: "are done" | "stand before their commit" | "are not meant"
): Failure => ({
  name,
  meets: (write) => others !== "are not meant" || comes(write),
  play: Effect.fnUntraced(function* (writes) {
    const database = yield* freshDatabase
    const wire = yield* cable(database)
    const set = trap()
    const scope = yield* Scope.fork(yield* Effect.scope)
    const dying = yield* start({ clock: "test", database: wire.url, faults: set.layer }).pipe(Scope.provide(scope))
    const begun = yield* prepared(dying, writes)
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
    yield* Effect.forkScoped(Scope.close(scope, Exit.void))
    const service = yield* start({ clock: "test", database, begins })
    const told = yield* Effect.forEach(begun, ({ asked, merchantId, write }) =>
      Effect.map(send(service, asked), (reply) => ({ write, merchantId, told: toldBy(reply) }))
    )
    return { service, told }
  })
})

const isKeyed = ({ isKeyed }: Write) => isKeyed
const isChannel = (point: string) => point === "RefundChannel.refund" || point.startsWith("DisputeChannel.")

export const failures: ReadonlyArray<Failure> = [
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
  dies("dies after", (point) => (point === "Idempotency.settle" ? "before" : undefined), isKeyed, "are done"),
  inOneProcess("answer lost", (service, _, asked) => Effect.asVoid(send(service, asked))),
  inOneProcess("hangs up", hungUp),
  inOneProcess(
    "unknown, written",
    unknown((tables) => !onlyClaims(tables), true)
  ),
  inOneProcess(
    "unknown, not written",
    unknown((tables) => !onlyClaims(tables), false)
  ),
  inOneProcess("claim unknown", unknown(onlyClaims, true), isKeyed),
  inOneProcess("two at once", twoAtOnce)
]
