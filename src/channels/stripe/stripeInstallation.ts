/**
 * Settings of an operator for Stripe, and Stripe's part of `coffer doctor`: whether its two hosts can be reached as the
 * service's client reaches them, also by the proxy, and whether accounts send whole events.
 */
import http from "node:http"
import https from "node:https"
import { callsASecondMax } from "@coffer/model/Limits"
import { Config, Effect, Option, Redacted, Schema } from "effect"
import { BadSetting, isLoopback, proxyAddress } from "../../platform/runtime/places.ts"
import { roomSettings } from "../../platform/runtime/roomSettings.ts"
import { stripeChannel } from "./payment.ts"
import { makeTunnelAgent, NoTunnel } from "./StripeGuard.ts"
import { type Check, errorIf, fine, notApplicable, type Verdict, warning } from "../../door/doctor/Finding.ts"
import { query, type Installation, settingsOf } from "../../door/doctor/Installation.ts"

// Settings -------------------------------------------------------------------------

export interface StripeSettings {
  /** The base of Stripe's API, without a path: `https://api.stripe.com`, or a simulator of it. */
  readonly api: URL
  /** `http://user:pass@host:port`: the proxy of calls to Stripe; undefined for direct connections. */
  readonly proxy: Redacted.Redacted | undefined
  /** Calls to Stripe per second and account. */
  readonly calls: { readonly sandbox: number; readonly live: number }
}

const callsASecond = (name: string, usual: number) =>
  Config.schema(
    Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: callsASecondMax })),
    name
  ).pipe(Config.withDefault(usual))

const variables = Config.all({
  stripeApi: Config.option(Config.URL("STRIPE_API")),
  stripeProxy: Config.option(Config.Redacted("STRIPE_PROXY")),
  // The defaults are Stripe's own limits for an account with a test key, and with a live one.
  calls: Config.all({
    sandbox: callsASecond("STRIPE_CALLS_SANDBOX", 25),
    live: callsASecond("STRIPE_CALLS_LIVE", 100)
  })
})

export const stripeSettings = roomSettings<StripeSettings>({
  secrets: ["STRIPE_PROXY"],
  read: Effect.fnUntraced(function* () {
    const read = yield* variables
    return {
      api: yield* stripeAddress(read),
      proxy: yield* proxyAddress("STRIPE_PROXY", read.stripeProxy),
      calls: read.calls
    }
  })
})

const stripes = new URL("https://api.stripe.com")

/** Merchants' keys are sent there: plain http is allowed only on this machine. */
const stripeAddress = Effect.fnUntraced(function* ({
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
      message: "STRIPE_API must look like https://api.stripe.com; http is only for a simulator on this machine."
    })
  }
  if (protocol === "http:" && Option.isSome(stripeProxy)) {
    return yield* new BadSetting({
      message:
        "STRIPE_PROXY needs an https address, but STRIPE_API is an http address of this machine: set only one of " +
        "them."
    })
  }
  return stripeApi.value
})

/** The addresses of Stripe's client: files go to a host of their own, unless the API is elsewhere. */
const stripeOrigins = (api: URL): ReadonlyArray<URL> =>
  api.host === stripes.host ? [api, new URL("https://files.stripe.com")] : [api]

// The doctor -----------------------------------------------------------------------

type Read = Pick<StripeSettings, "api" | "proxy">

export const checks = (installation: Installation): ReadonlyArray<Check> => [
  { name: "stripe webhooks", look: stripeWebhooks(installation) },
  stripeCheck(installation)
]

const stripeCheck = (installation: Installation): Check => ({
  name: "stripe",
  look: Effect.gen(function* () {
    const read = (yield* settingsOf(installation)).of(stripeSettings)
    // An operator who sets the proxy wants to know before there is an account.
    if (read.proxy === undefined && !(yield* hasAccounts(installation))) {
      return notApplicable("No merchant has a Stripe account.")
    }
    const troubles = yield* Effect.forEach(stripeOrigins(read.api), troubleAt(read), { concurrency: "unbounded" })
    return stripeVerdict(installation, read, troubles)
  })
})

