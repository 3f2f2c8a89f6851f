/** Errors of events as errors on the wire (spec: Errors). */
import * as Wire from "@coffer/contract/Errors"
import { notFoundMessage } from "../../shared/http/numberHint.ts"
import { refuseAs } from "../../shared/http/refusals.ts"
import type { EventNotFound } from "./EventLists.ts"

export const eventRefusals = {
  EventNotFound: refuseAs(Wire.EventNotFound, ({ id }: EventNotFound) => ({
    message: notFoundMessage("an event", id, "/v1/events")
  }))
}
