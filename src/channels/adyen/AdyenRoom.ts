/** Adyen as a channel: registered for orders, refunds, disputes and pages, with workers for its notices and reports. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { jobs } from "../../platform/jobs/Opening.ts"
import { Channel } from "../../shared/channel/Channel.ts"
import { channelFees } from "../acquirers/Books.ts"
import { resealKeys } from "./account.ts"
import { makeAccountDesk } from "./AdyenAccounts.ts"
import * as AdyenClient from "./AdyenClient.ts"
import { makeAdyenDisputes } from "./AdyenDisputes.ts"
import * as AdyenJobs from "./AdyenJobs.ts"
import * as AdyenNotices from "./AdyenNotices.ts"
import { makeAdyenHolds } from "./AdyenHolds.ts"
import { makeAdyenPayments } from "./AdyenPayments.ts"
import { makeAdyenRefunds } from "./AdyenRefunds.ts"
import * as AdyenReports from "./AdyenReports.ts"
import * as Links from "./Links.ts"
import * as LinkStore from "./LinkStore.ts"
import * as ModificationStore from "./ModificationStore.ts"
import { adyenChannel } from "./names.ts"
import * as NoticeStore from "./NoticeStore.ts"

/** After the first acquirer, and before the sandbox's bank. */
const rank = 20

const layerRegistration = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const client = yield* AdyenClient.AdyenClient
    const { cancel, page } = yield* makeAdyenPayments
    const { giveBack, refund } = yield* makeAdyenRefunds

    yield* (yield* Channel).register({
      name: adyenChannel,
      title: "Adyen",
      rank,
      takes: (payee) => Effect.map(client.accountOf(payee), (account) => account?.isActive === true),
      page,
      cancel,
      giveBack,
      refund,
      holds: yield* makeAdyenHolds,
      disputes: yield* makeAdyenDisputes,
      accounts: yield* makeAccountDesk,
      paymentNumbers: { prefix: "", pattern: /^[0-9A-Z]{16}$/ },
      reseal: resealKeys,
      feesOf: (payments) => channelFees(sql, AdyenReports.adyensBooks, payments),
      ageOfBooks: (mode, now) => AdyenReports.ageOfBooks(sql, mode, now)
    })
  })
)

const stores = Layer.mergeAll(LinkStore.layer, ModificationStore.layer, NoticeStore.layer)

export const layer = Layer.merge(layerRegistration, jobs(AdyenJobs.layer)).pipe(
  Layer.provideMerge(AdyenReports.layer),
  Layer.provideMerge(AdyenNotices.layer),
  Layer.provideMerge(Links.layer),
  Layer.provideMerge(AdyenClient.layer),
  Layer.provideMerge(stores)
)
