/** Endpoints and deliveries, for the wiring. */
import { Layer } from "effect"
import { jobs } from "../../platform/jobs/Opening.ts"
import * as Deliveries from "./Deliveries.ts"
import * as DeliveryHistory from "./DeliveryHistory.ts"
import * as DeliveryJobs from "./DeliveryJobs.ts"
import * as DeliveryStore from "./DeliveryStore.ts"
import * as EndpointHealth from "./EndpointHealth.ts"
import * as EndpointJobs from "./EndpointJobs.ts"
import * as WebhookEndpoints from "./WebhookEndpoints.ts"
import * as WebhookSettingsStore from "./WebhookSettingsStore.ts"

export const layer = jobs(Layer.merge(DeliveryJobs.layer, EndpointJobs.layer)).pipe(
  Layer.provideMerge(Layer.mergeAll(Deliveries.layer, WebhookEndpoints.layer)),
  Layer.provideMerge(
    Layer.mergeAll(DeliveryStore.layer, DeliveryHistory.layer, EndpointHealth.layer, WebhookSettingsStore.layer)
  )
)
