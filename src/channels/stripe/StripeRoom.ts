/** Stripe: as the channel that orders, refunds and disputes ask, and what it tells them by itself. */
import { Layer } from "effect"
import { jobs } from "../../platform/jobs/Opening.ts"
import * as Accounts from "./Accounts.ts"
import * as channels from "./channels.ts"
import * as Reconciliation from "./Reconciliation.ts"
import * as ReconciliationStore from "./ReconciliationStore.ts"
import * as Sessions from "./Sessions.ts"
import * as SessionStore from "./SessionStore.ts"
import * as StripeClient from "./StripeClient.ts"
import * as StripeDisputes from "./StripeDisputes.ts"
import * as StripeEvents from "./StripeEvents.ts"
import * as StripeEventStore from "./StripeEventStore.ts"
import * as StripeJobs from "./StripeJobs.ts"
import * as StripePayments from "./StripePayments.ts"
import * as StripeRefunds from "./StripeRefunds.ts"

const stores = Layer.mergeAll(
  SessionStore.layer,
  SessionStore.layerStrays,
  StripeDisputes.layerPresented,
  StripeEventStore.layer,
  StripeRefunds.layerKeys,
  ReconciliationStore.layer
)

/** Beneath orders. In front of the sandbox's channel. */
export const channel = channels.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(Accounts.layer, Sessions.layer, Reconciliation.layer)),
  Layer.provide(Accounts.layerUses),
  Layer.provideMerge(Sessions.layerOffered),
  Layer.provideMerge(StripeClient.layer),
  Layer.provideMerge(stores)
)

export const layer = Layer.mergeAll(jobs(StripeJobs.layer), jobs(StripeJobs.layerReconciliation)).pipe(
  Layer.provideMerge(StripeEvents.layer),
  Layer.provideMerge(StripePayments.layer)
)
