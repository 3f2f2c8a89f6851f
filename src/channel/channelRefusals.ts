/** How the errors of the channel become answers (spec: Errors, processor_error). */
import * as Wire from "@coffer/contract/Errors"
import { Duration } from "effect"
import { refuseTemporarily, refuseWith } from "../http/replies.ts"
import type { ChannelUnreachable } from "./Channel.ts"

const notAnswered = (request_id: string) =>
  new Wire.ProcessorError({ message: "The channel did not answer; nothing was changed.", request_id })
const tooBusy = (request_id: string) =>
  new Wire.ProcessorError({ message: "The channel has too much to do now; nothing was changed.", request_id })

export const channelRefusals = {
  ChannelUnreachable: ({ retryAfterMillis }: ChannelUnreachable) =>
    retryAfterMillis === undefined
      ? refuseWith(notAnswered)
      : refuseTemporarily(Duration.millis(retryAfterMillis), tooBusy)
}
