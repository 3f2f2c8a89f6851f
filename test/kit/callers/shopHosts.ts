/** A service with hosts of shops, the DNS server that it asks, and a client that names hosts. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { NameServers } from "../../../src/access/domains/lookUp.ts"
import { nameServer, type NameServer } from "../servers/NameServer.ts"
import { type Options, type Running, start } from "../Service.ts"
import { head, sendRaw } from "./Raw.ts"

export const host = "pay.shop.example"
export const target = "shops.coffer.example"
export const ofHosts = { SHOP_DOMAINS_POINT_TO: target, PUBLIC_URL: "https://pay.coffer.example" }

export const begin = Effect.fnUntraced(function* ({ env, ...options }: Options = {}) {
  const dns = yield* nameServer
  dns.zone.set(target, { A: ["203.0.113.7"] })
  const running = yield* start({
    clock: "test",
    ...options,
    env: { ...ofHosts, ...env },
    beneath: Layer.succeed(NameServers, [dns.address])
  })
  return { ...running, dns }
})
type Begun = Effect.Success<ReturnType<typeof begin>>

export const set = ({ api, merchant }: Pick<Running, "api" | "merchant">, checkout_domain: string | null) =>
  api.operator("POST", `/merchants/${merchant.merchantId}`, { checkout_domain })
export const domainOf = ({ api, merchant }: Pick<Running, "api" | "merchant">) =>
  Effect.map(api.operator("GET", `/merchants/${merchant.merchantId}`), ({ body }) => body.data.checkout_domain)

/** Writes the record of the merchant's host, and lets it point here. */
export const prove = Effect.fnUntraced(function* (running: Pick<Running, "api" | "merchant">, { zone }: NameServer) {
  const { host: name, record_name, record_value } = yield* domainOf(running)
  const { TXT = [] } = zone.get(record_name) ?? {}
  zone.set(record_name, { TXT: [...TXT, record_value] })
  zone.set(name, { A: ["203.0.113.7"] })
})

/** A merchant whose host is verified. */
export const verified = Effect.fnUntraced(function* (running: Begun, name = host) {
  assert.strictEqual((yield* set(running, name)).status, 200)
  yield* running.settle
  yield* prove(running, running.dns)
  yield* running.pass("1 minute")
  assert.strictEqual((yield* domainOf(running)).status, "verified")
})

export const at = (name: string, headers: Record<string, string> = {}, method = "GET") => ({
  ask: ({ baseUrl }: Pick<Running, "baseUrl">, path: string, body = "") =>
    sendRaw(
      baseUrl,
      head(`${method} ${path}`, {
        Host: name,
        ...(body === "" ? {} : { "Content-Type": "application/x-www-form-urlencoded" }),
        "Content-Length": Buffer.byteLength(body),
        Connection: "close",
        ...headers
      }),
      body
    )
})
export const pathOf = (url: string) => new URL(url).pathname
