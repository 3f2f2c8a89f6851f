/**
 * The channels of this program, each with a layer that registers it, its handlers and its routes. A
 * new channel is a folder of `channels/` and its lines here.
 */
import { Layer } from "effect"
import type { Channel } from "./shared/channel/Channel.ts"
import * as adyenInstallation from "./channels/adyen/adyenInstallation.ts"
import * as AdyenHttp from "./channels/adyen/AdyenHttp.ts"
import * as AdyenRoom from "./channels/adyen/AdyenRoom.ts"
import * as ChannelsHttp from "./channels/acquirers/ChannelsHttp.ts"
import * as stripeInstallation from "./channels/stripe/stripeInstallation.ts"
import * as SandboxBankRoom from "./channels/bank/SandboxBankRoom.ts"
import * as StripeHttp from "./channels/stripe/StripeHttp.ts"
import * as StripeRoom from "./channels/stripe/StripeRoom.ts"
import type { Installation } from "./door/doctor/Installation.ts"
import type { Disputes } from "./money/disputes/Disputes.ts"
import type { Orders } from "./money/orders/Orders.ts"
import type { Refunds } from "./money/refunds/Refunds.ts"

/** The rooms that a channel uses, besides the platform. */
export type Needs = Channel | Orders | Refunds | Disputes

export const layer = Layer.mergeAll(StripeRoom.layer, AdyenRoom.layer, SandboxBankRoom.layer)

/** Groups of the operator's API. */
export const operatorHandlers = Layer.mergeAll(
  ChannelsHttp.layer,
  StripeHttp.layerReconciliation,
  StripeHttp.layerStraySessions
)

/** Addresses to which acquirers send. */
export const routes = Layer.merge(StripeHttp.layerWebhooks, AdyenHttp.layerNotices)

/** Their part of `coffer doctor`. */
export const checks = (installation: Installation) => [
  ...stripeInstallation.checks(installation),
  ...adyenInstallation.checks(installation)
]
