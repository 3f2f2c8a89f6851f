/** Writes of operators about merchants' standing and about other operators (`writes.ts`). */
import { Effect } from "effect"
import { write } from "./write.ts"

const byOperator = { by: "operator" } as const

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
    "channel: set",
    "plain",
    "select 1 from merchants where merchant_id = $1",
    ({ merchant: { merchantId } }) =>
      Effect.succeed({ path: `/operator/v1/merchants/${merchantId}/channels/live`, body: { channel: "none" } }),
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
  )
]
