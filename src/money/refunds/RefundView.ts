/** A refund as merchants see it, in responses and in events alike: the one encoder. Pure. */
import type { RefundResource } from "@coffer/contract/Refunds"
import { refunds } from "@coffer/resources/returns"
import { makeView } from "@coffer/resources/view"
import type { Refund } from "@coffer/rules/refund/Refund"

/** While the channel is being asked a refund is pending to everybody; one that is void is never shown. */
const wireStatus = {
  reserved: "pending",
  pending: "pending",
  succeeded: "succeeded",
  failed: "failed",
  void: "failed"
} as const satisfies Record<Refund["status"], RefundResource["status"]>

export const refundView: (refund: Refund) => RefundResource = makeView<Refund>()(refunds, {
  status: ({ status }) => wireStatus[status],
  funds_frozen: ({ status }) => status === "pending"
})
