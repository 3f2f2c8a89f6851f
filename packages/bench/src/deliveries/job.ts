/**
 * The deliveries of every side of the race: the same bytes, signed by the same rules. Coffer signs in its own process
 * with its own code (`packages/rules/src/delivery/attempt.ts`); the rivals use this file.
 */
import { createHmac } from "node:crypto"

export interface Job {
  readonly id: string
  readonly url: string
  readonly body: string
}

/** The number of an event of one run: 26 digits, like those of the service. */
export const eventId = (run: string, n: number): string => `evt_${run.padEnd(12, "0")}${String(n).padStart(14, "0")}`

/** A copy of an event's body with another id. */
export const bodyOf = (template: Template, id: string): string => template.body.replaceAll(template.id, id)

export interface Template {
  /** The id of the event in the body. */
  readonly id: string
  /** The body as it was delivered. */
  readonly body: string
}

const secretText = Buffer.alloc(32, 5).toString("base64")
const secret = `whsec_${secretText}`
const key = Buffer.from(secretText, "base64")

export const headersOf = ({ body, id }: Job): Record<string, string> => {
  const t = Math.floor(Date.now() / 1_000)
  const own = createHmac("sha256", secret).update(`${t}.${body}`).digest("hex")
  const standard = createHmac("sha256", key).update(`${id}.${t}.${body}`).digest("base64")
  return {
    "content-type": "application/json",
    "user-agent": "Bench/1.0",
    "x-service-event-id": id,
    "x-service-event-type": "payment.succeeded",
    "x-service-signature": `t=${t},v1=${own}`,
    "webhook-id": id,
    "webhook-timestamp": String(t),
    "webhook-signature": `v1,${standard}`
  }
}