const hasAccounts = (installation: Installation) =>
  Effect.map(
    query(
      installation,
      (sql) => sql<{ readonly there: boolean }>`
        select exists (select from merchant_modes
          where (channel_accounts -> ${stripeChannel}::text ->> 'isActive')::boolean) as there`
    ),
    ([row]) => row?.there === true
  )

/** Why a host was not reached, and whether that was the proxy's fault. */
interface Trouble {
  readonly isProxys: boolean
  readonly detail: string
}

/** `troubles`: of each of Stripe's hosts, undefined for one that answers. */
export const stripeVerdict = (
  { isLive }: Pick<Installation, "isLive">,
  { api, proxy }: Read,
  troubles: ReadonlyArray<Trouble | undefined>
): Verdict => {
  const hosts = stripeOrigins(api).map(({ host }) => host)
  const by = proxy === undefined ? undefined : `STRIPE_PROXY at ${new URL(Redacted.value(proxy)).host}`
  const at = troubles.findIndex((trouble) => trouble !== undefined)
  if (at === -1) return fine(`Stripe answers at ${hosts.join(" and ")}${by === undefined ? "" : `, through ${by}`}.`)
  const { detail, isProxys } = troubles[at]!
  return isProxys
    ? errorIf(isLive)(
        `${by} opens no connection to ${hosts[at]}: ${detail}.`,
        `Fix the proxy, or allow CONNECT to ${hosts.join(" and ")} at port 443.`
      )
    : errorIf(isLive)(
        `Stripe can't be reached at ${hosts[at]}: ${detail}.`,
        `Allow this machine to reach ${hosts.join(" and ")} at port 443, or set STRIPE_PROXY.`
      )
}

const answerMillisMax = 4_000

/** Any answer shows that the host can be reached: no key is sent. */
const troubleAt =
  ({ proxy }: Read) =>
  (origin: URL): Effect.Effect<Trouble | undefined> =>
    Effect.callback((resume) => {
      const agent = proxy === undefined ? undefined : makeTunnelAgent(proxy)
      const finish = (trouble: Trouble | undefined) => {
        request.destroy()
        agent?.destroy()
        resume(Effect.succeed(trouble))
      }
      const { request: ask } = origin.protocol === "http:" ? http : https
      const request = ask(origin, { method: "HEAD", timeout: answerMillisMax, ...(agent && { agent }) })
      request.once("response", () => finish(undefined))
      request.once("timeout", () => finish({ isProxys: false, detail: "no response in time" }))
      request.on("error", (error: NodeJS.ErrnoException) => {
        const isProxys = error instanceof NoTunnel
        finish({ isProxys, detail: isProxys ? error.message : (error.code ?? error.name) })
      })
      request.end()
      return Effect.sync(() => finish(undefined))
    })

// Events ---------------------------------------------------------------------------

/** Merchants whose destination at Stripe sends thin events, and their count. */
interface ThinDestinations {
  readonly accounts: number
  readonly first: string | null
}

const stripeWebhooks = (installation: Installation) =>
  Effect.map(
    query(
      installation,
      (sql) => sql<ThinDestinations>`
        select count(*)::int as accounts, min(id) as first
        from stripe_polls join merchant_modes using (merchant_id, mode)
        where thin_at is not null and (webhook_at is null or webhook_at < thin_at)
          and (channel_accounts -> ${stripeChannel}::text ->> 'isActive')::boolean`
    ),
    ([row]) => thinVerdict(row!)
  )

export const thinVerdict = ({ accounts, first }: ThinDestinations): Verdict =>
  accounts === 0
    ? fine("No Stripe event destination sends thin events.")
    : warning(
        `Stripe event destinations of ${accounts} accounts (${first}) send thin events, which are rejected: ` +
          "payments are only found by polling, a minute late.",
        "Create a destination with snapshot events in Stripe's dashboard (docs/going-live.md), and delete the thin one."
      )
