/** Errors of payment links as errors on the wire (spec: Errors). */
import * as Wire from "@coffer/contract/Errors"
import type { LinkConflict } from "@coffer/rules/link/PaymentLink"
import { notFoundMessage } from "../../shared/http/numberHint.ts"
import { refuseAs } from "../../shared/http/refusals.ts"
import type { LinkNotFound } from "./LinkCommands.ts"

export const linkRefusals = {
  LinkNotFound: refuseAs(Wire.PaymentLinkNotFound, ({ linkId }: LinkNotFound) => ({
    message: notFoundMessage("a payment link", linkId, "/v1/payment_links")
  })),
  LinkConflict: refuseAs(Wire.Conflict, (_: LinkConflict) => ({
    message: "A concurrent update exceeded the metadata limit; read the link and retry."
  }))
}
