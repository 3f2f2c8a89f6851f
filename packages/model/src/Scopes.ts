/** The scopes of a key: a resource, and whether it may only read it or also change it (silences: U26). */
import { Schema } from "effect"

/** All scopes that operations of `/v1` require, in the order of the reference. */
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

/** Whether these scopes include `needed`. A write scope includes reading. */
export const covers = (held: ReadonlyArray<string>, needed: Scope): boolean =>
  held.includes(needed) || (needed.endsWith(":read") && held.includes(needed.replace(/read$/, "write")))

/** A live key has no test helpers: these routes do not exist for it. */
export const isOfSandbox = (scope: string): boolean => scope.startsWith("test_helpers:")
