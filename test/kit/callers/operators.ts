/** Operators of a test, each with a token of its own. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Role } from "@coffer/model/Role"
import type { Api } from "../Api.ts"

/** The token of a new operator. */
export const newOperator = Effect.fnUntraced(function* (api: Api, name: string, role: Role) {
  const created = yield* api.operator("POST", "/operators", { name, role })
  assert.strictEqual(created.status, 201, created.text)
  return created.body.data as { readonly operator_id: string; readonly token: string; readonly expires_at: string }
})

/** The token of a new operator where it takes two: another, who is an admin, has to ask for the same. */
export const newOperatorOfTwo = Effect.fnUntraced(function* (api: Api, by: string, name: string, role: Role) {
  const terms = { name, role }
  assert.strictEqual((yield* api.operator("POST", "/operators", terms)).status, 202)
  const created = yield* callAs(api, by, "POST", "/operators", terms)
  assert.strictEqual(created.status, 201, created.text)
  return created.body.data as { readonly operator_id: string; readonly token: string }
})

/** A call with a token of the operator's API. */
export const callAs = (api: Api, token: string, method: string, path: string, body?: unknown) =>
  api.call(method, `/operator/v1${path}`, { headers: { Authorization: `Bearer ${token}` }, body })

/** Entries of the audit log, newest first. */
export const entriesOf = Effect.fnUntraced(function* (api: Api, query = "") {
  const listed = yield* api.operator("GET", `/audit_log?limit=100${query}`)
  assert.strictEqual(listed.status, 200, listed.text)
  return listed.body.data.data as ReadonlyArray<Record<string, any>>
})
