/** How the errors of the channel become answers (spec: Errors, processor_error; silences: O53). */
import * as Wire from "@coffer/contract/Errors"
import { Duration } from "effect"
import { refuseTemporarily, refuseWith } from "../http/replies.ts"
import type { ChannelUnreachable } from "./payments.ts"

const notAnswered = (request_id: string) =>
  new Wire.ProcessorError({ message: "The channel did not answer; nothing was changed.", request_id })
const tooBusy = (request_id: string) =>
  new Wire.ProcessorError({ message: "The channel has too much to do now; nothing was changed.", request_id })
const closed = (request_id: string) =>
  new Wire.Conflict({
    message: "This installation calls nobody outside (NO_OUTBOUND), so the channel was not asked; nothing was changed.",
    request_id
  })

export const channelRefusals = {
  ChannelUnreachable: ({ isClosed, retryAfterMillis }: ChannelUnreachable) => {
    if (isClosed === true) return refuseWith(closed)
    if (retryAfterMillis === undefined) return refuseWith(notAnswered)
    return refuseTemporarily(Duration.millis(retryAfterMillis), tooBusy)
  }
}
