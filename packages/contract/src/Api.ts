/** The whole merchant API. One line per resource; the order is the order of the documentation. */
import { HttpApi, OpenApi } from "effect/http-api"
import { BalanceGroup } from "./Balance.ts"
import { DisputesGroup } from "./Disputes.ts"
import { ErasuresGroup } from "./Erasures.ts"
import { BuyerExportsGroup } from "./Exports.ts"
import { EventsGroup } from "./Events.ts"
import { OwnFilesGroup } from "./Files.ts"
import { knownParametersOnly } from "./Lists.ts"
import { LogsGroup } from "./Logs.ts"
import { OrdersGroup } from "./Orders.ts"
import { PaymentLinksGroup } from "./PaymentLinks.ts"
import { publish } from "./publish.ts"
import { ReceiptsGroup } from "./Receipts.ts"
import { RefundsGroup } from "./Refunds.ts"
import { ReportsGroup } from "./Reports.ts"
import { TimelineGroup } from "./Timeline.ts"
import { TestHelpersGroup } from "./TestHelpers.ts"
import { WebhookDeliveriesGroup } from "./WebhookDeliveries.ts"
import { WebhookEndpointsGroup } from "./WebhookEndpoints.ts"

export class Api extends HttpApi.make("coffer")
  .add(OrdersGroup)
  .add(TimelineGroup)
  .add(ReceiptsGroup)
  .add(RefundsGroup)
  .add(DisputesGroup)
  .add(OwnFilesGroup)
  .add(PaymentLinksGroup)
  .add(BalanceGroup)
  .add(ReportsGroup)
  .add(EventsGroup)
  .add(LogsGroup)
  .add(ErasuresGroup)
  .add(BuyerExportsGroup)
  .add(WebhookEndpointsGroup)
  .add(WebhookDeliveriesGroup)
  .add(TestHelpersGroup)
  .annotate(HttpApi.QueryParseOptions, knownParametersOnly)
  .annotateMerge(
    OpenApi.annotations({
      title: "Coffer",
      version: "1.0.0",
      description:
        "Collect payments and manage the money: orders with a hosted checkout, a wallet with its ledger, and events. " +
        "Amounts are integers in the smallest currency unit. The key decides the environment: `svc_test_` is the " +
        "sandbox, `svc_live_` is live.",
      transform: publish
    })
  ) {}
