/**
 * Webhooks in Next.js: `app/hook/route.ts`. The same function works wherever a handler takes a standard `Request`, such
 * as in Deno, Bun and edge runtimes.
 */
import { webhooks, WebhookVerificationError } from "@coffer/sdk"
import { handle } from "./handle.ts"

/** In your file: `export const POST = makePost(process.env.COFFER_WEBHOOK_SECRET!)`. */
export const makePost =
  (secret: string) =>
  async (request: Request): Promise<Response> => {
    try {
      await handle(await webhooks.verify(await request.arrayBuffer(), request.headers, secret))
      return new Response(null, { status: 200 })
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error
      return new Response(error.code, { status: 400 })
    }
  }
