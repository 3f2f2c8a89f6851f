/** Under which name Stripe is registered, and which rows are its own. */
import { ChannelName } from "@coffer/model/Ids"

export const stripeChannel = ChannelName.make("stripe")
