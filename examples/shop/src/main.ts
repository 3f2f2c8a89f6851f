/** Starts the shop: `npm start`. Its account is that of the service that runs in this repository, or of COFFER_KEY. */
import { existsSync, readFileSync } from "node:fs"
import path from "node:path"
import { serve } from "@hono/node-server"
import { Coffer } from "@coffer/sdk"
import { makeShop } from "./shop.ts"

const { COFFER_BASE_URL, COFFER_KEY, PORT = "3000" } = process.env
const file = path.resolve(import.meta.dirname, "../../../.coffer/credentials.json")
const kept = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {}
const apiKey = COFFER_KEY ?? kept.sandbox_key
const baseUrl = COFFER_BASE_URL ?? kept.base_url
if (apiKey === undefined || baseUrl === undefined) {
  throw new Error("Start Coffer first (npm start), or set COFFER_KEY and COFFER_BASE_URL.")
}

const coffer = new Coffer({ apiKey, baseUrl })
const { secret } = await coffer.webhookSigningSecret.get()
const home = `http://127.0.0.1:${PORT}`
serve({ fetch: makeShop({ coffer, home, secret }).app.fetch, hostname: "127.0.0.1", port: Number(PORT) })
console.log(`The shop is open: ${home}`)
