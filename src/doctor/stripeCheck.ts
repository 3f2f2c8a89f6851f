/** Whether Stripe is reached from here, as the service's client reaches it: at both of its hosts, and by the proxy. */
import http from "node:http"
import https from "node:https"
import { Effect, Redacted } from "effect"
import { stripeOrigins } from "../platform/runtime/places.ts"
import type { Settings } from "../platform/runtime/Settings.ts"
import { makeTunnelAgent, NoTunnel } from "../channels/stripe/StripeGuard.ts"
import { type Check, errorIf, fine, notApplicable, type Verdict } from "./Finding.ts"
import { asked, type Installation, settingsOf } from "./Installation.ts"

type Read = Pick<Settings["Service"], "stripeApi" | "stripeProxy">

export const stripeCheck = (installation: Installation): Check => ({
  name: "stripe",
  look: Effect.gen(function* () {
    const read = yield* settingsOf(installation)
    // An operator who sets the proxy wants to know before there is an account.
    if (read.stripeProxy === undefined && !(yield* hasAccounts(installation))) {
      return notApplicable("No merchant has an account at Stripe.")
    }
    const troubles = yield* Effect.forEach(stripeOrigins(read.stripeApi), troubleAt(read), { concurrency: "unbounded" })
    return stripeVerdict(installation, read, troubles)
  })
})

const hasAccounts = (installation: Installation) =>
  Effect.map(
    asked(
      installation,
      (sql) => sql<{ readonly there: boolean }>`
        select exists (select from merchant_modes where (stripe ->> 'isActive')::boolean) as there`
    ),
    ([row]) => row?.there === true
  )

/** Why a host was not reached, and whether the proxy is to blame. */
interface Trouble {
  readonly isProxys: boolean
  readonly detail: string
}

/** `troubles`: of each of Stripe's hosts, undefined for one that answers. */
export const stripeVerdict = (
  { isLive }: Pick<Installation, "isLive">,
  { stripeApi, stripeProxy }: Read,
  troubles: ReadonlyArray<Trouble | undefined>
): Verdict => {
  const hosts = stripeOrigins(stripeApi).map(({ host }) => host)
  const by = stripeProxy === undefined ? undefined : `STRIPE_PROXY at ${new URL(Redacted.value(stripeProxy)).host}`
  const at = troubles.findIndex((trouble) => trouble !== undefined)
  if (at === -1) return fine(`Stripe answers at ${hosts.join(" and ")}${by === undefined ? "" : `, through ${by}`}.`)
  const { detail, isProxys } = troubles[at]!
  return isProxys
    ? errorIf(isLive)(
        `${by} opens no way to ${hosts[at]}: ${detail}.`,
        `Mend the proxy, or let it open CONNECT to ${hosts.join(" and ")} at port 443.`
      )
    : errorIf(isLive)(
        `Stripe is not reached at ${hosts[at]}: ${detail}.`,
        `Let this machine reach ${hosts.join(" and ")} at port 443, or set STRIPE_PROXY.`
      )
}

const answerMillisMax = 4_000

/** Any answer shows that the host is there: no key goes along. */
const troubleAt =
  ({ stripeProxy }: Read) =>
  (origin: URL): Effect.Effect<Trouble | undefined> =>
    Effect.callback((resume) => {
      const agent = stripeProxy === undefined ? undefined : makeTunnelAgent(stripeProxy)
      const settle = (trouble: Trouble | undefined) => {
        request.destroy()
        agent?.destroy()
        resume(Effect.succeed(trouble))
      }
      const { request: ask } = origin.protocol === "http:" ? http : https
      const request = ask(origin, { method: "HEAD", timeout: answerMillisMax, ...(agent && { agent }) })
      request.once("response", () => settle(undefined))
      request.once("timeout", () => settle({ isProxys: false, detail: "no answer in time" }))
      request.on("error", (error: NodeJS.ErrnoException) => {
        const isProxys = error instanceof NoTunnel
        settle({ isProxys, detail: isProxys ? error.message : (error.code ?? error.name) })
      })
      request.end()
      return Effect.sync(() => settle(undefined))
    })
