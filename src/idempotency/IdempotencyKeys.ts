/**
 * Front door to idempotency keys: claim one for a request, or learn what the first request with it was answered
 * (silences: I1 to I6). Works across runners, since the claim is a row.
 */
import { canonical, isShallow, judge } from "@coffer/rules/idempotency/claim"
import { Context, DateTime, Duration, Effect, Layer, Option, Schema } from "effect"
import { Runs } from "../platform/cluster/Runs.ts"
import { currentTime } from "../platform/runtime/clock.ts"
import { OrderLinks } from "../signedUrls/OrderLinks.ts"
import type { ChangeSet, NotCommitted } from "../platform/commit/Change.ts"
import { type ClaimState, openedAnswer, stored } from "./Answering.ts"
import { type IdempotencyClaim, released, running } from "./IdempotencyClaim.ts"
import { jsonText, parseJson } from "../platform/runtime/codecs.ts"
import { Transactor } from "../platform/commit/Transactor.ts"
import { Secrets, sha256 } from "../platform/runtime/Secrets.ts"
import { span } from "../platform/runtime/span.ts"
import { IdempotencyStore } from "./IdempotencyStore.ts"

/** The same key came with another body (spec: Errors, idempotency_error). */
export class OtherContent extends Schema.TaggedError<OtherContent>()("OtherContent", {}) {}

/** The first request with this key has not ended (spec: Errors, idempotency_in_progress). */
export class StillRunning extends Schema.TaggedError<StillRunning>()("StillRunning", {
  /** How long it has the key to itself. */
  lasts: Schema.Duration
}) {}

export type Claimed =
  | { readonly _tag: "Claimed"; readonly claim: IdempotencyClaim }
  | (Answer & { readonly _tag: "Replay" })

/** What a request was answered. */
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
}

export class IdempotencyKeys extends Context.Service<
  IdempotencyKeys,
  {
    readonly claim: (request: Keyed) => Effect.Effect<Claimed, OtherContent | StillRunning | NotCommitted>
    /**
     * The request that made this claim has ended. A 2xx answer is kept, unless it was committed with the change; after
     * any other outcome the key is free (silences: I1).
     */
    readonly settle: (ended: ClaimState, answer?: Answer) => Effect.Effect<void>
  }
>()("@coffer/idempotency/IdempotencyKeys") {}

const parseData = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

/** What does not parse, or is nested as no body of ours, will be refused or ignored; its text stands for it. */
const fingerprintOf = (body: string): string =>
  sha256(
    Option.match(
      // No body is an empty object, wherever it is taken (silences: G12).
      Option.filter(parseJson(body === "" ? "{}" : body), (value) => isShallow(value)),
      { onNone: () => `text ${body}`, onSome: (value) => jsonText(canonical(value)) }
    )
  )

const idOf = ({ key, merchantId, method, mode, path }: Keyed): string =>
  sha256(jsonText([merchantId, mode, method, path, key]))

export const layer = Layer.effect(
  IdempotencyKeys,
  Effect.gen(function* () {
    const store = yield* IdempotencyStore
    const transactor = yield* Transactor
    const links = yield* OrderLinks
    const { decrypt } = yield* Secrets
    const opened = (id: string, data: string) => openedAnswer(id, data, decrypt)

    const runs = yield* Runs
    /** How many requests run in this process with a claim on each id, or try to get one. */
    const live = new Map<string, number>()
    const enter = (id: string) => live.set(id, (live.get(id) ?? 0) + 1)
    const leave = (id: string) => {
      const others = (live.get(id) ?? 1) - 1
      if (others > 0) live.set(id, others)
      else live.delete(id)
    }

    /** It counts as running before its row is there: whoever meets the row must not take it for forsaken. */
    const take = (claim: IdempotencyClaim, replaces?: number) =>
      Effect.suspend(() => {
        enter(claim.id)
        return transactor.commit(claim.id, [running(claim, claim.createdAt, runs.own, replaces)]).pipe(
          Effect.as({ _tag: "Claimed" as const, claim }),
          Effect.onError(() => Effect.sync(() => leave(claim.id)))
        )
      })

    const claim = span("IdempotencyKeys.claim")(function* (request: Keyed) {
      const { merchantId, mode } = request
      const fresh: IdempotencyClaim = {
        id: idOf(request),
        version: 1,
        merchantId,
        mode,
        fingerprint: fingerprintOf(request.body),
        createdAt: yield* currentTime
      }
      return yield* Effect.catchTags(take(fresh), { AlreadyExists: () => meet(fresh), StaleVersion: Effect.die })
    })

    /** Somebody has used this key before us, perhaps a moment ago. */
    const meet = Effect.fnUntraced(function* (
      fresh: IdempotencyClaim
    ): Effect.fn.Return<Claimed, OtherContent | StillRunning | NotCommitted> {
      const row = yield* store.find(fresh.id)
      // Dropped between our insert and our look: as if it were being dropped still.
      if (Option.isNone(row)) return yield* new StillRunning({ lasts: Duration.zero })
      const { data, leaseUntil, run, state, status, version } = row.value
      // The run that took it has ended, or it was this one and never learnt whether the claim was written.
      const isForsaken = state === "running" && !live.has(fresh.id) && (yield* runs.isForsaken(run))
      switch (judge(row.value, fresh.fingerprint, fresh.createdAt, isForsaken)) {
        case "OtherContent":
          return yield* new OtherContent()
        case "InProgress":
          return yield* new StillRunning({ lasts: DateTime.distance(fresh.createdAt, leaseUntil ?? fresh.createdAt) })
        case "Replay":
          return { _tag: "Replay", status: status!, data: links.complete(parseData(opened(fresh.id, data!))) }
        case "TakeOver":
          return yield* Effect.catchTags(take({ ...fresh, version: version + 1 }, version), {
            // Another took it in the same moment.
            StaleVersion: () => new StillRunning({ lasts: Duration.zero }),
            AlreadyExists: Effect.die
          })
      }
    })

    const endOf = ({ claim, isAnswered }: ClaimState, answer: Answer | undefined): ChangeSet => {
      if (answer === undefined) return [released(claim)]
      return isAnswered ? [] : [stored(claim, answer.status, answer.data)]
    }

    return IdempotencyKeys.of({
      claim,
      settle: (ended, answer) =>
        transactor.commit(ended.claim.id, endOf(ended, answer)).pipe(
          // An end that cannot be written leaves the claim to its lease.
          Effect.ignore,
          Effect.ensuring(Effect.sync(() => leave(ended.claim.id)))
        )
    })
  })
)
