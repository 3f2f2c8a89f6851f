/**
 * The request that is being answered: its id, on every response and in every log line (spec: General rules, 3), what it
 * asks, and what is learnt about it on the way, for whoever looks at it afterwards.
 */
import type { Owner } from "@coffer/model/Owner"
import type { QuotaOverrides } from "@coffer/model/Quotas"
import { Context, Effect } from "effect"
import type { Visit } from "./Admission.ts"
import type { BodyRefused } from "./Body.ts"

/** Filled in by those who know: one object per request, never shared. */
export interface RequestRecord {
  readonly requestId: string
  /** Milliseconds since 1970. */
  readonly arrived: number
  readonly method: string
  /** The path as the specification writes it, `/v1/...`, with the query. */
  readonly url: string
  /** Likewise, without the query. */
  readonly path: string
  /** By their names in lower case. */
  readonly sent: Readonly<Record<string, string | undefined>>
  /** The body, read when it is asked for; refused if it is larger than the endpoint takes, or not UTF-8. */
  readonly text: Effect.Effect<string, BodyRefused>
  /** The client's address, as far as the connection and our own proxies tell; "" when it has left. */
  readonly ip: string
  /** How many more of whoever sent it waited to be begun when it was. */
  readonly behind: number
  /** Whose request it is, once the key is known; calls of nobody are not logged (silences: A4). */
  owner: Owner | undefined
  /** What the request takes up, once it is let in. */
  visit: Visit | undefined
  /** Limits of the owner's own. */
  quotas: QuotaOverrides
  /** The answer's body, once a handler has replied. */
  answer?: { readonly code: number; readonly data: object }
  /** What the answer says beside itself, whatever it is. */
  headers?: Readonly<Record<string, string>>
}

export const CurrentRecord = Context.Reference<RequestRecord>("@coffer/http/CurrentRecord", {
  defaultValue: () => ({
    requestId: "req_none",
    arrived: 0,
    method: "",
    url: "",
    path: "",
    sent: {},
    text: Effect.succeed(""),
    ip: "",
    behind: 0,
    owner: undefined,
    visit: undefined,
    quotas: {}
  })
})
