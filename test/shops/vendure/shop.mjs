/**
 * A shop of Vendure as a merchant sets it up: one product, one way to send it, and Coffer as its payment method. It is
 * in memory. It writes a line of JSON for what a test waits for.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { bootstrap, DefaultLogger, DefaultSchedulerPlugin, EventBus, LogLevel, OrderPlacedEvent } from "@vendure/core"
import { populate } from "@vendure/core/cli/index.js"
import { CofferPlugin } from "@coffer/vendure"

const { CAPTURE, COFFER_BASE_URL, COFFER_KEY, PORT, WEBHOOK_URL } = process.env
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`)

const config = {
  apiOptions: { port: Number(PORT), hostname: "127.0.0.1", adminApiPath: "admin-api", shopApiPath: "shop-api" },
  authOptions: {
    tokenMethod: ["bearer"],
    superadminCredentials: { identifier: "owner", password: "of-the-tests-1" },
    cookieOptions: { secret: "of the tests" }
  },
  dbConnectionOptions: { type: "sqljs", synchronize: true },
  // A shop of several processes has a worker for them.
  schedulerOptions: { runTasksInWorkerOnly: false, tasks: [] },
  paymentOptions: { paymentMethodHandlers: [] },
  plugins: [
    DefaultSchedulerPlugin.init({ manualTriggerCheckInterval: 200 }),
    CofferPlugin.init({
      apiKey: COFFER_KEY,
      baseUrl: COFFER_BASE_URL,
      capture: CAPTURE,
      webhookUrl: WEBHOOK_URL,
      returnUrl: "http://shop.example/orders/{ORDER_CODE}"
    })
  ],
  logger: new DefaultLogger({ level: LogLevel.Warn })
}

const initialData = {
  defaultLanguage: "en",
  defaultZone: "Europe",
  countries: [{ name: "Germany", code: "DE", zone: "Europe" }],
  taxRates: [{ name: "Standard", percentage: 0 }],
  shippingMethods: [{ name: "Post", price: 500 }],
  paymentMethods: [{ name: "coffer", handler: { code: "coffer", arguments: [] } }],
  collections: []
}
const columns =
  "name,slug,description,assets,facets,optionGroups,optionValues,sku,price,taxCategory,stockOnHand,trackInventory,variantAssets,variantFacets"

const folder = mkdtempSync(path.join(tmpdir(), "shop-"))
const products = path.join(folder, "products.csv")
writeFileSync(products, `${columns}\nEmma,emma,A book,,,,,EMMA,14.99,Standard,1000,false,,\n`)
const app = await populate(() => bootstrap(config), initialData, products)
rmSync(folder, { recursive: true })
app
  .get(EventBus)
  .ofType(OrderPlacedEvent)
  .subscribe(({ order }) => say({ placed: order.code }))
say({ ready: true })
