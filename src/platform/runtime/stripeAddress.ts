/** Where Stripe's API is reached: Stripe's own address, or that of a simulator on this machine. */
import { Effect, Option } from "effect"
import { BadSetting } from "./BadSetting.ts"
import { isLoopback } from "./loopback.ts"

const stripes = new URL("https://api.stripe.com")

/** A key of a merchant's account goes there: plain http only where nobody else listens. */
export const stripeAddress = Effect.fnUntraced(function* (read: Option.Option<URL>) {
  if (Option.isNone(read)) return stripes
  const { hash, hostname, pathname, password, protocol, search, username } = read.value
  const isBare = pathname === "/" && search === "" && hash === "" && username === "" && password === ""
  if (!isBare || (protocol !== "https:" && !(protocol === "http:" && isLoopback(hostname)))) {
    return yield* new BadSetting({
      message: "STRIPE_API must look like https://api.stripe.com; http is for a simulator on this machine alone."
    })
  }
  return read.value
})
