/** An operator on the wire: the one encoder. Pure. */
import type { OperatorResource } from "@coffer/contract/Operators"
import type { Operator } from "@coffer/rules/operator/Operator"
import { DateTime } from "effect"

export const operatorView = (operator: Operator): OperatorResource => ({
  object: "operator",
  operator_id: operator.operatorId,
  name: operator.name,
  role: operator.role,
  person_ids: operator.personIds,
  created_at: DateTime.formatIso(operator.createdAt),
  expires_at: DateTime.formatIso(operator.expiresAt),
  revoked_at: operator.revokedAt === null ? null : DateTime.formatIso(operator.revokedAt)
})
