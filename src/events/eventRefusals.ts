/** How the errors of events are told to the caller (spec: Errors). */
import * as Wire from "@coffer/contract/Errors"
import { told } from "../http/refusals.ts"
import type { EventNotFound } from "./EventLists.ts"

export const eventRefusals = {
  EventNotFound: told(Wire.EventNotFound, ({ id }: EventNotFound) => ({ message: `No event ${id}.` }))
}
