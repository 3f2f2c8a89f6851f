/** Webhooks in Express. The body has to arrive as bytes: `express.json()` must not run before this route. */
import { webhooks, WebhookVerificationError } from "@coffer/sdk"
import express from "express"
import { handle } from "./handle.ts"

export const makeApp = (secret: string) => {
  const app = express()
  app.post("/hook", express.raw({ type: "application/json", limit: "5mb" }), async (request, response, next) => {
    try {
      await handle(await webhooks.verify(request.body, request.headers, secret))
      response.sendStatus(200)
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) return next(error)
      response.status(400).send(error.code)
    }
  })
  return app
}
