/**
 * Provides layers to one another; beside it only `Routes.ts` does. The service is built from the bottom of this file
 * up, and stops from the top down: HTTP drains, workers end, slots leave, and Postgres stops last.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import * as Anchors from "./audit/Anchors.ts"
import * as Auditor from "./audit/Auditor.ts"
import * as AuditStore from "./audit/AuditStore.ts"
import * as SandboxBank from "./channels/sandbox/SandboxBank.ts"
import * as ClockJobs from "./sandbox/ClockJobs.ts"
import * as SandboxClocks from "./sandbox/SandboxClocks.ts"
import * as SandboxClockStore from "./sandbox/SandboxClockStore.ts"
import * as SandboxJobs from "./sandbox/SandboxJobs.ts"
import * as SandboxDisputeChannel from "./channels/sandbox/SandboxDisputeChannel.ts"
import * as SandboxDisputes from "./channels/sandbox/SandboxDisputes.ts"
import * as SandboxIssuer from "./sandbox/SandboxIssuer.ts"
import * as SandboxRefunds from "./channels/sandbox/SandboxRefunds.ts"
import * as SandboxBuyer from "./sandbox/SandboxBuyer.ts"
import * as MailStore from "./mail/MailStore.ts"
import * as Mailer from "./mail/Mailer.ts"
import * as ReceiptJobs from "./receipts/ReceiptJobs.ts"
import * as Receipts from "./receipts/Receipts.ts"
import * as ReceiptStore from "./receipts/ReceiptStore.ts"
import * as OrderLinks from "./signedUrls/OrderLinks.ts"
import * as DisputeCommands from "./disputes/DisputeCommands.ts"
import * as DisputeEntity from "./disputes/DisputeEntity.ts"
import * as Disputes from "./disputes/Disputes.ts"
import * as DisputeStore from "./disputes/DisputeStore.ts"
import * as EventLists from "./events/EventLists.ts"
import * as Events from "./events/Events.ts"
import * as EventStore from "./events/EventStore.ts"
import * as DiskStorage from "./files/DiskStorage.ts"
import * as FileJobs from "./files/FileJobs.ts"
import * as Files from "./files/Files.ts"
import * as FileStore from "./files/FileStore.ts"
import * as LogoFiles from "./files/LogoFiles.ts"
import * as S3Storage from "./files/S3Storage.ts"
import * as ListHorizon from "./platform/postgres/ListHorizon.ts"
import * as ClockSkew from "./platform/postgres/ClockSkew.ts"
import * as Migrator from "./platform/postgres/Migrator.ts"
import * as MerchantClocks from "./platform/runtime/MerchantClocks.ts"
import * as NewIds from "./platform/runtime/NewIds.ts"
import * as Doubt from "@coffer/cluster/Doubt"
import * as Joining from "@coffer/cluster/Joining"
import * as clusterLayers from "./platform/cluster/clusterLayers.ts"
import * as SecretCheck from "./platform/postgres/SecretCheck.ts"
import * as Wakeups from "./platform/commit/Wakeups.ts"
import * as Transactor from "./platform/commit/Transactor.ts"
import * as Vitals from "./platform/runtime/Vitals.ts"
import * as Secrets from "./platform/runtime/Secrets.ts"
import * as Admission from "./http/Admission.ts"
import * as Clients from "./http/Clients.ts"
import * as Health from "./edge/Health.ts"
import * as HttpServer from "./edge/HttpServer.ts"
import * as IdempotencyKeys from "./idempotency/IdempotencyKeys.ts"
import * as IdempotencyStore from "./idempotency/IdempotencyStore.ts"
import * as Quotas from "./edge/Quotas.ts"
import { layerTraces, routerConfig } from "./edge/routes.ts"
import * as ShortPath from "./edge/ShortPath.ts"
import * as LinkCommands from "./links/LinkCommands.ts"
import * as LinkEntity from "./links/LinkEntity.ts"
import * as Links from "./links/Links.ts"
import * as LinkStore from "./links/LinkStore.ts"
import * as ApiKeys from "./keys/ApiKeys.ts"
import * as ApiKeyStore from "./keys/ApiKeyStore.ts"
import * as KeyUses from "./keys/KeyUses.ts"
import * as LeakJobs from "./keys/LeakJobs.ts"
import * as Leaks from "./keys/Leaks.ts"
import * as LeakStore from "./keys/LeakStore.ts"
import * as KeyJobs from "./secretKey/KeyJobs.ts"
import * as KeyStore from "./secretKey/KeyStore.ts"
import * as Logs from "./logs/Logs.ts"
import * as LogStore from "./logs/LogStore.ts"
import * as Search from "./lookup/Search.ts"
import * as Merchants from "./merchants/Merchants.ts"
import * as MerchantStore from "./merchants/MerchantStore.ts"
import * as Seeds from "./sandbox/Seeds.ts"
import * as SeedStore from "./sandbox/SeedStore.ts"
import * as OrderCommands from "./orders/OrderCommands.ts"
import * as OrderEntity from "./orders/OrderEntity.ts"
import * as HeldUp from "./heldUp/HeldUp.ts"
import * as Timelines from "./timeline/Timelines.ts"
import * as TimelineStore from "./timeline/TimelineStore.ts"
import * as OrderLists from "./orders/OrderLists.ts"
import * as Orders from "./orders/Orders.ts"
import * as OrderStore from "./orders/OrderStore.ts"
import * as Payouts from "./payouts/Payouts.ts"
import * as PayoutStore from "./payouts/PayoutStore.ts"
import * as RefundCommands from "./refunds/RefundCommands.ts"
import * as Refunds from "./refunds/Refunds.ts"
import * as RefundStore from "./refunds/RefundStore.ts"
import { Settings } from "./platform/runtime/Settings.ts"
import * as Instructions from "./wallets/Instructions.ts"
import * as WalletCommands from "./wallets/WalletCommands.ts"
import * as WalletEntity from "./wallets/WalletEntity.ts"
import * as Wallets from "./wallets/Wallets.ts"
import * as WalletStore from "./wallets/WalletStore.ts"
import * as Accounts from "./channels/stripe/Accounts.ts"
import * as CallKeys from "./channels/stripe/CallKeys.ts"
import * as AccountUses from "./channels/stripe/AccountUses.ts"
import * as Reconciliation from "./channels/stripe/Reconciliation.ts"
import * as ReconciliationJobs from "./channels/stripe/ReconciliationJobs.ts"
import * as ReconciliationStore from "./channels/stripe/ReconciliationStore.ts"
import * as OfferedMethods from "./channels/stripe/OfferedMethods.ts"
import * as PresentedDisputes from "./channels/stripe/PresentedDisputes.ts"
import * as Sessions from "./channels/stripe/Sessions.ts"
import * as SessionStore from "./channels/stripe/SessionStore.ts"
import * as StraySessions from "./channels/stripe/StraySessions.ts"
import * as StripeClient from "./channels/stripe/StripeClient.ts"
import * as StripeEvents from "./channels/stripe/StripeEvents.ts"
import * as StripeEventStore from "./channels/stripe/StripeEventStore.ts"
import * as StripeJobs from "./channels/stripe/StripeJobs.ts"
import * as StripePayments from "./channels/stripe/StripePayments.ts"
import * as channels from "./channels/stripe/channels.ts"
import * as Deliveries from "./webhooks/Deliveries.ts"
import * as DeliveryHistory from "./webhooks/DeliveryHistory.ts"
import * as DeliveryStore from "./webhooks/DeliveryStore.ts"
import * as WebhookEndpoints from "./webhooks/WebhookEndpoints.ts"
import * as WebhookSettingsStore from "./webhooks/WebhookSettingsStore.ts"
import * as AuditLog from "./operators/AuditLog.ts"
import * as Operators from "./operators/Operators.ts"
import * as OperatorJobs from "./operators/OperatorJobs.ts"
import * as SecondOperator from "./operators/SecondOperator.ts"
import * as Outbound from "./webhooks/Outbound.ts"
import * as AuditJobs from "./audit/AuditJobs.ts"
import * as OrderJobs from "./orders/OrderJobs.ts"
import * as DeliveryJobs from "./webhooks/DeliveryJobs.ts"
import * as DisputeJobs from "./disputes/DisputeJobs.ts"
import * as IdempotencyJobs from "./idempotency/IdempotencyJobs.ts"
import * as RefundJobs from "./refunds/RefundJobs.ts"
import * as LogJobs from "./logs/LogJobs.ts"
import * as Workers from "./platform/jobs/Workers.ts"
import * as Watch from "./doctor/Watch.ts"
import { routes } from "./Routes.ts"

// Rooms ------------------------------------------------------------------------

const stores = Layer.mergeAll(
  DisputeStore.layer,
  OrderStore.layer,
  TimelineStore.layer,
  WalletStore.layer,
  MerchantStore.layer,
  ApiKeyStore.layer,
  LeakStore.layer,
  DeliveryStore.layer,
  DeliveryHistory.layer,
  IdempotencyStore.layer,
  LogStore.layer,
  EventStore.layer,
  PayoutStore.layer,
  AuditStore.layer,
  RefundStore.layer,
  SeedStore.layer,
  SandboxClockStore.layer,
  WebhookSettingsStore.layer,
  LinkStore.layer,
  SessionStore.layer,
  StraySessions.layer,
  PresentedDisputes.layer,
  StripeEventStore.layer,
  CallKeys.layer,
  ReconciliationStore.layer,
  MailStore.layer,
  ReceiptStore.layer
)

/** The S3 client is loaded only where there is a bucket. */
const fileStorage = Layer.unwrap(
  Effect.map(Settings, ({ filesBucket, noOutbound }) =>
    filesBucket === undefined ? DiskStorage.layer : S3Storage.layer(filesBucket, { isReadOnly: noOutbound })
  )
)

