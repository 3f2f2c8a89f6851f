/** Errors of events as errors on the wire (spec: Errors). */
import * as Wire from "@coffer/contract/Errors"
import { notFoundMessage } from "../../shared/http/numberHint.ts"
import { refuseAs } from "../../shared/http/refusals.ts"
import { busyMessage, refuseTemporarily } from "../../shared/http/replies.ts"
import type { EventNotFound } from "./EventLists.ts"
import { type TooManyWaits, waitsOfOneMax } from "./EventWaits.ts"

export const eventRefusals = {
  EventNotFound: refuseAs(Wire.EventNotFound, ({ id }: EventNotFound) => ({
    message: notFoundMessage("an event", id, "/v1/events")
  })),
  TooManyWaits: ({ isOfAccount, lasts }: TooManyWaits) =>
    refuseTemporarily<Wire.RateLimited | Wire.Unavailable>(
      lasts,
      (request_id) =>
        isOfAccount
          ? new Wire.RateLimited({ message: `More than ${waitsOfOneMax} concurrent waits for events.`, request_id })
          : new Wire.Unavailable({ message: busyMessage, request_id }),
      "too_many_waits"
    )
}
