/** Errors of events as errors on the wire (spec: Errors). */
import * as Wire from "@coffer/contract/Errors"
import { refuseAs } from "../http/refusals.ts"
import type { EventNotFound } from "./EventLists.ts"

export const eventRefusals = {
  EventNotFound: refuseAs(Wire.EventNotFound, ({ id }: EventNotFound) => ({ message: `No event ${id}.` }))
}