const files = LogoFiles.layer.pipe(Layer.provideMerge(Files.layer.pipe(Layer.provide([FileStore.layer, fileStorage]))))

const stripe = Layer.mergeAll(Accounts.layer, Sessions.layer, Reconciliation.layer).pipe(
  Layer.provide(AccountUses.layer),
  Layer.provideMerge(OfferedMethods.layer),
  Layer.provideMerge(StripeClient.layer)
)

const sandbox = Layer.mergeAll(
  SandboxBank.layer,
  SandboxDisputes.layer,
  SandboxDisputeChannel.layer,
  SandboxRefunds.layer
)

const rooms = Layer.mergeAll(
  Layer.provideMerge(Seeds.layerNewSandbox, Seeds.layer),
  SandboxIssuer.layer,
  SandboxClocks.layer,
  StripeEvents.layer,
  Timelines.layer,
  HeldUp.layer,
  Search.layer,
  Links.layer,
  Receipts.layer
).pipe(
  Layer.provideMerge(Layer.mergeAll(SandboxBuyer.layer, StripePayments.layer)),
  Layer.provideMerge(Layer.mergeAll(Disputes.layer, Refunds.layer)),
  Layer.provideMerge(Layer.mergeAll(RefundCommands.layer, DisputeCommands.layer, LinkCommands.layer)),
  Layer.provideMerge(Layer.mergeAll(Orders.layer, OrderLists.layer, EventLists.layer, Payouts.layer)),
  Layer.provideMerge(OrderCommands.layer),
  Layer.provideMerge(Wallets.layer),
  Layer.provideMerge(WalletCommands.layer),
  // What it has of the sandbox stands behind it.
  Layer.provideMerge(channels.layer),
  Layer.provideMerge(Layer.merge(sandbox, stripe)),
  Layer.provideMerge(Layer.mergeAll(ApiKeys.layer, Leaks.layer)),
  Layer.provideMerge(
    Layer.mergeAll(Events.layer, IdempotencyKeys.layer, WebhookEndpoints.layer, Deliveries.layer, Mailer.layer)
  ),
  Layer.provideMerge(
    Layer.mergeAll(
      Merchants.layer,
      Operators.layer,
      AuditLog.layer,
      SecondOperator.layer,
      KeyUses.layer,
      OrderLinks.layer,
      Logs.layer,
      files
    )
  ),
  Layer.provideMerge(Layer.mergeAll(Anchors.layer, Auditor.layer)),
  Layer.provideMerge(stores)
)

