/**
 * The request that is being answered: its id, on every response and in every log line (spec: General rules, 3), and
 * what is learnt about it on the way, for whoever looks at it afterwards.
 */
import type { MerchantId, Mode } from "@coffer/model/Ids"
import { Context } from "effect"

/** Filled in by those who know: one object per request, never shared. */
export interface RequestRecord {
  readonly requestId: string
  /** Whose request it is, once the key is known; calls of nobody are not logged (silences: A4). */
  owner: { readonly merchantId: MerchantId; readonly mode: Mode } | undefined
  /** The path as the specification writes it: `/v1/...`, without the query. */
  readonly path: string
  /** The client's address, as far as the connection and our own proxies tell; "" when it has left. */
  readonly ip: string
  /** The `data` of the answer, once a handler has replied. */
  answer?: object
  /** What the answer says beside itself, whatever it is. */
  headers?: Readonly<Record<string, string>>
}

export const CurrentRecord = Context.Reference<RequestRecord>("@coffer/http/CurrentRecord", {
  defaultValue: () => ({ requestId: "req_none", owner: undefined, path: "", ip: "" })
})
