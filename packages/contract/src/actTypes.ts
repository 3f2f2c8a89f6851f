/** The columns of the table of acts (`acts.ts`), and what an endpoint's type requires of its row. */
import type { Holder } from "@coffer/model/Holder"
import type { PersonRole } from "@coffer/model/PersonRole"
import type { Role } from "@coffer/model/Role"
import type { Scope } from "@coffer/model/Scopes"
import type { TwoOperators } from "@coffer/model/TwoOperators"
import type { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"

// Columns -----------------------------------------------------------------------------

/**
 * What a suspended or closed merchant may still do. `protects`: revokes a right, or lists rights that can be revoked.
 * `kept`: reads, or fulfils what a closed merchant still owes. `new`: anything else.
 */
export type State = "protects" | "kept" | "new"

/**
 * Whether it needs a recent sign-in: always, only for live rights and secrets (sandbox keys are created and lost all
 * day), or never.
 */
export type Fresh = "always" | "live" | "never"

/** A secret that signs. */
export interface Secret {
  readonly is: "secret"
}
export type Gift = Holder | Secret

/**
 * The rights that the caller, or the person named in the request, has afterwards. `its object`: the rights of the key
 * or the invitation in the path.
 */
export type GiftSource = Gift | "its object" | undefined
export type Gives<Request> = GiftSource | ((request: Request) => GiftSource)

/** The request for an act: its parameters, its body, or its object. */
export type ActRequest = Readonly<Record<string, unknown>>

/**
 * Values of `TWO_OPERATORS`, with the part of the request that they apply to; `any`: if any value is set; `always`:
 * regardless of the setting.
 */
export type OfTwo = Readonly<Partial<Record<keyof TwoOperators | "any" | "always", (request: ActRequest) => boolean>>>

interface Act {
  /** Whether it is in the audit log, as is every act that changes something or shows a secret. */
  readonly isLogged: boolean
  /** Its body may contain personal data, which the audit log omits because it is kept for ever. */
  readonly hidesWords?: boolean
  readonly fresh?: Fresh
}

/** An act of `/v1`. The audit log has what people do with it; calls with a key are in the API log. */
export interface MerchantAct extends Act {
  readonly scope: Scope
  readonly state: State
}

export interface ConsoleAct extends Act {
  /**
   * `anybody`: without a session. `person`: about the signed-in person. Otherwise the roles, besides the owner, that
   * may do it for the merchant in the path.
   */
  readonly by: "anybody" | "person" | ReadonlyArray<PersonRole>
  /** For an act for a merchant. */
  readonly state?: State
  /** Whether a session may do it that must register a passkey first. */
  readonly isOpen?: true
  /** The body's fields that each role may set; the owner may set all. Without it every permitted role may set all. */
  readonly fields?: Readonly<Partial<Record<PersonRole, (field: string) => boolean>>>
}

export interface OperatorAct extends Act {
  /** Besides the admin. */
  readonly by: ReadonlyArray<Role>
  /** Shows a merchant's data: the audit log records an operator's reads, once an hour. */
  readonly isSeen?: true
  /** When it needs two operators; otherwise one is enough. */
  readonly ofTwo?: OfTwo
}

// Endpoints ---------------------------------------------------------------------------

type Named<Group> = Group extends HttpApiGroup.Constraint ? NamedIn<Group, HttpApiGroup.Endpoints<Group>> : never
type NamedIn<Group extends HttpApiGroup.Constraint, Endpoint> = Endpoint extends HttpApiEndpoint.Constraint
  ? {
      readonly name: `${HttpApiGroup.Identifier<Group>}.${HttpApiEndpoint.Identifier<Endpoint>}`
      readonly endpoint: Endpoint
    }
  : never
type EndpointsOf<Door> = Door extends HttpApi.HttpApi<string, infer Groups> ? Named<Groups> : never

/** `orders.create`: the group and the name of each endpoint. */
export type NamesOf<Door> = EndpointsOf<Door>["name"]

/** A row for each endpoint. */
export type Table<Door, Row> = {
  readonly [Each in EndpointsOf<Door> as Each["name"]]: Row & Giving<Each["endpoint"]>
}

// What gives --------------------------------------------------------------------------

/** Body fields that set the rights of a credential or a person. */
type Right = "role" | "roles" | "scopes"
/** Answer fields that contain a credential. */
type Credential = "key" | "token" | "secret" | `${string}_secret` | "sandbox_key" | "live_key"

/** Whether the type, or a nested type up to `Depth` levels down, has one of the fields. */
type Has<Of, Fields, Depth extends ReadonlyArray<unknown> = [1, 2, 3]> =
  Of extends ReadonlyArray<infer Item>
    ? Has<Item, Fields, Depth>
    : Of extends object
      ? Extract<keyof Of, Fields> extends never
        ? Depth extends readonly [unknown, ...infer Less]
          ? { readonly [Field in keyof Of]: Has<Of[Field], Fields, Less> }[keyof Of]
          : false
        : true
      : false

type TypeOf<Schema> = Schema extends { readonly Type: infer Type } ? Type : never

/** Whether the row of this endpoint needs `gives`. */
type MustSay<Endpoint> = true extends
  | Has<TypeOf<HttpApiEndpoint.Payload<Endpoint>>, Right>
  | Has<TypeOf<HttpApiEndpoint.Success<Endpoint>>, Credential>
  ? true
  : false

/** A row with `gives` must also define the required session. */
interface Says<Endpoint> {
  readonly gives: Gives<HttpApiEndpoint.Request<Endpoint>>
  readonly fresh: Fresh
}
/** The acts of a door whose rows need it. */
export type SayingOf<Door> = {
  readonly [Each in EndpointsOf<Door> as Each["name"]]: MustSay<Each["endpoint"]> extends true ? Each["name"] : never
}[NamesOf<Door>]

interface GivesNothing {
  readonly gives?: never
}
type Giving<Endpoint> = MustSay<Endpoint> extends true ? Says<Endpoint> : Says<Endpoint> | GivesNothing

/** A row, whichever it is. */
export type AnyRow<Row> = Row & { readonly gives?: Gives<never> }
