/**
 * Front door to idempotency keys: claims one for a request, or answers what the first request with it got (silences: I1
 * to I6). Works across runners, since the claim is a row.
 */
import { canonical, isShallow, judge } from "./judge.ts"
import { Context, DateTime, Duration, Effect, Layer, Option, Random, Schema } from "effect"
import { Runs } from "@coffer/cluster/Runs"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { millisOf } from "../../platform/runtime/clock.ts"
import { unmovedTime } from "../../platform/runtime/MerchantClocks.ts"
import { withoutDeadline } from "../../platform/runtime/Deadline.ts"
import { onRealTime } from "../../platform/runtime/realTime.ts"
import { OrderLinks } from "../signedUrls/OrderLinks.ts"
import type { ChangeSet, NotCommitted } from "../../platform/commit/Change.ts"
import { type ClaimState, openedAnswer, storeAnswer } from "./Answering.ts"
import { type IdempotencyClaim, releaseChange, runChange } from "./IdempotencyClaim.ts"
import { jsonText, parseJson } from "../../platform/runtime/codecs.ts"
import { Transactor } from "../../platform/commit/Transactor.ts"
import { Secrets, sha256 } from "../../platform/runtime/Secrets.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { span } from "../../platform/runtime/span.ts"
import { IdempotencyStore } from "./IdempotencyStore.ts"
import { LastUsed } from "../../platform/runtime/lastUsed.ts"
import { RenewedMap } from "../../platform/runtime/renewed.ts"

/** The same key came with another body (spec: Errors, idempotency_error). */
export class OtherContent extends Schema.TaggedError<OtherContent>()("OtherContent", {}) {}

/** The first request with this key has not ended (spec: Errors, idempotency_in_progress). */
export class StillRunning extends Schema.TaggedError<StillRunning>()("StillRunning", {
  /** How long the lease of that request lasts. */
  lasts: Schema.Duration
}) {}

export type Claimed = { readonly _tag: "Claimed"; readonly claim: IdempotencyClaim } | Replay

interface Replay extends Answer {
  readonly _tag: "Replay"
}

/** The state of a key's row. `Free`: its request ended without an answer to keep, or its process is dead. */
export type Met = Replay | { readonly _tag: "Free"; readonly version: number }

/** The answer to a request. */
export interface Answer {
  readonly status: number
  readonly data: object
}

export interface Keyed {
  readonly merchantId: string
  readonly mode: string
  readonly method: string
  /** As the specification writes it: `/v1/...`. */
  readonly path: string
  readonly key: string
  readonly body: string
  /** The body, where it is parsed already; none for one that is no JSON. */
  readonly json?: Option.Option<unknown>
  /** The parsed body without nulls that mean "absent". */
  readonly meant: (json: unknown) => unknown
}

export class IdempotencyKeys extends Context.Service<
  IdempotencyKeys,
  {
    readonly claim: (request: Keyed) => Effect.Effect<Claimed, OtherContent | StillRunning | NotCommitted>
    /**
     * The request that made this claim has ended. A 2xx answer is kept, unless it was committed with the change; after
     * any other outcome the key is free (silences: I1).
     */
    readonly finish: (ended: ClaimState, answer?: Answer) => Effect.Effect<void>
    /** The claim of a request with a single commit, which inserts its row. It takes no lock before. */
    readonly begin: (request: Keyed) => Effect.Effect<IdempotencyClaim>
    /** The row of a request's key; none if the key was not used before. */
    readonly look: (
      fresh: IdempotencyClaim,
      request: Keyed
    ) => Effect.Effect<Option.Option<Met>, OtherContent | StillRunning>
    /** Inserts the row of a claim if no change has inserted it. False: the key is taken. */
    readonly keep: (fresh: IdempotencyClaim, answer: Answer) => Effect.Effect<boolean>
    /**
     * Notes that a request with this key was answered here: a repeat reads its row at once, and makes no batch fail.
     */
    readonly remember: (id: string) => void
    readonly isRemembered: (id: string) => boolean
  }
