/** Stripe: as the channel that orders, refunds and disputes ask, and what it tells them by itself. */
import { Layer } from "effect"
import { jobs } from "../../platform/jobs/Opening.ts"
import * as Accounts from "./Accounts.ts"
import * as AccountUses from "./AccountUses.ts"
import * as CallKeys from "./CallKeys.ts"
import * as channels from "./channels.ts"
import * as OfferedMethods from "./OfferedMethods.ts"
import * as PresentedDisputes from "./PresentedDisputes.ts"
import * as Reconciliation from "./Reconciliation.ts"
import * as ReconciliationJobs from "./ReconciliationJobs.ts"
import * as ReconciliationStore from "./ReconciliationStore.ts"
import * as Sessions from "./Sessions.ts"
import * as SessionStore from "./SessionStore.ts"
import * as StraySessions from "./StraySessions.ts"
import * as StripeClient from "./StripeClient.ts"
import * as StripeEvents from "./StripeEvents.ts"
import * as StripeEventStore from "./StripeEventStore.ts"
import * as StripeJobs from "./StripeJobs.ts"
import * as StripePayments from "./StripePayments.ts"

const stores = Layer.mergeAll(
  SessionStore.layer,
  StraySessions.layer,
  PresentedDisputes.layer,
  StripeEventStore.layer,
  CallKeys.layer,
  ReconciliationStore.layer
)

/** Beneath orders. In front of the sandbox's channel. */
export const channel = channels.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(Accounts.layer, Sessions.layer, Reconciliation.layer)),
  Layer.provide(AccountUses.layer),
  Layer.provideMerge(OfferedMethods.layer),
  Layer.provideMerge(StripeClient.layer),
  Layer.provideMerge(stores)
)

export const layer = Layer.mergeAll(jobs(StripeJobs.layer), jobs(ReconciliationJobs.layer)).pipe(
  Layer.provideMerge(StripeEvents.layer),
  Layer.provideMerge(StripePayments.layer)
)
