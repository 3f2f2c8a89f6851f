/** How the errors of the channel become answers (spec: Errors, processor_error; silences: O53, S8). */
import * as Wire from "@coffer/contract/Errors"
import { Duration } from "effect"
import { refuseTemporarily, refuseWith } from "../http/replies.ts"
import type { ChannelUnreachable } from "./payments.ts"

type Why = NonNullable<ChannelUnreachable["because"]> | "unanswered"

/** For people, and the word for programs (`Coffer-Reason`). `channelWords`: the channel's own words. */
const refusals: Readonly<Record<Why, { readonly reason: string; readonly message: (channelWords: string) => string }>> =
  {
    unanswered: {
      reason: "channel_unanswered",
      message: () => "The channel did not answer; nothing was changed."
    },
    unknown: {
      reason: "channel_unanswered",
      message: () =>
        "The channel did not answer, and may have done what it was asked. Nothing changed here; send the same again."
    },
    refused: {
      reason: "channel_refused_for_now",
      message: (channelWords) => `The channel refused for now${channelWords}; nothing was changed.`
    },
    key: {
      reason: "channel_key_refused",
      message: () => "The channel does not accept the operator's key; nothing was changed."
    },
    crowded: {
      reason: "channel_crowded",
      message: () => "The channel has too much to do now; nothing was changed."
    },
    closed: {
      reason: "no_outbound",
      message: () =>
        "This installation calls nobody outside (NO_OUTBOUND), so the channel was not asked; nothing was changed."
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
