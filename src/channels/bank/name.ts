/** Under which name the sandbox's bank is registered. */
import { ChannelName } from "@coffer/model/Ids"

export const sandboxChannel = ChannelName.make("sandbox")
