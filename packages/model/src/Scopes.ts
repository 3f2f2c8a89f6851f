/** The scopes of a key: a resource, and whether it may only read it or also change it (silences: U26). */
import { Schema } from "effect"

/** Those that some operation of `/v1` asks for, in the order of the reference. */
export const Scope = Schema.Literals([
  "orders:read",
  "orders:write",
  "refunds:read",
  "refunds:write",
  "disputes:read",
  "disputes:write",
  "payment_links:read",
  "payment_links:write",
  "balance:read",
  "reports:read",
  "reports:write",
  "events:read",
  "logs:read",
  "erasures:read",
  "erasures:write",
  "exports:read",
  "webhooks:read",
  "webhooks:write",
  "test_helpers:read",
  "test_helpers:write"
])
export type Scope = typeof Scope.Type

/** Whether these scopes let a call through that asks for `needed`. A scope to change something lets it be read, too. */
export const covers = (held: ReadonlyArray<string>, needed: Scope): boolean =>
  held.includes(needed) || (needed.endsWith(":read") && held.includes(needed.replace(/read$/, "write")))

/** A live key has no test helpers: for it these routes do not exist. */
export const isOfSandbox = (scope: string): boolean => scope.startsWith("test_helpers:")
