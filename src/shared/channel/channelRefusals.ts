/** Errors of the channel as errors on the wire (spec: Errors, processor_error; silences: O53, S8). */
import * as Wire from "@coffer/contract/Errors"
import { Duration } from "effect"
import { refuseTemporarily, refuseWith } from "../http/replies.ts"
import type { ChannelUnreachable } from "./payments.ts"

type Why = NonNullable<ChannelUnreachable["because"]> | "unanswered"

/** The message for people, and the reason for programs (`Coffer-Reason`). `channelWords`: the channel's own words. */
const refusals: Readonly<Record<Why, { readonly reason: string; readonly message: (channelWords: string) => string }>> =
  {
    unanswered: {
      reason: "channel_unanswered",
      message: () => "The channel did not respond; nothing was changed."
    },
    unknown: {
      reason: "channel_unanswered",
      message: () =>
        "The channel did not respond and may have processed the request. Nothing changed here; retry the same request."
    },
    refused: {
      reason: "channel_refused_for_now",
      message: (channelWords) => `The channel temporarily refused${channelWords}; nothing was changed.`
    },
    key: {
      reason: "channel_key_refused",
      message: () => "The channel rejected the operator's key; nothing was changed."
    },
    crowded: {
      reason: "channel_crowded",
      message: () => "The channel is overloaded; nothing was changed."
    },
    closed: {
      reason: "no_outbound",
      message: () => "Outbound calls are disabled (NO_OUTBOUND), so the channel was not called; nothing was changed."
    }
  }

export const channelRefusals = {
  ChannelUnreachable: ({ because, retryAfterMillis, channelWords }: ChannelUnreachable) => {
    const { message: messageOf, reason } = refusals[because ?? "unanswered"]
    const message = messageOf(channelWords === undefined ? "" : `: ${channelWords}`)
    if (because === "closed") return refuseWith((request_id) => new Wire.Conflict({ message, request_id }), reason)
    const failed = (request_id: string) => new Wire.ProcessorError({ message, request_id })
    return retryAfterMillis === undefined
      ? refuseWith(failed, reason)
      : refuseTemporarily(Duration.millis(retryAfterMillis), failed, reason)
  }
}
