/** The name of the sandbox's bank as a channel. */
import { ChannelName } from "@coffer/model/Ids"

export const sandboxChannel = ChannelName.make("sandbox")
