/**
 * Ways in which a request gets no answer though its process lives, and what the answer to a retry is. Each is tried on
 * all writes of `writes.ts`. Failures in which a process dies are in `deaths.ts`.
 */
import { assert } from "@effect/vitest"
import { Deferred, Effect, Layer, type Scope } from "effect"
import type { SqlError } from "effect/sql"
import { isSingleCommit } from "../../../src/shared/idempotency/Idempotency.ts"
import { Faults } from "../../../src/platform/runtime/Faults.ts"
import { DatabaseUnavailable } from "../../../src/platform/postgres/trouble.ts"
import type { Reply } from "../Api.ts"
import { hangUp } from "./hangUp.ts"
import { type Running, start } from "../Service.ts"
import { routeOf } from "../routes/routes.ts"
import { type Asked, type Caller, send, type Write } from "../routes/write.ts"

export interface Failure {
  /** Columns of the table. */
  readonly names: ReadonlyArray<string>
  /** The answers to the retry of each write that it happens to, and the service that knows all of them. */
  readonly play: (writes: ReadonlyArray<Write>, place: Place) => Effect.Effect<Played, SqlError.SqlError, Scope.Scope>
}

/** The service of those failures of which no process dies. */
export interface Place {
  readonly service: Running
  readonly set: Trap
}

interface Played {
  readonly service: Running
  readonly told: ReadonlyArray<Told>
}

export interface Begun {
  readonly write: Write
  readonly merchantId: string
  readonly asked: Asked
}

export interface Told extends Begun {
  readonly column: string
  readonly told: string
  /** The last answer. */
  readonly reply: Reply
}

/** The status; `kept`: the stored answer of the first request; for a refusal, its code. */
export const toldBy = ({ body, headers, status }: Reply) =>
  [status, headers.has("idempotent-replayed") ? "kept" : "", body?.error ?? ""].filter(Boolean).join(" ")

type Action = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** The action at each point of the program from now on. */
export interface Trap {
  /** Undefined: nothing but what happens there anyway. */
  at: ((point: string, tables: string) => Action | undefined) | undefined
  readonly layer: Layer.Layer<Faults>
}

export const trap = (): Trap => {
  const set: Trap = {
    at: undefined,
    layer: Layer.succeed(Faults, {
      around: (point, effect, tables) =>
        Effect.suspend(() => (set.at?.(point, tables?.() ?? "") ?? ((same) => same))(effect))
    })
  }
  return set
}

export const prepared = (service: Caller, writes: ReadonlyArray<Write>) =>
  Effect.forEach(
    writes,
    (write) =>
      Effect.gen(function* () {
        const merchant = yield* service.api.newMerchant()
        const begun: Begun = {
          write,
          merchantId: merchant.merchantId,
          asked: yield* write.prepare(service, merchant)
        }
        return begun
      }),
    { concurrency: 4 }
  )

/** By then the server has heard whatever was sent to it before. */
export const heard = ({ api }: Running) => Effect.repeat(api.get("/healthz"), { times: 5 })

/** Where something is written: through the Transactor, or by a statement of its own. */
const isWrite = (point: string) => point === "Transactor.write" || point === "Store.write"
const onlyClaims = (tables: string) => tables === "idempotency_keys"

export const place = Effect.gen(function* () {
  const set = trap()
  const built: Place = { service: yield* start({ clock: "test", faults: set.layer }), set }
  return built
})

/** The first request of each write goes wrong as `first` says, and is sent again to the same process. */
const inOneProcess = (
  name: string,
  first: (service: Running, set: Trap, asked: Asked) => Effect.Effect<ReadonlyArray<Reply>>,
  meets: (begun: Begun) => boolean = () => true
): Failure => ({
  names: [name],
  play: Effect.fnUntraced(function* (writes, { service, set }) {
    const met = (yield* prepared(service, writes)).filter(meets)
    const told = yield* Effect.forEach(met, (begun) =>
      Effect.gen(function* () {
        // Wait until the previous write's mail is done, so that the trap does not catch it.
        yield* service.atRest
        const already = yield* first(service, set, begun.asked)
        set.at = undefined
        const reply = yield* insist(service, begun.asked)
        return { ...begun, column: name, told: toldOf([...already, reply]), reply }
      })
    )
    return { service, told }
  })
})

