/** An operator on the wire: the one encoder. Pure. */
import { isoText, isoTextOrNull } from "@coffer/model/isoText"
import type { OperatorResource } from "@coffer/contract/Operators"
import type { Operator } from "@coffer/rules/operator/Operator"

export const operatorView = (operator: Operator): OperatorResource => ({
  object: "operator",
  operator_id: operator.operatorId,
  name: operator.name,
  role: operator.role,
  person_ids: operator.personIds,
  created_at: isoText(operator.createdAt),
  expires_at: isoText(operator.expiresAt),
  revoked_at: isoTextOrNull(operator.revokedAt)
})
