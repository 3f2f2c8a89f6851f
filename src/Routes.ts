/** Provides the routes: handlers of both APIs, pages, probes, and the middleware in front of them. */
import { Api } from "@coffer/contract/Api"
import { OperatorApi } from "@coffer/contract/Operator"
import { Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as TestHelpersHttp from "./channels/sandbox/TestHelpersHttp.ts"
import * as CheckoutHttp from "./door/checkout/CheckoutHttp.ts"
import * as ReceiptHttp from "./money/receipts/ReceiptHttp.ts"
import * as ReceiptPageHttp from "./door/checkout/ReceiptPageHttp.ts"
import * as EventsHttp from "./door/checkout/EventsHttp.ts"
import * as LinkPageHttp from "./door/checkout/LinkPageHttp.ts"
import * as CheckoutPreview from "./door/console/CheckoutPreview.ts"
import * as ConsoleHttp from "./door/console/ConsoleHttp.ts"
import * as MerchantSettingsHttp from "./door/console/MerchantSettingsHttp.ts"
import * as AccountSearchHttp from "./reads/lookup/AccountSearchHttp.ts"
import * as OverviewHttp from "./door/console/OverviewHttp.ts"
import * as SignInPageHttp from "./door/console/SignInPageHttp.ts"
import * as DisputeHttp from "./money/disputes/DisputeHttp.ts"
import * as ErasureHttp from "./reads/erasures/ErasureHttp.ts"
import * as ExportHttp from "./reads/exports/ExportHttp.ts"
import * as EventHttp from "./webhooks/events/EventHttp.ts"
import * as FilesHttp from "./money/files/FilesHttp.ts"
import * as UploadHttp from "./money/files/UploadHttp.ts"
import { layerDecoding } from "./door/edge/Unanswered.ts"
import * as Docs from "./door/documents/Docs.ts"
import * as Documents from "./door/documents/Documents.ts"
import * as Downloads from "./door/documents/Downloads.ts"
import * as SecurityText from "./door/documents/SecurityText.ts"
import * as Edge from "./door/edge/Edge.ts"
import * as Health from "./door/edge/Health.ts"
import { layerConsole } from "./shared/http/granting.ts"
import * as Idempotency from "./shared/idempotency/Idempotency.ts"
import * as MerchantKey from "./door/edge/MerchantKey.ts"
import { layerGuest, layerOperator, layerPerson } from "./door/edge/peopleDoors.ts"
import * as PublicAdmission from "./door/edge/PublicAdmission.ts"
import * as ShortPath from "./door/edge/ShortPath.ts"
import { layerCompressed } from "./door/edge/staticContent.ts"
import * as ApiKeyHttp from "./access/keys/ApiKeyHttp.ts"
import * as LinkHttp from "./money/links/LinkHttp.ts"
import * as LogHttp from "./shared/logs/LogHttp.ts"
import * as McpHttp from "./door/mcp/McpHttp.ts"
import * as LookupHttp from "./reads/lookup/LookupHttp.ts"
import * as MerchantHttp from "./access/merchants/MerchantHttp.ts"
import * as OrderHttp from "./money/orders/OrderHttp.ts"
import * as SignInHttp from "./access/people/SignInHttp.ts"
import * as SavedViewHttp from "./access/people/SavedViewHttp.ts"
import * as PeopleHttp from "./access/people/PeopleHttp.ts"
import * as PayoutHttp from "./money/payouts/PayoutHttp.ts"
import * as ReportHttp from "./reads/reports/ReportHttp.ts"
import * as RefundHttp from "./money/refunds/RefundHttp.ts"
import * as NeedsAttentionHttp from "./reads/needsAttention/NeedsAttentionHttp.ts"
import * as NotificationHttp from "./reads/notifications/NotificationHttp.ts"
import * as TimelineHttp from "./reads/timeline/TimelineHttp.ts"
import * as WalletHttp from "./money/wallets/WalletHttp.ts"
import * as DeliveryHttp from "./webhooks/deliveries/DeliveryHttp.ts"
import * as WebhookEndpointHttp from "./webhooks/deliveries/WebhookEndpointHttp.ts"
import * as OperatorHttp from "./access/operators/OperatorHttp.ts"
import * as DoctorHttp from "./door/doctor/DoctorHttp.ts"
import * as ClusterHttp from "./access/operators/ClusterHttp.ts"
import * as channels from "./channels.ts"

const merchantRoutes = Layer.merge(HttpApiBuilder.layer(Api), ShortPath.layerOf(Api)).pipe(
  Layer.provide([
    OrderHttp.layer,
    TimelineHttp.layer,
    RefundHttp.layer,
    ReceiptHttp.layer,
    DisputeHttp.layer,
    LinkHttp.layer,
    WalletHttp.layer,
    ReportHttp.layer,
    EventHttp.layer,
    LogHttp.layer,
    ErasureHttp.layer,
    ExportHttp.layer,
    UploadHttp.layer,
    WebhookEndpointHttp.layer,
    DeliveryHttp.layer,
    TestHelpersHttp.layer
  ])
)
const operatorRoutes = HttpApiBuilder.layer(OperatorApi).pipe(
  Layer.provide([
    MerchantHttp.layer,
    ApiKeyHttp.layerOperator,
    channels.operatorHandlers,
    OrderHttp.layerOperator,
    TimelineHttp.layerOperator,
    NeedsAttentionHttp.layer,
    PayoutHttp.layer,
    UploadHttp.layerOperator,
    DeliveryHttp.layerOperator,
    LookupHttp.layer,
    ErasureHttp.layerOperator,
    ExportHttp.layerOperator,
    OperatorHttp.layer,
    PeopleHttp.layerOperator,
    ClusterHttp.layer,
    DoctorHttp.layer(channels.checks)
  ])
)
const consoleRoutes = layerConsole.pipe(
  Layer.provide([
    SignInHttp.layer,
    PeopleHttp.layer,
    ApiKeyHttp.layer,
    MerchantSettingsHttp.layer,
    OperatorHttp.layerConsole,
    PayoutHttp.layerConsole,
    OverviewHttp.layer,
    AccountSearchHttp.layer,
    SavedViewHttp.layer,
    NotificationHttp.layer
  ])
)
const pages = Layer.mergeAll(
  Layer.mergeAll(CheckoutHttp.layer, LinkPageHttp.layer, ReceiptPageHttp.layer, SignInPageHttp.layer).pipe(
    Layer.provide(layerCompressed)
  ),
  EventsHttp.layer,
  channels.routes,
  PublicAdmission.layerLeakedKeys,
  Layer.mergeAll(
    FilesHttp.layer,
    Docs.layer,
    Documents.layer,
    Downloads.layer,
    SecurityText.layer,
    CheckoutPreview.layer,
    ConsoleHttp.layer,
    McpHttp.layerNoSession
  ).pipe(Layer.provide(PublicAdmission.layer))
)
const middleware = Layer.mergeAll(
  MerchantKey.layer,
  MerchantKey.layerSandboxOnly,
  layerOperator,
  layerPerson,
  layerGuest,
  layerDecoding,
  Idempotency.layer,
  MerchantKey.layerQuotas
)

/** Every route, with what each request passes on its way. */
export const routes = Layer.mergeAll(
  merchantRoutes,
  operatorRoutes,
  consoleRoutes,
  McpHttp.layer,
  pages,
  Health.layer,
  Health.layerMetrics,
  Edge.layer
).pipe(Layer.provide(middleware), Layer.provide(PublicAdmission.layerFailedCredentials))
