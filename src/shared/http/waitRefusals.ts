/** The errors of a list that waits as errors on the wire (spec: Errors). */
import * as Wire from "@coffer/contract/Errors"
import { commonRefusals } from "./refusals.ts"
import { busyMessage, refuseTemporarily } from "./replies.ts"
import { type TooManyWaits, waitsOfOneMax } from "./ListWaits.ts"

export const waitRefusals = {
  InvalidField: commonRefusals.InvalidField,
  TooManyWaits: ({ isOfAccount, lasts }: TooManyWaits) =>
    refuseTemporarily<Wire.RateLimited | Wire.Unavailable>(
      lasts,
      (request_id) =>
        isOfAccount
          ? new Wire.RateLimited({ message: `More than ${waitsOfOneMax} concurrent waits for lists.`, request_id })
          : new Wire.Unavailable({ message: busyMessage, request_id }),
      "too_many_waits"
    )
}
