/** The names of the merchant API's operations in the published document: those of the SDK's methods. */

/** Operations whose published name differs from their group and name. */
const places: Readonly<Record<string, string>> = {
  "timelines.get": "orders.timeline",
  "receipts.sendReceipt": "orders.sendReceipt",
  "balance.transactions": "ledger.list",
  "balance.chain": "ledger.chain",
  "logs.list": "apiLogs.list",
  "webhook_endpoints.signingSecret": "webhookSigningSecret.get",
  "webhook_endpoints.rotateSigningSecret": "webhookSigningSecret.rotate",
  "webhook_endpoints.endPreviousSigningSecrets": "webhookSigningSecret.endPrevious"
}

/** `payment_links.qrCode` is `paymentLinks.qrCode`. */
export const publishedName = (id: string, method: string, path: string): string =>
  path.startsWith("/v1/test_helpers/") ? nameOfHelper(method, path) : camel(places[id] ?? id)

/** Derived from the path: `/test_helpers/orders/{ref}/pay` is `testHelpers.orders.pay`. */
const nameOfHelper = (method: string, path: string): string => {
  const [group = "", ...names] = path
    .split("/")
    .slice(3)
    .filter((segment) => !segment.startsWith("{"))
  return ["testHelpers", camel(group), camel(names.join("_") || (method === "get" ? "get" : "set"))].join(".")
}

const camel = (text: string): string => text.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
