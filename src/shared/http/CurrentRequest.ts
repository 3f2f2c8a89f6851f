/**
 * The current request: its id, which every response and log line carries (spec: General rules, 3), its parameters, and
 * facts about it that are added while it is processed.
 */
import type { Asker } from "@coffer/contract/Caller"
import type { IgnoredField } from "@coffer/resources/calls"
import type { Account } from "@coffer/model/Account"
import type { PersonRole } from "@coffer/model/PersonRole"
import type { QuotaOverrides } from "@coffer/model/Quotas"
import { Context, Effect, type Option } from "effect"
import type { Visit } from "./Admission.ts"
import type * as Wire from "@coffer/contract/Errors"
import type { Holding } from "./Holdings.ts"

export type BodyRefused = Wire.InvalidRequest | Wire.Unavailable

/**
 * One object per request, never shared. Fields that are not readonly are set while the request is processed. A field
 * that is no longer needed becomes undefined: V8 makes a dictionary of an object that loses a field, which takes
 * microseconds.
 */
export interface RequestRecord {
  /** If the account's clock was moved, an id of its time replaces the first one. */
  requestId: string
  /** Milliseconds since 1970. */
  readonly arrived: number
  readonly method: string
  /** The path as the specification writes it, `/v1/...`, with the query. */
  readonly url: string
  /** The same without the query. Each resource has one path: another spelling of it has no route. */
  readonly path: string
  /** `/v1/orders/{ref}`; `none` where there is no route. */
  readonly route: string
  /** The parameters of the route in the path, decoded. */
  readonly params: Readonly<Record<string, string | undefined>>
  /** The headers, by their names in lower case. */
  readonly sent: Readonly<Record<string, string | undefined>>
  /** The body, read on demand. Refused if it is larger than the endpoint accepts, or not UTF-8. */
  readonly text: Effect.Effect<string, BodyRefused>
  /** The client's address, by the connection and our own proxies; "" when the client has left. */
  readonly ip: string
  /** The connection of the request. */
  readonly connection: Connection
  /** Objects that its answer may hold; 0 for one alone. */
  readonly rows: number
  /** How many requests of its sender waited when it was admitted. */
  readonly behind: number
  /** The caller's account, once the key is known; calls without one are not logged (silences: A4). */
  account: Account | undefined
  /** The account of a page of the console, whose signed-in person is the caller; undefined for a call with a key. */
  readonly ofConsole?: Account | undefined
  /** Whether a page of the console called the operators' API: then a session is required, not a token. */
  readonly isOfOperatorsPage?: boolean | undefined
  /** Whether it came by the operators' own port (ADMIN_PORT). */
  readonly isAtAdmin?: boolean | undefined
  /**
   * The merchant whose own host the request names, so that it gets this merchant's pages and nothing else; "" for one
   * that names several.
   */
  readonly shop?: string | undefined
  /** The key with scopes that called; undefined for the main key. */
  keyId?: string | undefined
  /** The address of the person of the merchant who calls by the console. */
  person?: string | undefined
  /** The person of the merchant who calls by the console, and whether a role is enough for this. */
  changer?: { readonly asker: Asker; readonly may: (role: PersonRole) => boolean } | undefined
  /** Its scopes, or those of the person's role who calls; undefined for the main key, which has all. */
  scopes?: ReadonlyArray<string> | undefined
  /** How far the account's clock was ahead at the request, in milliseconds. */
  ahead: number
  /** The room that the request takes, once it is admitted. */
  visit: Visit | undefined
  /** Whether a quota has counted it and let it through. */
  isCounted?: boolean
  /** A long-poll: it gets no row of the API log when it succeeds (silences: A12). */
  isUnlogged?: boolean
  /** Lists of the API log end before a call that is under way; they do not end before one that has left. */
  leaveLog?: (record: RequestRecord) => void
  /** The parsed body of a request with an Idempotency-Key; none if it is not JSON. */
  json?: Option.Option<unknown>
  /** The memory of its body. */
  body?: Holding | undefined
  /** The objects that its turn has reserved for building the answer. */
  rowsTaken?: number | undefined
  /** Set if the answer is streamed. */
  stream?: Streamed
  /** The account's own limits. */
  quotas: QuotaOverrides
  /** The answer's body, once a handler has replied. */
  answer?: { readonly code: number; readonly data: object }
  /** The object before and after an operator's act, for the audit log. */
  change?: { readonly before?: object; readonly after: object }
  /** The merchant whose money an operator's act moves, if its path does not name it: for the merchant's audit log. */
  moves?: string
  /** Writes the second entry of an operator's act, with the status of the answer. Never fails. */
  closeAct?: (status: number) => Effect.Effect<void>
  /** The reason of a refusal, finer than the error's code. */
  reason?: string | undefined
  /** Fields of its body that the endpoint does not know, for the API log. */
  ignored?: ReadonlyArray<IgnoredField>
  /** Headers of the answer, for replies and refusals. */
  headers?: Readonly<Record<string, string>>
}

/** A connection of a client. */
export interface Connection {
  /** Bytes received on it. */
  readonly bytesRead: number
}

export interface Streamed {
  /** The next part is being made. */
  readonly making: () => void
  /** How many bytes wait for the client. */
  readonly sending: (bytes: number) => void
}

export const CurrentRecord = Context.Reference<RequestRecord>("@coffer/http/CurrentRecord", {
  defaultValue: () => ({
    requestId: "req_none",
    arrived: 0,
    method: "",
    url: "",
    path: "",
    route: "none",
    params: {},
    sent: {},
    text: Effect.succeed(""),
    ip: "",
    connection: { bytesRead: 0 },
    rows: 0,
    behind: 0,
    account: undefined,
    ahead: 0,
    visit: undefined,
    quotas: {}
  })
})

/** Whether the host of the request may show this merchant's pages. */
export const isShownAt = ({ shop }: Pick<RequestRecord, "shop">, merchantId: string): boolean =>
  shop === undefined || shop === merchantId

/** Who requested what is listed: a person's address, the number of a key with scopes, or the main key. */
export const requesterOf = ({ keyId, person }: Pick<RequestRecord, "keyId" | "person">): string =>
  person ?? keyId ?? "main_key"
