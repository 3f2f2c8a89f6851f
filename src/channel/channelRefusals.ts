/** How the errors of the channel become answers (spec: Errors, processor_error). */
import * as Wire from "@coffer/contract/Errors"
import { refuseAs } from "../http/refusals.ts"
import type { ChannelUnreachable } from "./Channel.ts"

export const channelRefusals = {
  ChannelUnreachable: refuseAs(Wire.ProcessorError, (_: ChannelUnreachable) => ({
    message: "The channel did not answer; nothing was changed."
  }))
}
