/** Provides the routes: handlers of both APIs, pages, probes, and the middleware in front of them. */
import { Api } from "@coffer/contract/Api"
import { ConsoleApi } from "@coffer/contract/Console"
import { OperatorApi } from "@coffer/contract/Operator"
import { Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as TestHelpersHttp from "./sandbox/TestHelpersHttp.ts"
import * as CheckoutHttp from "./checkout/CheckoutHttp.ts"
import * as ReceiptHttp from "./receipts/ReceiptHttp.ts"
import * as ReceiptPageHttp from "./checkout/ReceiptPageHttp.ts"
import * as EventsHttp from "./checkout/EventsHttp.ts"
import * as LinkPageHttp from "./checkout/LinkPageHttp.ts"
import * as ConsoleHttp from "./console/ConsoleHttp.ts"
import * as MerchantSettingsHttp from "./console/MerchantSettingsHttp.ts"
import * as OverviewHttp from "./console/OverviewHttp.ts"
import * as SignInPageHttp from "./console/SignInPageHttp.ts"
import * as DisputeHttp from "./disputes/DisputeHttp.ts"
import * as ErasureHttp from "./erasures/ErasureHttp.ts"
import * as ExportHttp from "./exports/ExportHttp.ts"
import * as EventHttp from "./events/EventHttp.ts"
import * as FilesHttp from "./files/FilesHttp.ts"
import * as UploadHttp from "./files/UploadHttp.ts"
import { layerDecoding } from "./edge/Unanswered.ts"
import * as Docs from "./documents/Docs.ts"
import * as Documents from "./documents/Documents.ts"
import * as SecurityText from "./documents/SecurityText.ts"
import * as Edge from "./edge/Edge.ts"
import * as Health from "./edge/Health.ts"
import * as Idempotency from "./edge/Idempotency.ts"
import * as MerchantKey from "./edge/MerchantKey.ts"
import { layerGuest, layerOperator, layerPerson } from "./edge/peopleDoors.ts"
import * as PublicAdmission from "./edge/PublicAdmission.ts"
import * as ShortPath from "./edge/ShortPath.ts"
import { layerCompressed } from "./edge/staticContent.ts"
import * as ApiKeyHttp from "./keys/ApiKeyHttp.ts"
import * as LinkHttp from "./links/LinkHttp.ts"
import * as LogHttp from "./logs/LogHttp.ts"
import * as McpHttp from "./mcp/McpHttp.ts"
import * as LookupHttp from "./lookup/LookupHttp.ts"
import * as MerchantHttp from "./merchants/MerchantHttp.ts"
import * as OrderHttp from "./orders/OrderHttp.ts"
import * as SignInHttp from "./people/SignInHttp.ts"
import * as SavedViewHttp from "./people/SavedViewHttp.ts"
import * as PeopleHttp from "./people/PeopleHttp.ts"
import * as PayoutHttp from "./payouts/PayoutHttp.ts"
import * as ReportHttp from "./reports/ReportHttp.ts"
import * as RefundHttp from "./refunds/RefundHttp.ts"
import * as HeldUpHttp from "./heldUp/HeldUpHttp.ts"
import * as TimelineHttp from "./timeline/TimelineHttp.ts"
import * as WalletHttp from "./wallets/WalletHttp.ts"
import * as DeliveryHttp from "./webhooks/DeliveryHttp.ts"
import * as WebhookEndpointHttp from "./webhooks/WebhookEndpointHttp.ts"
import * as OperatorHttp from "./operators/OperatorHttp.ts"
import * as DoctorHttp from "./doctor/DoctorHttp.ts"
import * as ClusterHttp from "./operators/ClusterHttp.ts"
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
    HeldUpHttp.layer,
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
const consoleRoutes = HttpApiBuilder.layer(ConsoleApi).pipe(
  Layer.provide([
    SignInHttp.layer,
    PeopleHttp.layer,
    ApiKeyHttp.layer,
    MerchantSettingsHttp.layer,
    OperatorHttp.layerConsole,
    PayoutHttp.layerConsole,
    OverviewHttp.layer,
    SavedViewHttp.layer
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
    SecurityText.layer,
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
