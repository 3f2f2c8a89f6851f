/** Webhooks in Hono, on any runtime. */
import { webhooks, WebhookVerificationError } from "@coffer/sdk"
import { Hono } from "hono"
import { handle } from "./handle.ts"

export const makeApp = (secret: string) => {
  const app = new Hono()
  app.post("/hook", async (context) => {
    try {
      await handle(await webhooks.verify(await context.req.arrayBuffer(), context.req.raw.headers, secret))
      return context.body(null, 200)
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error
      return context.text(error.code, 400)
    }
  })
  return app
}
