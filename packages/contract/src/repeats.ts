/**
 * The effect of a write of `/v1` that is sent twice, as a table. One that *makes* is not idempotent: another order,
 * another refund, another mail. One that *sets* is: twice is as once, and a change in between is overwritten. A client
 * that makes its own `Idempotency-Key`s goes by this (docs/mcp.md). A write without a line does not compile, and
 * neither does a line without a write.
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
  // Each call makes another secret, but a stored answer would hand out one that no longer signs.
  "webhook_endpoints.rotateSecret": "sets",
  "webhook_endpoints.rotateSigningSecret": "sets",
  "webhook_deliveries.resend": "makes",
  "test_helpers.pay": "makes",
  "test_helpers.settleRefund": "sets",
  "test_helpers.dispute": "makes",
  "test_helpers.resolveDispute": "sets",
  "test_helpers.channel": "sets",
  "test_helpers.advanceClock": "makes"
}

/** Undefined for a read. */
export const repeatOf = (operation: string): Repeat | undefined => repeats[operation as Write]
