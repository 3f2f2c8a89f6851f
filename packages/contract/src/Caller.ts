/** The caller, and the middleware that authenticates it. Implementations: `src/shared/http/`. */
import type { Account } from "@coffer/model/Account"
import type { PersonId } from "@coffer/model/Ids"
import type { Role } from "@coffer/model/Role"
import { Context, type DateTime } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import {
  Forbidden,
  IdempotencyError,
  IdempotencyInProgress,
  InternalError,
  InvalidApiKey,
  InvalidRequest,
  IpNotAllowed,
  MerchantNotFound,
  MerchantNotApproved,
  MissingApiKey,
  RateLimited,
  RouteNotFound,
  Unavailable
} from "./Errors.ts"
import type { PersonResource, SessionResource } from "./People.ts"

/** The merchant and environment that the API key stands for (spec: Authentication). */
export class Caller extends Context.Service<Caller, Account>()("@coffer/contract/Caller") {}

export class MerchantKey extends HttpApiMiddleware.Service<MerchantKey, { provides: Caller }>()(
  "@coffer/contract/MerchantKey",
  {
    requiredForClient: true,
    security: {
      apiKey: HttpApiSecurity.apiKey({ in: "header", key: "X-Api-Key" }).pipe(
        HttpApiSecurity.annotate(OpenApi.Description, "Your secret key; keep it on your server.")
      )
    },
    error: [
      MissingApiKey,
      InvalidApiKey,
      IpNotAllowed,
      MerchantNotApproved,
      Forbidden,
      RateLimited,
      InternalError,
      Unavailable
    ]
  }
) {}

/** Admits sandbox keys; for a live key these routes do not exist. */
export class SandboxOnly extends HttpApiMiddleware.Service<SandboxOnly, { requires: Caller }>()(
  "@coffer/contract/SandboxOnly",
  { error: RouteNotFound }
) {}

/** Who requests a change. The source of the right is checked again when the change is written. */
export interface Asker {
  /** The people that the caller may be. */
  readonly personIds: ReadonlyArray<string>
  /** The session of a person in the console. */
  readonly sessionId?: string | undefined
  /** The token of an operator. */
  readonly operatorId?: string | undefined
}

/** The operator of the token. Two operators with a person in common count as one. */
export class CurrentOperator extends Context.Service<
  CurrentOperator,
  Asker & {
    readonly operatorId: string
    readonly name: string
    readonly role: Role
    /** When the session of a person was opened; undefined for a token. */
    readonly openedAt?: DateTime.Utc | undefined
  }
>()("@coffer/contract/CurrentOperator") {}

/**
 * `Authorization: Bearer <operator token>`, or from a page of the console the session of a person who has a role of the
 * installation, as {@link PersonSession}. `acts.ts` says what each role may do.
 */
export class OperatorToken extends HttpApiMiddleware.Service<OperatorToken, { provides: CurrentOperator }>()(
  "@coffer/contract/OperatorToken",
  {
    requiredForClient: true,
    security: { bearer: HttpApiSecurity.bearer },
    error: [InvalidApiKey, Forbidden, RateLimited, InternalError, Unavailable]
  }
) {}

/** The session of the signed-in person, and the person's rights. */
export class CurrentPerson extends Context.Service<
  CurrentPerson,
  {
    readonly personId: PersonId
    readonly sessionId: string
    readonly shown: {
      readonly person: PersonResource
      readonly session: SessionResource
      readonly needs_passkey: boolean
    }
  }
>()("@coffer/contract/CurrentPerson") {}

/**
 * The cookie of a session, and the header `Coffer-Console: 1`, which no page of another site can send.
 * `acts.ts` says what each role may do.
 */
export class PersonSession extends HttpApiMiddleware.Service<PersonSession, { provides: CurrentPerson }>()(
  "@coffer/contract/PersonSession",
  { error: [InvalidApiKey, Forbidden, MerchantNotFound, RateLimited, InternalError, Unavailable] }
) {}

/** For calls of a browser without a session. */
export class ConsoleGuest extends HttpApiMiddleware.Service<ConsoleGuest>()("@coffer/contract/ConsoleGuest", {
  error: [Forbidden, RateLimited, InternalError, Unavailable]
}) {}

/**
 * Writes 120, reads 600, CSV 10 and test helpers 600 a minute, per merchant and mode (spec: Limits; silences: U22):
 * `src/door/edge/MerchantKey.ts`.
 */
export class Quotas extends HttpApiMiddleware.Service<Quotas, { requires: Caller }>()("@coffer/contract/Quotas", {
  error: RateLimited
}) {}

/** `Idempotency-Key` on every POST and DELETE (silences: I1 to I6). It is implemented in `src/shared/idempotency`. */
export class Idempotency extends HttpApiMiddleware.Service<Idempotency, { requires: Caller }>()(
  "@coffer/contract/Idempotency",
  { error: [InvalidRequest, IdempotencyError, IdempotencyInProgress, Unavailable] }
) {}

/** Turns a failed decoding into 400 `invalid_request` with the field's name (spec: Errors). */
export class Decoding extends HttpApiMiddleware.Service<Decoding>()("@coffer/contract/Decoding", {
  error: [InvalidRequest, Unavailable]
}) {}
