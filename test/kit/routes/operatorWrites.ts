/** Writes of operators about merchants' standing and about other operators (`writes.ts`). */
import { Effect } from "effect"
import type { Merchant } from "../Api.ts"
import type { SqlClient } from "effect/sql"
import { ownersConnection } from "../Service.ts"
import { type Post, write } from "./write.ts"

const byOperator = { by: "operator" } as const

/** The secret of the last answer works. */
const opensBalance = {
  ...byOperator,
  opens: ({ key }: { readonly key: string }) => ({ path: "/v1/balance", headers: { "X-Api-Key": key } })
}
const aKey = { mode: "sandbox", name: "Accounting", scopes: ["balance:read"] }

/** The path of a key that is made for it. */
const keyPath = ({ merchant: { merchantId }, operate }: { readonly merchant: Merchant; readonly operate: Post }) =>
  Effect.map(
    operate(`/merchants/${merchantId}/api_keys`, aKey),
    ({ key_id }) => `/operator/v1/merchants/${merchantId}/api_keys/${key_id}`
  )

const aRole = (merchantId: string, role: string) => ({
  email: `${role}.${merchantId}@shop.example`,
  merchant_id: merchantId,
  role
})

/** Makes the invitation a role, as its acceptance does. No mail is read here, so the row says it. */
export const accept = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, invitationId: string) {
  yield* sql`insert into people (person_id, email, name, created_at)
    select invitation_id, email, email, created_at from invitations where invitation_id = ${invitationId}`
  yield* sql`insert into memberships (person_id, belongs_to, role, created_at)
    select invitation_id, belongs_to, role, created_at from invitations where invitation_id = ${invitationId}`
  yield* sql`delete from invitations where invitation_id = ${invitationId}`
}, Effect.orDie)

/** The number of a person who has accepted that role. */
const member = Effect.fnUntraced(
  function* (
    { database, merchant: { merchantId }, operate }: Parameters<Parameters<typeof write>[3]>[0],
    role: string
  ) {
    const { person_id } = yield* operate("/people", aRole(merchantId, role))
    yield* accept(yield* ownersConnection(database), person_id)
    return person_id as string
  },
  Effect.scoped,
  Effect.orDie
)

export const operatorWrites = [
  ...write(
    "merchant: suspend",
    "plain",
    "select 1 from merchants where merchant_id = $1 and suspended_at is not null",
    ({ merchant: { merchantId } }) => Effect.succeed({ path: `/operator/v1/merchants/${merchantId}/suspend` }),
    byOperator
  ),
  ...write(
    "merchant: resume",
    "plain",
    "select 1 from merchants where merchant_id = $1 and suspended_at is null",
    ({ merchant: { merchantId }, operate }) =>
      Effect.as(operate(`/merchants/${merchantId}/suspend`), { path: `/operator/v1/merchants/${merchantId}/resume` }),
    byOperator
  ),
  ...write(
    "merchant: close",
    "plain",
    "select 1 from merchants where merchant_id = $1 and closed_at is not null",
    ({ merchant: { merchantId } }) => Effect.succeed({ path: `/operator/v1/merchants/${merchantId}/close` }),
    byOperator
  ),
  ...write(
    "key: create",
    "plain",
    "select distinct name from api_keys where merchant_id = $1",
    ({ merchant: { merchantId } }) =>
      Effect.succeed({ path: `/operator/v1/merchants/${merchantId}/api_keys`, body: aKey }),
    opensBalance
  ),
  ...write(
    "key: update",
    "plain",
    "select 1 from api_keys where merchant_id = $1 and name = 'Other'",
    (at) => Effect.map(keyPath(at), (path) => ({ path, body: { name: "Other" } })),
    byOperator
  ),
  ...write(
    "key: roll",
    "plain",
    "select 1 from api_keys where merchant_id = $1 and rolled_at is not null",
    (at) => Effect.map(keyPath(at), (path) => ({ path: `${path}/roll`, body: { overlap_minutes: 0 } })),
    opensBalance
  ),
  ...write(
    "key: revoke",
    "plain",
    "select 1 from api_keys where merchant_id = $1 and revoked_at is not null",
    (at) => Effect.map(keyPath(at), (path) => ({ path: `${path}/revoke` })),
    byOperator
  ),
  ...write("buyer: erase", "plain", "select distinct email_hash from erasures where merchant_id = $1", () =>
    Effect.succeed({ path: "/v1/erasures", body: { email: "buyer@example.com" } })
  ),
  ...write(
    "buyer: erase, by the operator",
    "plain",
    // One buyer for each test: the erasure is no merchant's.
    "select 1 from merchants where merchant_id = $1",
    ({ merchant: { merchantId } }) =>
      Effect.succeed({ path: "/operator/v1/erasures", body: { email: `${merchantId.toLowerCase()}@example.com` } }),
    byOperator
  ),
  ...write(
    "operator: create",
    "plain",
    "select distinct name from operators where name = 'Ada of ' || $1",
    ({ merchant: { merchantId } }) =>
      Effect.succeed({ path: "/operator/v1/operators", body: { name: `Ada of ${merchantId}`, role: "viewer" } }),
    {
      ...byOperator,
      opens: ({ token }) => ({ path: "/operator/v1/merchants", headers: { Authorization: `Bearer ${token}` } })
    }
  ),
  ...write(
    "operator: revoke",
    "plain",
    "select 1 from operators where name = 'Bo of ' || $1 and revoked_at is not null",
    ({ merchant: { merchantId }, operate }) =>
      Effect.map(operate("/operators", { name: `Bo of ${merchantId}`, role: "viewer" }), ({ operator_id }) => ({
        path: `/operator/v1/operators/${operator_id}/revoke`
      })),
    byOperator
  ),
  ...write(
    "person: give a role",
    "plain",
    "select 1 from invitations where belongs_to = $1 and role = 'finance'",
    ({ merchant: { merchantId } }) =>
      Effect.succeed({ path: "/operator/v1/people", body: aRole(merchantId, "finance") }),
    byOperator
  ),
  ...write(
    "person: take a role",
    "plain",
    `select 1 from people p where email = lower('viewer.' || $1 || '@shop.example')
      and not exists (select from memberships m where m.person_id = p.person_id)`,
    (at) =>
      Effect.map(member(at, "viewer"), (personId) => ({
        path: `/operator/v1/people/${personId}/remove`,
        body: { merchant_id: at.merchant.merchantId }
      })),
    byOperator
  ),
  ...write(
    "person: end sessions",
    "plain",
    "select 1 from people where email = lower('support.' || $1 || '@shop.example')",
    (at) => Effect.map(member(at, "support"), (personId) => ({ path: `/operator/v1/people/${personId}/end_sessions` })),
    byOperator
  ),
  ...write(
    "person: reset access",
    "plain",
    "select 1 from people where email = lower('developer.' || $1 || '@shop.example')",
    (at) => Effect.map(member(at, "developer"), (personId) => ({ path: `/operator/v1/people/${personId}/recover` })),
    byOperator
  )
]
