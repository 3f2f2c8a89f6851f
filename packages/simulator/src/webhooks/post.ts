/** Posts an event once, signed as Stripe signs. */
import { createHmac } from "node:crypto"
import { Effect } from "effect"

/** The time limit of a receiver, in real milliseconds. */
const patience = 10_000

export interface Post {
  readonly url: string
  readonly secret: string
  readonly body: string
  /** Seconds, by the simulated clock. */
  readonly at: number
}

/** `t` and `v1`: the HMAC of the time and the body. */
export const signatureOf = ({ at, body, secret }: Omit<Post, "url">): string =>
  `t=${at},v1=${createHmac("sha256", secret).update(`${at}.${body}`).digest("hex")}`

/** Whether the receiver accepted it: any status from 200 to 299. Never fails. */
export const post = ({ url, ...signed }: Post): Effect.Effect<boolean> =>
  Effect.tryPromise((interrupted) =>
    fetch(url, {
      method: "POST",
      body: signed.body,
      headers: {
        "content-type": "application/json; charset=utf-8",
        "stripe-signature": signatureOf(signed),
        "user-agent": "Stripe/1.0 (+https://stripe.com/docs/webhooks)"
      },
      redirect: "manual",
      signal: AbortSignal.any([interrupted, AbortSignal.timeout(patience)])
    }).then((response) => {
      void response.body?.cancel()
      return response.ok
    })
  ).pipe(Effect.orElseSucceed(() => false))
