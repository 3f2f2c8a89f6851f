/** How the errors of the channel become answers (spec: Errors, processor_error; silences: O53). */
import * as Wire from "@coffer/contract/Errors"
import { refuseAs } from "../http/refusals.ts"
import type { ChannelUnreachable } from "./Channel.ts"

const unreachable = refuseAs(Wire.ProcessorError, (_: ChannelUnreachable) => ({
  message: "The channel did not answer; nothing was changed."
}))
const closed = refuseAs(Wire.Conflict, (_: ChannelUnreachable) => ({
  message: "This installation calls nobody outside (NO_OUTBOUND), so the channel was not asked; nothing was changed."
}))

export const channelRefusals = {
  ChannelUnreachable: (failure: ChannelUnreachable) => (failure.isClosed === true ? closed : unreachable)(failure)
}