>()("@coffer/idempotency/IdempotencyKeys") {}

export const layer = Layer.effect(
  IdempotencyKeys,
  Effect.gen(function* () {
    const transactor = yield* Transactor
    const runs = yield* Runs
    const here = makeCounts()
    const scope = yield* Effect.scope

    const end = (ended: ClaimState, answer?: Answer) => transactor.commit(ended.claim.id, endOf(ended, answer))

    /** Otherwise other runners would wait for the lease of a request that has ended (silences: I6). */
    const endLater = (ended: ClaimState, answer?: Answer) =>
      Effect.delay(end(ended, answer), endEvery).pipe(
        Effect.retry({ while: ({ _tag }) => _tag === "NotCommitted", times: endsMax }),
        // Another request has the claim by then, or it was written all the same.
        Effect.ignore,
        onRealTime,
        withoutDeadline,
        Effect.forkIn(scope)
      )

    /** Counts as running before its row is there: a request that finds the row must not take it for abandoned. */
    const take = (claim: IdempotencyClaim, replaces?: number) =>
      Effect.flatMap(unmovedTime, (now) => {
        here.enter(claim.id)
        return transactor.commit(claim.id, [runChange(claim, now, runs.own, replaces)]).pipe(
          Effect.as({ _tag: "Claimed" as const, claim }),
          Effect.onError(() => Effect.sync(() => here.leave(claim.id))),
          Effect.tapError((error) =>
            error._tag === "NotCommitted" ? endLater({ claim, isAnswered: false }) : Effect.void
          )
        )
      })

    const look = yield* makeLook(here)

    /** Another request has used this key before us, perhaps a moment ago. */
    type Taken = Effect.fn.Return<Claimed, OtherContent | StillRunning | NotCommitted>
    const meet = Effect.fnUntraced(function* (fresh: IdempotencyClaim, request: Keyed): Taken {
      const met = yield* look(fresh, request)
      if (Option.isNone(met)) return yield* new StillRunning({ lasts: Duration.zero })
      if (met.value._tag === "Replay") return met.value
      // Not under the next version: the earlier request moves to that version when it is answered, and the end of a
      // lost takeover would free its answer.
      return yield* Effect.catchTags(take(fresh, met.value.version), {
        // Another request took it at the same moment.
        StaleVersion: () => new StillRunning({ lasts: Duration.zero }),
        AlreadyExists: Effect.die
      })
    })

    const freshOf = (request: Keyed) =>
      Effect.withFiberSucceed((fiber) => {
        const chance = fiber.getRef(Random.Random).nextDoubleUnsafe()
        return firstClaim(request, DateTime.makeUnsafe(millisOf(fiber)), 1 + Math.floor(chance * versionMax))
      })

    return IdempotencyKeys.of({
      claim: span("IdempotencyKeys.claim")(function* (request) {
        const fresh = yield* freshOf(request)
        return yield* Effect.catchTags(take(fresh), {
          AlreadyExists: () => meet(fresh, request),
          StaleVersion: Effect.die
        })
      }),
      finish: (ended, answer) =>
        end(ended, answer).pipe(
          Effect.catchTags({
            NotCommitted: () => endLater(ended, answer),
            StaleVersion: () => Effect.void,
            AlreadyExists: () => Effect.void
          }),
          Effect.ensuring(Effect.sync(() => here.leave(ended.claim.id)))
        ),
      begin: (request) => Effect.map(freshOf(request), (claim) => ({ ...claim, isNew: true })),
      look,
      keep: (fresh, answer) => {
        const state = { claim: fresh, isAnswered: false }
        return end(state, answer).pipe(
          Effect.as(true),
          Effect.catchTags({
            NotCommitted: () => Effect.as(endLater(state, answer), true),
            AlreadyExists: () => Effect.succeed(false),
            StaleVersion: Effect.die
          })
        )
      },
      ...makeMemory()
    })
  })
)

type Looked = Effect.fn.Return<Option.Option<Met>, OtherContent | StillRunning>

