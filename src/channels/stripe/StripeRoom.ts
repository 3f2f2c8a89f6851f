/** Stripe as a channel: registered for orders, refunds, disputes and pages, with workers for its events. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Channel } from "../../shared/channel/Channel.ts"
import { jobs } from "../../platform/jobs/Opening.ts"
import { channelFees } from "../acquirers/Books.ts"
import * as Accounts from "./Accounts.ts"
import { urgent } from "./Pace.ts"
import { stripeChannel } from "./payment.ts"
import * as Reconciliation from "./Reconciliation.ts"
import * as ReconciliationStore from "./ReconciliationStore.ts"
import * as Sessions from "./Sessions.ts"
import * as SessionStore from "./SessionStore.ts"
import * as StripeClient from "./StripeClient.ts"
import * as StripeDisputes from "./StripeDisputes.ts"
import * as StripeEvents from "./StripeEvents.ts"
import * as StripeEventStore from "./StripeEventStore.ts"
import * as StripeHolds from "./StripeHolds.ts"
import * as StripeJobs from "./StripeJobs.ts"
import * as StripePayments from "./StripePayments.ts"
import * as StripeRefunds from "./StripeRefunds.ts"

/** An acquirer goes before the sandbox's bank. */
const rank = 10

const layerRegistration = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const client = yield* StripeClient.StripeClient
    const payments = yield* StripePayments.StripePayments
    const cancel = yield* Sessions.makeCancel
    const { giveBack, refund } = yield* StripeRefunds.makeStripeRefunds
    const { givingBack, holds } = yield* StripeHolds.makeStripeHolds
    const disputes = yield* StripeDisputes.makeStripeDisputes

    yield* (yield* Channel).register({
      name: stripeChannel,
      title: "Stripe",
      rank,
      takes: (payee) => Effect.map(client.accountOf(payee), (account) => account?.isActive === true),
      page: {
        begin: payments.begin,
        lookUp: (order) => urgent("buyer")(payments.refresh(order)),
        isProcessing: payments.isProcessing,
        offered: payments.offered
      },
      cancel: Effect.fnUntraced(function* (checkout) {
        return (yield* client.accountOf(checkout)) === null ? { _tag: "Cancelled" } : yield* cancel(checkout)
      }),
      giveBack: givingBack(giveBack),
      refund,
      holds,
      disputes,
      accounts: yield* Accounts.makeAccountDesk,
      paymentNumbers: { prefix: "pi_" },
      bounds: StripePayments.stripesBounds,
      reseal: StripeClient.resealStripeKeys,
      feesOf: (payments) => channelFees(sql, ReconciliationStore.stripesBooks, payments),
      ageOfBooks: (mode, now) => ReconciliationStore.ageOfBooks(sql, mode, now)
    })
  })
)

const stores = Layer.mergeAll(
  SessionStore.layer,
  SessionStore.layerStraySessions,
  StripeDisputes.layerPresented,
  StripeEventStore.layer,
  StripeRefunds.layerKeys,
  ReconciliationStore.layer
)

export const layer = Layer.mergeAll(
  layerRegistration,
  jobs(StripeJobs.layer),
  jobs(StripeJobs.layerReconciliation)
).pipe(
  Layer.provideMerge(StripeEvents.layer),
  Layer.provideMerge(StripePayments.layer),
  Layer.provideMerge(Layer.mergeAll(Sessions.layer, Reconciliation.layer)),
  Layer.provide(Accounts.layerUses),
  Layer.provideMerge(Sessions.layerOffered),
  Layer.provideMerge(StripeClient.layer),
  Layer.provideMerge(stores)
)
