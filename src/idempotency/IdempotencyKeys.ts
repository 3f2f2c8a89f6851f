/**
 * Front door to idempotency keys: claim one for a request, or learn what the first request with it was answered
 * (silences: I1 to I6). Works across runners, since the claim is a row.
 */
import { canonical, isShallow, judge } from "@coffer/rules/idempotency/claim"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { CheckoutLinks } from "../checkout/CheckoutLinks.ts"
import type { Change, NotCommitted } from "../ground/Change.ts"
import { answering, type Claim, released, running } from "../ground/Claim.ts"
import { jsonText, parseJson } from "../ground/codecs.ts"
import { Transactor } from "../ground/Transactor.ts"
import { sha256 } from "../ground/Vault.ts"
import { traced } from "../ground/traced.ts"
import { IdempotencyStore } from "./IdempotencyStore.ts"

/** The same key came with another body (spec: Errors, idempotency_error). */
export class OtherContent extends Schema.TaggedError<OtherContent>()("OtherContent", {}) {}

/** The first request with this key has not ended (spec: Errors, idempotency_in_progress). */
export class StillRunning extends Schema.TaggedError<StillRunning>()("StillRunning", {}) {}

export type Claimed =
  | { readonly _tag: "Claimed"; readonly claim: Claim }
  | { readonly _tag: "Replay"; readonly status: number; readonly data: object }

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
    /** Keeps a 2xx answer that no change was committed with. */
    readonly keep: (claim: Claim, status: number, data: object) => Effect.Effect<void>
    /** Frees the key after an outcome that is not kept (silences: I1). */
    readonly release: (claim: Claim) => Effect.Effect<void>
  }
>()("@coffer/idempotency/IdempotencyKeys") {}

const parseData = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

/** What does not parse, or is nested as no body of ours, will be refused or ignored; its text stands for it. */
const fingerprintOf = (body: string): string =>
  sha256(
    Option.match(
      Option.filter(parseJson(body), (value) => isShallow(value)),
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
    const links = yield* CheckoutLinks

    const claim = traced("IdempotencyKeys.claim")(function* (request: Keyed) {
      const { merchantId, mode } = request
      const id = idOf(request)
      const fingerprint = fingerprintOf(request.body)
      const now = yield* DateTime.now
      const fresh: Claim = { id, version: 1, merchantId, mode, fingerprint, createdAt: now }
      return yield* transactor
        .commit(id, [running(fresh, now)])
        .pipe(
          Effect.as({ _tag: "Claimed" as const, claim: fresh }),
          Effect.catchTags({ AlreadyExists: () => meet(fresh), StaleVersion: Effect.die })
        )
    })

    /** Somebody has used this key before us, perhaps a moment ago. */
    const meet = Effect.fnUntraced(function* (
      fresh: Claim
    ): Effect.fn.Return<Claimed, OtherContent | StillRunning | NotCommitted> {
      const row = yield* store.find(fresh.id)
      // Dropped between our insert and our look: as if it were being dropped still.
      if (Option.isNone(row)) return yield* new StillRunning()
      const { created_at, data, fingerprint, lease_until, state, status, version } = row.value
      const held = { fingerprint, state, leaseUntil: lease_until, createdAt: created_at }
      switch (judge(held, fresh.fingerprint, fresh.createdAt)) {
        case "OtherContent":
          return yield* new OtherContent()
        case "InProgress":
          return yield* new StillRunning()
        case "Replay":
          return { _tag: "Replay", status: status!, data: links.complete(parseData(data!)) }
        case "TakeOver": {
          const taken = { ...fresh, version: version + 1 }
          return yield* transactor.commit(fresh.id, [running(taken, fresh.createdAt, version)]).pipe(
            Effect.as({ _tag: "Claimed" as const, claim: taken }),
            // Another took it in the same moment.
            Effect.catchTags({ StaleVersion: () => new StillRunning(), AlreadyExists: Effect.die })
          )
        }
      }
    })

    /** An end that cannot be written leaves the claim to its lease. */
    const end = (claim: Claim, changes: ReadonlyArray<Change>) => Effect.ignore(transactor.commit(claim.id, changes))

    return IdempotencyKeys.of({
      claim,
      keep: (claim, status, data) => end(claim, answering(claim, status, data)),
      release: (claim) => end(claim, [released(claim)])
    })
  })
)
