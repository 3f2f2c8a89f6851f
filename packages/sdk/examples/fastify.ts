/** Webhooks in Fastify. The parser leaves the bytes as they are, for the routes of this plugin only. */
import { webhooks, WebhookVerificationError } from "@coffer/sdk"
import Fastify from "fastify"
import { handle } from "./handle.ts"

export const makeApp = (secret: string) => {
  const app = Fastify({ bodyLimit: 5 * 1024 * 1024 })
  app.register(async (hooks) => {
    hooks.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => done(null, body))
    hooks.post<{ Body: Buffer }>("/hook", async (request, reply) => {
      try {
        await handle(await webhooks.verify(request.body, request.headers, secret))
        return reply.code(200).send()
      } catch (error) {
        if (!(error instanceof WebhookVerificationError)) throw error
        return reply.code(400).send(error.code)
      }
    })
  })
  return app
}
