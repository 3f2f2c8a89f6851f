/**
 * Whether each write of `/v1` is idempotent, as a table. One that *makes* is not: a repeat makes another order, refund
 * or mail. One that *sets* is: a repeat has the same effect, and overwrites a change in between. A client that derives
 * its own `Idempotency-Key`s depends on this (docs/mcp.md). A write without a line does not compile, and neither does a
 * line without a write.
 */
import type { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import type { Api } from "./Api.ts"

export type Repeat = "makes" | "sets"

type Writing<Endpoint> = Endpoint extends { readonly method: "GET" } ? never : HttpApiEndpoint.Identifier<Endpoint>

type WritesOf<Group> = Group extends HttpApiGroup.Constraint
  ? `${HttpApiGroup.Identifier<Group>}.${Writing<HttpApiGroup.Endpoints<Group>>}`
  : never

type Write = typeof Api extends HttpApi.HttpApi<string, infer Groups> ? WritesOf<Groups> : never

const repeats: Readonly<Record<Write, Repeat>> = {
  "orders.create": "makes",
  "orders.update": "sets",
  "orders.expire": "sets",
  "orders.capture": "sets",
  "receipts.sendReceipt": "makes",
  "refunds.create": "makes",
  "refunds.update": "sets",
  "disputes.submitEvidence": "sets",
  "disputes.accept": "sets",
  "files.upload": "makes",
  "payment_links.create": "makes",
  "payment_links.update": "sets",
  "reports.create": "makes",
  "erasures.create": "sets",
  "exports.buyer": "makes",
  "webhook_endpoints.create": "makes",
  "webhook_endpoints.update": "sets",
  "webhook_endpoints.delete": "sets",
  // Each call creates another secret, but a stored answer would return one that no longer signs.
  "webhook_endpoints.rotateSecret": "sets",
  "webhook_endpoints.rotateSigningSecret": "sets",
  "webhook_endpoints.endPreviousSecrets": "sets",
  "webhook_endpoints.endPreviousSigningSecrets": "sets",
  "webhook_deliveries.resend": "makes",
  "test_helpers.pay": "makes",
  "test_helpers.authorize": "makes",
  "test_helpers.capture": "sets",
  "test_helpers.settleRefund": "sets",
  "test_helpers.dispute": "makes",
  "test_helpers.resolveDispute": "sets",
  "test_helpers.channel": "sets",
  "test_helpers.advanceClock": "makes"
}

/** Undefined for a read. */
export const repeatOf = (operation: string): Repeat | undefined => repeats[operation as Write]
