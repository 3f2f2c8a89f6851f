/** Errors of the sandbox's buyer and bank as errors on the wire (docs/architecture.md, section 7). */
import { isoText } from "@coffer/model/isoText"
import * as Wire from "@coffer/contract/Errors"
import { refuseAs } from "../../shared/http/refusals.ts"
import type { ClockAdvancing, ClockNotOurs } from "./SandboxClocks.ts"
import type { NoChargeback } from "./SandboxIssuer.ts"
import type { NotSettled } from "../../shared/channel/Channel.ts"

const chargebackMessage = {
  not_paid: "The order is not paid: there is nothing to dispute.",
  not_a_card: "The payment method has no chargebacks; cards, apple_pay and google_pay do."
} satisfies Record<NoChargeback["reason"], string>

export const sandboxRefusals = {
  NotSettled: refuseAs(Wire.Conflict, ({ state }: NotSettled) => ({
    message: `To the bank this refund is ${state}; it cannot be settled so.`
  })),
  ClockAdvancing: refuseAs(Wire.Conflict, ({ target }: ClockAdvancing) => ({
    message: `The clock is on its way to ${isoText(target)}. Read it until its status is ready.`
  })),
  ClockNotOurs: refuseAs(Wire.Conflict, ({ channel }: ClockNotOurs) => ({
    message: `This sandbox takes its payments through ${channel}, whose time cannot be moved.`
  })),
  NoChargeback: refuseAs(Wire.Conflict, ({ reason }: NoChargeback) => ({ message: chargebackMessage[reason] }))
}