const makeLook = Effect.fnUntraced(function* (here: Here) {
  const store = yield* IdempotencyStore
  const links = yield* OrderLinks
  const runs = yield* Runs
  const { answers: kept } = (yield* Settings).keep
  const { decrypt } = yield* Secrets

  return Effect.fnUntraced(function* (fresh: IdempotencyClaim, request: Keyed): Looked {
    const { createdAt: now, id } = fresh
    const row = yield* store.find(id)
    if (Option.isNone(row)) return Option.none()
    const { data, leaseUntil, run, state, status, version } = row.value
    // The run that took it has ended, or it was this run and never learnt whether the claim was written.
    const isAbandoned = state === "running" && !here.has(id) && (yield* sqlDefects(runs.isAbandoned(run)))
    const unmoved = yield* unmovedTime
    switch (judge(row.value, fingerprintLike(row.value.fingerprint, request), now, isAbandoned, unmoved, kept)) {
      case "OtherContent":
        return yield* new OtherContent()
      case "InProgress":
        return yield* new StillRunning({ lasts: DateTime.distance(unmoved, leaseUntil ?? unmoved) })
      case "Replay": {
        const answer = links.complete(parseData(openedAnswer(id, data!, decrypt)))
        return Option.some({ _tag: "Replay", status: status!, data: answer })
      }
      case "TakeOver":
        return Option.some({ _tag: "Free", version })
    }
  })
})

/** How often writing the end is retried: for as long as the lease of its claim lasts. */
const endEvery = "1 second"
const endsMax = 30

/** How many requests run in this process with a claim on each id, or try to get one. */
type Here = ReturnType<typeof makeCounts>

const makeCounts = () => {
  const counts = new RenewedMap<string, number>()
  return {
    has: (id: string) => counts.has(id),
    enter: (id: string) => void counts.set(id, (counts.get(id) ?? 0) + 1),
    leave: (id: string) => {
      const others = (counts.get(id) ?? 1) - 1
      if (others > 0) counts.set(id, others)
      else counts.delete(id)
    }
  }
}

/** Keys that were answered here, at least the newer half: a repeat usually comes to the same runner. */
const rememberedMax = 16_384

const makeMemory = () => {
  const ids = new LastUsed<true>(rememberedMax)
  return { isRemembered: (id: string) => ids.get(id) === true, remember: (id: string) => ids.set(id, true) }
}

const parseData = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

/** The highest version that a first claim may have. */
const versionMax = 2 ** 30 - 1

/** The claim of a request whose key was not used before. */
const firstClaim = (request: Keyed, now: DateTime.Utc, version: number): IdempotencyClaim => ({
  id: idOf(request),
  // A random first version: a request whose end is written late must not free the claim of a later request. Model:
  // models/claim.pml.
  version,
  merchantId: request.merchantId,
  mode: request.mode,
  fingerprint: fingerprintOf(request),
  createdAt: now
})

const idOf = ({ key, merchantId, method, mode, path }: Keyed): string =>
  sha256(jsonText([merchantId, mode, method, path, key]))

/** No body counts as an empty object (silences: G12). */
export const parsedBody = (body: string): Option.Option<unknown> => parseJson(body === "" ? "{}" : body)

/**
 * A body that does not parse, or is nested too deeply, will be refused or ignored; its fingerprint is that of its text.
 */
const fingerprintOf = ({ body, json = parsedBody(body), meant }: Keyed): string =>
  sha256(Option.isSome(json) && isShallow(json.value) ? jsonText(canonical(meant(json.value))) : `text ${body}`)

/** An older version took the fingerprint of the body as it was sent. A claim of that version is compared with it. */
const fingerprintLike = (held: string, request: Keyed): string => {
  const asSent = fingerprintOf({ ...request, meant: (json) => json })
  return held === asSent ? asSent : fingerprintOf(request)
}

const endOf = ({ claim, isAnswered }: ClaimState, answer: Answer | undefined): ChangeSet => {
  if (answer === undefined) return [releaseChange(claim)]
  return isAnswered ? [] : [storeAnswer(claim, answer.status, answer.data)]
}
