/** The examples of receivers, each behind a real socket: the service's own deliveries reach them, forged ones do not. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, layer } from "@effect/vitest"
import { webhooks } from "@coffer/sdk"
import { Context, Effect, Layer } from "effect"
import * as express from "../../packages/sdk/examples/express.ts"
import * as fastify from "../../packages/sdk/examples/fastify.ts"
import { shipped } from "../../packages/sdk/examples/handle.ts"
import * as hono from "../../packages/sdk/examples/hono.ts"
import * as next from "../../packages/sdk/examples/next.ts"
import { clientOf } from "../kit/callers/sdk.ts"
import { type Running, start } from "../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/sdk/examples") {}

/** A framework's server around a handler of standard requests. */
const standard =
  (handle: (request: Request) => Response | Promise<Response>): RequestListener =>
  async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)])
    const answer = await handle(
      new Request(`http://shop.example${request.url}`, { method: "POST", headers, body: Buffer.concat(chunks) })
    )
    response.writeHead(answer.status).end(await answer.text())
  }

/** A listener with the example in it. */
const receivers: Readonly<Record<string, (secret: string) => Promise<RequestListener>>> = {
  express: async (secret) => express.makeApp(secret) as RequestListener,
  fastify: async (secret) => {
    const app = fastify.makeApp(secret)
    await app.ready()
    return (request, response) => app.routing(request, response)
  },
  hono: async (secret) => {
    const app = hono.makeApp(secret)
    return standard((request) => app.fetch(request))
  },
  next: async (secret) => standard(next.makePost(secret))
}

/** A server whose handler is set later, since a secret is known only when the address is. */
const server = Effect.gen(function* () {
  const { promise: handler, resolve: serve } = Promise.withResolvers<RequestListener>()
  const listening = createServer((request, response) => void handler.then((handle) => handle(request, response)))
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void listening.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.sync(() => listening.close().closeAllConnections())
  )
  return { url: `http://127.0.0.1:${(listening.address() as AddressInfo).port}/hook`, serve }
})

layer(Layer.effect(Service, start()), { excludeTestServices: true })("the example of a receiver", (it) => {
  for (const [name, receiver] of Object.entries(receivers)) {
    it.effect(`for ${name} takes what the service delivers, and says of anything else what is wrong`, () =>
      Effect.gen(function* () {
        const running = yield* Service
        const merchant = yield* running.api.newMerchant()
        const coffer = clientOf({ ...running, merchant })
        const { serve, url } = yield* server
        yield* Effect.promise(async () => {
          const { secret } = await coffer.webhookEndpoints.create({ url })
          serve(await receiver(secret))
          const { out_trade_no } = await coffer.orders.create({ amount: 1999, out_trade_no: `cart-${name}` })
          await coffer.testHelpers.orders.pay(out_trade_no)
          await Effect.runPromise(running.atRest)
          const [delivery] = (await coffer.webhookDeliveries.list().page()).data
          assert.deepStrictEqual(
            delivery!.attempts.map(({ status_code }) => status_code),
            [200]
          )
          assert.strictEqual(shipped.get(out_trade_no), 1999)

          const post = async (body: string, headers: Record<string, string>) => {
            const answer = await fetch(url, {
              method: "POST",
              body,
              headers: { "Content-Type": "application/json", ...headers }
            })
            return [answer.status, await answer.text()]
          }
          const [event] = (await coffer.events.list().page()).data
          const body = JSON.stringify(event)
          assert.deepStrictEqual(await post(body, {}), [400, "no_header"])
          assert.deepStrictEqual(await post(`${body} `, await webhooks.sign(body, secret)), [400, "no_match"])
          const old = await webhooks.sign(body, secret, { now: () => 0 })
          assert.deepStrictEqual(await post(body, old), [400, "too_old"])
          assert.strictEqual((await post(body, await webhooks.sign(body, secret)))[0], 200)
        })
      })
    )
  }
})
