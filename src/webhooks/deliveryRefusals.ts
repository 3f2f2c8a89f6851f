/** How the errors of deliveries are told to the caller (silences: W15). */
import * as Wire from "@coffer/contract/Errors"
import { refuseAs } from "../http/refusals.ts"
import type { DeliveryConflict, DeliveryNotFound } from "./Deliveries.ts"

const conflictMessage = {
  endpoint_deleted: "The endpoint of this delivery was deleted.",
  endpoint_disabled: "The endpoint of this delivery is disabled; enable it first."
} satisfies Record<DeliveryConflict["reason"], string>

export const deliveryRefusals = {
  DeliveryNotFound: refuseAs(Wire.DeliveryNotFound, ({ id }: DeliveryNotFound) => ({ message: `No delivery ${id}.` })),
  DeliveryConflict: refuseAs(Wire.Conflict, ({ reason }: DeliveryConflict) => ({ message: conflictMessage[reason] }))
}
