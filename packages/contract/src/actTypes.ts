/** The columns of the table of acts (`acts.ts`), and what the type of an endpoint demands of its row. */
import type { Holder } from "@coffer/model/Holder"
import type { PersonRole } from "@coffer/model/PersonRole"
import type { Role } from "@coffer/model/Role"
import type { Scope } from "@coffer/model/Scopes"
import type { TwoOperators } from "@coffer/model/TwoOperators"
import type { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"

// Columns -----------------------------------------------------------------------------

/**
 * What a merchant that is suspended or closed may still do. `protects`: takes a right away, or shows what there is to
 * take away. `kept`: reads, or does what a closed merchant still owes. `new`: anything else.
 */
export type State = "protects" | "kept" | "new"

/**
 * Whether a person does it only for a short time after signing in: always, with live rights and secrets alone (keys of
 * the sandbox are made and lost all day), or never.
 */
export type Fresh = "always" | "live" | "never"

/** A secret that signs. */
export interface Secret {
  readonly is: "secret"
}
export type Gift = Holder | Secret

/**
 * What whoever does it, or whom it names, has afterwards. `its object`: the rights of the key or the invitation that
 * the path names.
 */
export type GiftSource = Gift | "its object" | undefined
export type Gives<Request> = GiftSource | ((request: Request) => GiftSource)

/** The request for an act: its parameters, its body, or the object that it is done to. */
export type ActRequest = Readonly<Record<string, unknown>>

/**
 * Words of `TWO_OPERATORS`, with what they are about in an act; `any`: where it has a word at all; `always`: anyhow.
 */
export type OfTwo = Readonly<Partial<Record<keyof TwoOperators | "any" | "always", (request: ActRequest) => boolean>>>

interface Act {
  /** Whether the audit log has it: whatever changes something, or shows a secret. */
  readonly isLogged: boolean
  /** Its body may have words of people, which the audit log does not get: it is kept for ever. */
  readonly hidesWords?: boolean
  readonly fresh?: Fresh
}

/** Of `/v1`. The audit log has what people do by it; a key's calls are in the API log. */
export interface MerchantAct extends Act {
  readonly scope: Scope
  readonly state: State
}

export interface ConsoleAct extends Act {
  /**
   * `anybody`: without a session. `person`: about the person who is signed in. Otherwise the roles that may do it for
   * the merchant that the path names, beside the owner.
   */
  readonly by: "anybody" | "person" | ReadonlyArray<PersonRole>
  /** Of an act for a merchant. */
  readonly state?: State
  /** Whether a session may do it that has to get a passkey first. */
  readonly isOpen?: true
  /** Of its body, those that a role may set; the owner sets all. Without it, all that may do it do. */
  readonly fields?: Readonly<Partial<Record<PersonRole, (field: string) => boolean>>>
}

export interface OperatorAct extends Act {
  /** Beside the admin. */
  readonly by: ReadonlyArray<Role>
  /** Shows what belongs to a merchant: the audit log has that an operator has read it, once an hour. */
  readonly isSeen?: true
  /** When it takes two operators; otherwise one does it alone. */
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

/** Fields of a body that say what a credential or a person may do. */
type Right = "role" | "roles" | "scopes"
/** Fields of an answer that are a credential. */
type Credential = "key" | "token" | "secret" | `${string}_secret` | "sandbox_key" | "live_key"

/** Whether the type, or what it holds up to `Depth` levels down, has one of the fields. */
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

/** Whether the row of this endpoint has to say what it gives. */
type MustSay<Endpoint> = true extends
  | Has<TypeOf<HttpApiEndpoint.Payload<Endpoint>>, Right>
  | Has<TypeOf<HttpApiEndpoint.Success<Endpoint>>, Credential>
  ? true
  : false

/** Whatever gives says from which session it does. */
interface Says<Endpoint> {
  readonly gives: Gives<HttpApiEndpoint.Request<Endpoint>>
  readonly fresh: Fresh
}
/** The acts of a door whose rows have to. */
export type SayingOf<Door> = {
  readonly [Each in EndpointsOf<Door> as Each["name"]]: MustSay<Each["endpoint"]> extends true ? Each["name"] : never
}[NamesOf<Door>]

interface GivesNothing {
  readonly gives?: never
}
type Giving<Endpoint> = MustSay<Endpoint> extends true ? Says<Endpoint> : Says<Endpoint> | GivesNothing

/** A row, whichever it is. */
export type AnyRow<Row> = Row & { readonly gives?: Gives<never> }