const toldOf = (replies: ReadonlyArray<Reply>) =>
  [...new Set(replies.map((reply) => toldBy(reply)))].toSorted().join(", ")

export const isInProgress = ({ body }: Reply) => body?.error === "idempotency_in_progress"

const triesMax = 100

/** Time stands still: what waits for a lease would be in progress for ever. */
const insist = Effect.fnUntraced(function* (service: Running, asked: Asked) {
  for (let tries = 1; ; tries++) {
    const reply = yield* send(service, asked)
    if (!isInProgress(reply)) return reply
    assert.match(reply.headers.get("retry-after") ?? "", /^[1-9]\d*$/)
    assert.isBelow(tries, triesMax, `in progress for ever: ${asked.path}`)
  }
})

/** The connection is lost at the first write that is meant, before or after Postgres has it. Its service finds out. */
const unknown = (isMeant: (tables: string) => boolean, isWritten: boolean) =>
  Effect.fnUntraced(function* (service: Running, set: Trap, asked: Asked) {
    let isDone = false
    set.at = (point, tables) => {
      if (isDone || !isWrite(point) || !isMeant(tables)) return undefined
      isDone = true
      const lost = Effect.die(new DatabaseUnavailable({ message: "lost" }))
      return (effect) => (isWritten ? Effect.andThen(effect, lost) : lost)
    }
    const reply = yield* send(service, asked)
    assert.isTrue(isDone, "the connection was lost")
    // A claim is a commit of its own, whose request ends when it is unknown.
    if (reply.status === 503) assert.match(reply.headers.get("retry-after") ?? "", /^[1-9]\d*$/)
    else assert.isBelow(reply.status, 400, `${asked.path}: ${reply.text}`)
    return []
  })

const hungUp = Effect.fnUntraced(function* (service: Running, set: Trap, asked: Asked) {
  const reached = yield* Deferred.make<void>()
  const gate = yield* Deferred.make<void>()
  const ended = yield* Deferred.make<void>()
  set.at = (point) =>
    isWrite(point)
      ? (effect) =>
          Deferred.succeed(reached, undefined).pipe(
            Effect.andThen(Deferred.await(gate)),
            Effect.andThen(effect),
            Effect.onExit(() => Deferred.succeed(ended, undefined))
          )
      : undefined
  yield* hangUp(service.baseUrl, asked, Deferred.await(reached))
  yield* heard(service)
  yield* Deferred.succeed(gate, undefined)
  yield* Deferred.await(ended)
  return []
})

const twoAtOnce = Effect.fnUntraced(function* (service: Running, _: Trap, asked: Asked) {
  const replies = yield* Effect.all([send(service, asked), send(service, asked)], { concurrency: "unbounded" })
  return replies.filter((reply) => !isInProgress(reply))
})

/** The row of its claim is a commit of its own. */
const claimsBefore = ({ asked, write }: Begun) =>
  write.isKeyed && !isSingleCommit(routeOf(asked.method, asked.path) ?? "")

export const failures: ReadonlyArray<Failure> = [
  inOneProcess("answer lost", (service, _, asked) => Effect.as(send(service, asked), [])),
  inOneProcess("hangs up", hungUp),
  inOneProcess(
    "unknown, written",
    unknown((tables) => !onlyClaims(tables), true)
  ),
  inOneProcess(
    "unknown, not written",
    unknown((tables) => !onlyClaims(tables), false)
  ),
  inOneProcess("claim unknown", unknown(onlyClaims, true), claimsBefore),
  inOneProcess("two at once", twoAtOnce)
]
