/** Where Stripe's API is reached: Stripe's own address, or that of a simulator on this machine. */
import { Effect, Option, type Redacted } from "effect"
import { BadSetting } from "./BadSetting.ts"
import { isLoopback } from "./loopback.ts"

const stripes = new URL("https://api.stripe.com")

/** A key of a merchant's account goes there: plain http only where nobody else listens. */
export const stripeAddress = Effect.fnUntraced(function* ({
  stripeApi,
  stripeProxy
}: {
  readonly stripeApi: Option.Option<URL>
  readonly stripeProxy: Option.Option<Redacted.Redacted>
}) {
  if (Option.isNone(stripeApi)) return stripes
  const { hash, hostname, pathname, password, protocol, search, username } = stripeApi.value
  const isBare = pathname === "/" && search === "" && hash === "" && username === "" && password === ""
  if (!isBare || (protocol !== "https:" && !(protocol === "http:" && isLoopback(hostname)))) {
    return yield* new BadSetting({
      message: "STRIPE_API must look like https://api.stripe.com; http is for a simulator on this machine alone."
    })
  }
  if (protocol === "http:" && Option.isSome(stripeProxy)) {
    return yield* new BadSetting({
      message: "STRIPE_PROXY is for an https address, and STRIPE_API is one of this machine in http: set one of them."
    })
  }
  return stripeApi.value
})

/** Where Stripe's client sends its calls: files go to a host of their own, unless the API is elsewhere. */
export const stripeOrigins = (api: URL): ReadonlyArray<URL> =>
  api.host === stripes.host ? [api, new URL("https://files.stripe.com")] : [api]
