/**
 * The scope that a key needs for each operation of `/v1`, as a table (silences: U26). An operation without a line does
 * not compile, and neither does a line without an operation.
 */
import type { Scope } from "@coffer/model/Scopes"
import type { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import type { Api } from "./Api.ts"

type OperationsOf<Group> = Group extends HttpApiGroup.Constraint
  ? `${HttpApiGroup.Identifier<Group>}.${HttpApiEndpoint.Identifier<HttpApiGroup.Endpoints<Group>>}`
  : never

/** `orders.create`: the group and the name of an endpoint. `operationNames.ts` says how it is published. */
export type Operation = typeof Api extends HttpApi.HttpApi<string, infer Groups> ? OperationsOf<Groups> : never

export const scopes: Readonly<Record<Operation, Scope>> = {
  "orders.create": "orders:write",
  "orders.update": "orders:write",
  "orders.expire": "orders:write",
  "orders.list": "orders:read",
  "orders.get": "orders:read",
  "timelines.get": "orders:read",
  "receipts.sendReceipt": "orders:write",
  "refunds.create": "refunds:write",
  "refunds.update": "refunds:write",
  "refunds.list": "refunds:read",
  "refunds.get": "refunds:read",
  "disputes.submitEvidence": "disputes:write",
  "disputes.accept": "disputes:write",
  "disputes.list": "disputes:read",
  "disputes.get": "disputes:read",
  "disputes.getEvidence": "disputes:read",
  // A file is only used as evidence.
  "files.upload": "disputes:write",
  "payment_links.create": "payment_links:write",
  "payment_links.update": "payment_links:write",
  "payment_links.list": "payment_links:read",
  "payment_links.get": "payment_links:read",
  "balance.get": "balance:read",
  "balance.transactions": "balance:read",
  "balance.chain": "balance:read",
  "reports.create": "reports:write",
  "reports.list": "reports:read",
  "reports.statement": "reports:read",
  "reports.fees": "reports:read",
  "reports.payout": "reports:read",
  "reports.frozen": "reports:read",
  "reports.get": "reports:read",
  "reports.file": "reports:read",
  "events.list": "events:read",
  "events.get": "events:read",
  "logs.list": "logs:read",
  "erasures.create": "erasures:write",
  "erasures.get": "erasures:read",
  "exports.buyer": "exports:read",
  "webhook_endpoints.create": "webhooks:write",
  "webhook_endpoints.update": "webhooks:write",
  "webhook_endpoints.delete": "webhooks:write",
  "webhook_endpoints.rotateSecret": "webhooks:write",
  "webhook_endpoints.rotateSigningSecret": "webhooks:write",
  "webhook_endpoints.list": "webhooks:read",
  "webhook_endpoints.get": "webhooks:read",
  // It shows a secret, which can sign webhooks.
  "webhook_endpoints.signingSecret": "webhooks:write",
  "webhook_deliveries.resend": "webhooks:write",
  "webhook_deliveries.list": "webhooks:read",
  "webhook_deliveries.get": "webhooks:read",
  "test_helpers.pay": "test_helpers:write",
  "test_helpers.settleRefund": "test_helpers:write",
  "test_helpers.dispute": "test_helpers:write",
  "test_helpers.resolveDispute": "test_helpers:write",
  "test_helpers.channel": "test_helpers:write",
  "test_helpers.clock": "test_helpers:read",
  "test_helpers.advanceClock": "test_helpers:write"
}

/** The scope of an endpoint of `/v1`. */
export const scopeOf = (group: string, endpoint: string): Scope => scopes[`${group}.${endpoint}` as Operation]
