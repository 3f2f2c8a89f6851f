/** Errors of the sandbox's buyer and bank as errors on the wire (docs/architecture.md, section 7). */
import { isoText } from "@coffer/model/isoText"
import * as Wire from "@coffer/contract/Errors"
import { Schema } from "effect"
import { refuseAs } from "../../shared/http/refusals.ts"
import type { ClockAdvancing, ClockNotOurs } from "./SandboxClocks.ts"
import type { NoChargeback } from "./SandboxIssuer.ts"
import type { NotSettled } from "../../shared/channel/Channel.ts"

const chargebackMessage = {
  not_paid: "The order is not paid, so it can't be disputed. Pay it first.",
  not_a_card: "This payment method does not support disputes; methods that charge a card do."
} satisfies Record<NoChargeback["reason"], string>

/** The order's payment is charged at once, so no bank holds its amount. */
export class NotManual extends Schema.TaggedError<NotManual>()("NotManual", {
  reason: Schema.Literal("not_authorized")
}) {}

export const sandboxRefusals = {
  NotManual: refuseAs(Wire.Conflict, (_: NotManual) => ({
    message: 'The order was not created with capture: "manual", so it is charged at once. Pay it with the helper pay.'
  })),
  NotSettled: refuseAs(Wire.Conflict, ({ state }: NotSettled) => ({
    message: `The refund is already ${state} at the bank and can't be settled this way.`
  })),
  ClockAdvancing: refuseAs(Wire.Conflict, ({ target }: ClockAdvancing) => ({
    message: `The test clock is advancing to ${isoText(target)}. Poll it until its status is ready.`
  })),
  ClockNotOurs: refuseAs(Wire.Conflict, ({ channel }: ClockNotOurs) => ({
    message: `This sandbox's payments go through ${channel}, whose clock can't be advanced.`
  })),
  NoChargeback: refuseAs(Wire.Conflict, ({ reason }: NoChargeback) => ({ message: chargebackMessage[reason] }))
}
