/** Calls that are refused before an object is looked for: wrong keys, spellings, paths and methods. */
import type { Made } from "./makers.ts"

export const badCalls: ReadonlyArray<Made> = [
  { method: "GET", path: "/v1/orders", key: "none" },
  { method: "POST", path: "/v1/refunds", key: "wrong", body: {} },
  { method: "GET", path: "/v1/balance", key: "live" },
  { method: "GET", path: "/v1/orders", key: "live" },
  { method: "POST", path: "/v1/test_helpers/orders/x/pay", key: "live", body: {} },
  { method: "GET", path: "/v1/%6frders" },
  { method: "GET", path: "/v1/orders/" },
  { method: "POST", path: "/operator/v1/%6derchants/x/suspend", key: "operator" },
  { method: "GET", path: "/v1/erasures/unknown" },
  { method: "GET", path: "/v1/events/unknown" },
  { method: "GET", path: "/v1/webhook_deliveries/unknown" },
  { method: "GET", path: "/v1/reports/unknown" },
  { method: "GET", path: "/v1/nothing" },
  { method: "DELETE", path: "/v1/orders/x" },
  { method: "POST", path: "/v1/orders", body: { amount: 100 }, idempotencyKey: "k".repeat(256) }
]
