/**
 * The floors of the service, and the rooms on each. A floor uses those below it. The service is built from the bottom
 * up and stops from the top down: HTTP drains, workers end, slots leave, rooms close, and Postgres stops last.
 */
import * as Joining from "@coffer/cluster/Joining"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Layer } from "effect"
import * as AuditRoom from "./shared/audit/AuditRoom.ts"
import * as Channel from "./shared/channel/Channel.ts"
import * as channels from "./channels.ts"
import * as ConsoleRoom from "./door/console/ConsoleRoom.ts"
import * as DomainsRoom from "./access/domains/DomainsRoom.ts"
import * as DisputesRoom from "./money/disputes/DisputesRoom.ts"
import * as Watch from "./door/doctor/Watch.ts"
import * as EdgeRoom from "./door/edge/EdgeRoom.ts"
import * as ErasuresRoom from "./reads/erasures/ErasuresRoom.ts"
import * as Exports from "./reads/exports/Exports.ts"
import * as EventsRoom from "./webhooks/events/EventsRoom.ts"
import * as FilesRoom from "./money/files/FilesRoom.ts"
import * as Draining from "./shared/http/Draining.ts"
import * as NeedsAttention from "./reads/needsAttention/NeedsAttention.ts"
import * as NotificationsRoom from "./reads/notifications/NotificationsRoom.ts"
import * as IdempotencyRoom from "./shared/idempotency/IdempotencyRoom.ts"
import * as KeysRoom from "./access/keys/KeysRoom.ts"
import * as LinksRoom from "./money/links/LinksRoom.ts"
import * as LogsRoom from "./shared/logs/LogsRoom.ts"
import * as AccountSearch from "./reads/lookup/AccountSearch.ts"
import * as Search from "./reads/lookup/Search.ts"
import * as MailRoom from "./shared/mail/MailRoom.ts"
import * as MerchantsRoom from "./access/merchants/MerchantsRoom.ts"
import * as OperatorsRoom from "./access/operators/OperatorsRoom.ts"
import * as OrdersRoom from "./money/orders/OrdersRoom.ts"
import * as PayoutsRoom from "./money/payouts/PayoutsRoom.ts"
import * as PeopleRoom from "./access/people/PeopleRoom.ts"
import { jobs, opened } from "./platform/jobs/Opening.ts"
import * as Platform from "./platform/Platform.ts"
import * as ReceiptsRoom from "./money/receipts/ReceiptsRoom.ts"
import * as RefundsRoom from "./money/refunds/RefundsRoom.ts"
import * as ReportsRoom from "./reads/reports/ReportsRoom.ts"
import { routes } from "./Routes.ts"
import * as SandboxRoom from "./channels/sandbox/SandboxRoom.ts"
import * as SecretKeyRoom from "./access/secretKey/SecretKeyRoom.ts"
import * as OrderLinks from "./shared/signedUrls/OrderLinks.ts"
import * as ShopHosts from "./shared/signedUrls/ShopHosts.ts"
import * as TimelineRoom from "./reads/timeline/TimelineRoom.ts"
import * as WalletsRoom from "./money/wallets/WalletsRoom.ts"
import * as Outbound from "./webhooks/deliveries/Outbound.ts"
import * as WebhooksRoom from "./webhooks/deliveries/WebhooksRoom.ts"

/** Views over the rows of many rooms. */
const overview = Layer.mergeAll(
  ErasuresRoom.layer,
  Exports.layer,
  TimelineRoom.layer,
  ReportsRoom.layer,
  NeedsAttention.layer,
  NotificationsRoom.layer,
  AccountSearch.layer.pipe(Layer.provideMerge(Search.layer)),
  jobs(Watch.layer)
)
const aboutOrders = Layer.mergeAll(
  LinksRoom.layer,
  ReceiptsRoom.layer,
  PayoutsRoom.layer,
  DisputesRoom.layer,
  RefundsRoom.layer
)
const beneathOrders = Layer.mergeAll(
  WebhooksRoom.layer,
  WalletsRoom.layer,
  IdempotencyRoom.layer,
  KeysRoom.layer,
  PeopleRoom.layer,
  DomainsRoom.layer
)
const parties = Layer.mergeAll(MerchantsRoom.layer, OperatorsRoom.layer, LogsRoom.layer, FilesRoom.layer)
const basement = Layer.mergeAll(OrderLinks.layer, MailRoom.layer, AuditRoom.layer, SecretKeyRoom.layer).pipe(
  Layer.provideMerge(ShopHosts.layer),
  Layer.provideMerge(Channel.layer)
)

export interface Parts {
  /** Encode every message to an owner as if it crossed machines: tests do, to find what does not. */
  readonly remoteSerialization: boolean
  /** Channels beside those of `channels.ts`: tests have one. */
  readonly channels?: Layer.Layer<never, never, channels.Needs>
}

/** It reads the rows of the rooms above. */
const shown = Layer.provideMerge(ConsoleRoom.layer, overview)

/** Rooms, slots and workers: the service without its HTTP port. Needs Settings, a database, Faults and Outbound. */
export const service = (parts: Parts) =>
  opened.pipe(
    Layer.provideMerge(shown),
    Layer.provideMerge(SandboxRoom.layer),
    Layer.provideMerge(parts.channels === undefined ? channels.layer : Layer.merge(channels.layer, parts.channels)),
    Layer.provideMerge(aboutOrders),
    Layer.provideMerge(OrdersRoom.layer),
    Layer.provideMerge(beneathOrders),
    Layer.provideMerge(EventsRoom.layer),
    Layer.provideMerge(parties),
    Layer.provideMerge(basement),
    Layer.provideMerge(EdgeRoom.layer),
    Layer.provideMerge(Platform.runner(parts)),
    Layer.provideMerge(Platform.layer)
  )

/** The HTTP port, open as soon as this is built. */
export const httpServer = Layer.mergeAll(Draining.announced, Joining.begin).pipe(
  Layer.provideMerge(EdgeRoom.serveRoutes(routes))
)

/** The whole service behind its HTTP port. */
export const layer = (parts: Parts) => Layer.provideMerge(httpServer, service(parts))

export const outbound = Outbound.layer
export const platform = NodeServices.layer

/** The services that the programs may use once all is built. */
export type Services = Layer.Success<ReturnType<typeof layer>> | Layer.Services<ReturnType<typeof layer>>