const slots = Layer.mergeAll(DisputeEntity.layer, OrderEntity.layer, LinkEntity.layer, WalletEntity.layer)

const workers = Layer.mergeAll(
  OrderJobs.layer,
  DeliveryJobs.layer,
  DisputeJobs.layer,
  IdempotencyJobs.layer,
  RefundJobs.layer,
  ReceiptJobs.layer,
  LogJobs.layer,
  LeakJobs.layer,
  KeyJobs.layer.pipe(Layer.provide(KeyStore.layer)),
  FileJobs.layer,
  OperatorJobs.layer,
  SandboxJobs.layer,
  ClockJobs.layer,
  StripeJobs.layer,
  ReconciliationJobs.layer,
  AuditJobs.layer,
  Watch.layer
).pipe(Layer.provideMerge(Workers.layer))

// Platform ---------------------------------------------------------------------

const base = Transactor.layer.pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      Wakeups.layer,
      ListHorizon.layer,
      MerchantClocks.layer,
      Secrets.layer,
      Health.layerDraining,
      Admission.layer,
      Quotas.layerStore,
      Clients.layer,
      Layer.provideMerge(clusterLayers.runs, Doubt.layer),
      Instructions.layer,
      ShortPath.layer,
      Layer.provideMerge(ClockSkew.layer, NewIds.layer),
      Joining.layer
    )
  ),
  Layer.provideMerge(Vitals.layer),
  Layer.provideMerge(SecretCheck.layer),
  Layer.provideMerge(Migrator.layer),
  Layer.provideMerge(clusterLayers.talkable)
)

export interface Parts {
  /** Encode every message to an owner as if it crossed machines: tests do, to find what does not. */
  readonly remoteSerialization: boolean
}

/** Rooms, slots and workers: the service without its HTTP port. Needs Settings, a database, Faults and Outbound. */
export const service = ({ remoteSerialization }: Parts) =>
  workers.pipe(
    Layer.provideMerge(slots),
    Layer.provideMerge(rooms),
    Layer.provideMerge(clusterLayers.runner({ remoteSerialization })),
    // Shown from before it has shards until after it has given them back.
    Layer.provideMerge(clusterLayers.vitals),
    Layer.provideMerge(base)
  )

/** The HTTP port, open as soon as this is built. */
export const httpServer = Layer.mergeAll(Health.announced, Joining.begin).pipe(
  Layer.provideMerge(HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true, routerConfig })),
  Layer.provideMerge(layerTraces),
  Layer.provideMerge(HttpServer.layer)
)

/** The whole service behind its HTTP port. */
export const layer = (parts: Parts) => Layer.provideMerge(httpServer, service(parts))

export const outbound = Outbound.layer
export const platform = NodeServices.layer

/** What the built service offers to whoever runs it. */
export type Services = Layer.Success<ReturnType<typeof layer>> | Layer.Services<ReturnType<typeof layer>>
