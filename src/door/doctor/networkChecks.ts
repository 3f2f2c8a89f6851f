/** Checks of the network: addresses, proxies, runners, Redis, mail. */
import { lookup } from "node:dns/promises"
import { connect } from "node:net"
import { Effect } from "effect"
import { parseProxies } from "../../shared/http/clientAddress.ts"
import { isLoopback, refusedPorts, type RunnerPlace } from "../../platform/runtime/places.ts"
import type { Settings } from "../../platform/runtime/Settings.ts"
import { type Check, error, errorIf, fine, notApplicable, type Verdict, warning } from "./Finding.ts"
import { query, type Installation, settingsOf } from "./Installation.ts"

type Read = Settings["Service"]

export const networkChecks = (installation: Installation): ReadonlyArray<Check> => {
  const settings = settingsOf(installation)
  return [
    { name: "public url", look: Effect.map(settings, (read) => publicUrlVerdict(installation, read)) },
    { name: "admin port", look: Effect.map(settings, (read) => adminVerdict(installation, read)) },
    {
      name: "proxies",
      look: Effect.flatMap(settings, (read) =>
        parseProxies(read.trustedProxies).pipe(
          Effect.match({
            onFailure: ({ message }) => error(message, "Fix this: the service would not start."),
            onSuccess: (networks) =>
              proxiesVerdict(
                installation,
                read,
                networks.map(({ prefixLength }) => prefixLength)
              )
          })
        )
      )
    },
    { name: "runner port", look: Effect.flatMap(settings, ({ runner }) => runnerPort(runner)) },
    { name: "acquirer", look: acquirer(installation) },
    { name: "outbound", look: Effect.map(settings, outboundVerdict) }
  ]
}

// The public address ------------------------------------------------------------

export const publicUrlVerdict = (
  { isLive }: Pick<Installation, "isLive">,
  { publicUrl }: Pick<Read, "publicUrl">
): Verdict => {
  const { hostname, port, protocol } = new URL(publicUrl)
  if (refusedPorts.has(Number(port))) {
    return error(
      `PUBLIC_URL is ${publicUrl}: browsers block port ${port}.`,
      "Set PORT or PUBLIC_URL to another port, such as 8080."
    )
  }
  if (protocol === "https:") return fine(`PUBLIC_URL is ${publicUrl}.`)
  if (!isLive && isLoopback(hostname)) return fine(`PUBLIC_URL is ${publicUrl}, on this machine only.`)
  return errorIf(isLive)(
    `PUBLIC_URL is ${publicUrl}: buyers would enter card details on an unencrypted page.`,
    "Put a proxy with TLS in front of the HTTP port, and set PUBLIC_URL to its https address."
  )
}

export const adminVerdict = (
  { isLive }: Pick<Installation, "isLive">,
  { admin, host }: Pick<Read, "admin" | "host">
): Verdict => {
  if (admin === undefined) {
    const observation = "The operator API and the metrics are served on the public port."
    return !isLive && isLoopback(host)
      ? fine("Everything is served on one port, on this machine only.")
      : warning(observation, "Set ADMIN_PORT to serve them on a separate port of this machine.")
  }
  const place = `${admin.host}:${admin.port}`
  return isLoopback(admin.host)
    ? fine(`The operator API and the metrics are served at ${place}, on this machine only.`)
    : warning(
        `The operator API and the metrics are served at ${place}, unencrypted.`,
        "Make sure that only operators and the metrics collector can reach that port, or unset ADMIN_HOST."
      )
}

/** `prefixes`: length of each trusted range's prefix. */
export const proxiesVerdict = (
  { isLive }: Pick<Installation, "isLive">,
  { publicUrl, trustedProxies }: Pick<Read, "publicUrl" | "trustedProxies">,
  prefixes: ReadonlyArray<number>
): Verdict => {
  if (prefixes.includes(0)) {
    return error(
      "TRUSTED_PROXIES trusts every address, so any client can spoof its address.",
      "List only the addresses of your own proxies."
    )
  }
  if (prefixes.length > 0) return fine(`Trusted proxies: ${trustedProxies}.`)
  return publicUrl.startsWith("https:")
    ? errorIf(isLive)(
        "PUBLIC_URL is https and TRUSTED_PROXIES is not set: every client appears with the proxy's address.",
        "Set TRUSTED_PROXIES to the addresses of the proxies in front: IP allowlists and rate limits use the " +
          "client's address."
      )
    : fine("Clients connect directly, without a proxy.")
}

export const outboundVerdict = ({ noOutbound }: Pick<Read, "noOutbound">): Verdict =>
  noOutbound
    ? warning(
        "NO_OUTBOUND is set: no acquirer is called, and no webhooks or emails are sent.",
        "Unset it and drop --no-outbound, unless this is a restored copy for testing."
      )
    : fine("Webhooks, emails and calls to the acquirer are enabled.")

// Runners -----------------------------------------------------------------------

export interface Reach {
  /** Undefined when the name has no address. */
  readonly address: string | undefined
  /** Whether something listens there now. */
  readonly answers: boolean
}

const runnerPort = (runner: RunnerPlace | undefined) =>
  runner === undefined
    ? Effect.succeed(notApplicable("This process is not part of a cluster."))
    : Effect.map(reach(runner), (reached) => runnerVerdict(runner, reached))

export const runnerVerdict = ({ auth, host, listenHost, port }: RunnerPlace, { address, answers }: Reach): Verdict => {
  const place = `${host}:${port}`
  if (address === undefined) {
    return error(
      `RUNNER_HOST ${host} can't be resolved.`,
      "Set RUNNER_HOST to a name or address that other runners can reach."
    )
  }
  const state = answers ? "it responds" : "nothing responds now"
  const observation = `Other runners reach this one at ${place}, where ${state}`
  if (isLoopback(address) && isLoopback(listenHost)) return fine(`${observation}. Other machines can't reach it.`)
  const known = auth === "secret_key" ? "a key derived from SECRET_KEY" : "certificates"
  return fine(`${observation}; it listens at ${listenHost}, and authenticates runners by ${known}.`)
}

const reach = ({ host, port }: RunnerPlace): Effect.Effect<Reach> =>
  Effect.gen(function* () {
    const address = yield* Effect.tryPromise(() => lookup(host)).pipe(
      Effect.map((found): string | undefined => found.address),
      Effect.orElseSucceed(() => undefined)
    )
    return { address, answers: address !== undefined && (yield* listens(address, port)) }
  })

const connectMillisMax = 2_000

const listens = (host: string, port: number) =>
  Effect.callback<boolean>((resume) => {
    const socket = connect({ host, port, timeout: connectMillisMax })
    const finish = (answer: boolean) => () => {
      socket.destroy()
      resume(Effect.succeed(answer))
    }
    socket.once("connect", finish(true)).once("error", finish(false)).once("timeout", finish(false))
    return Effect.sync(() => socket.destroy())
  })

// The channel -------------------------------------------------------------------

/** How many merchants take real money, and how many of them have an account that takes payments. */
interface LiveMerchants {
  readonly approved: number
  readonly payable: number
  /** Accounts of merchants that are not approved yet count as well. */
  readonly accounts: number
}

const acquirer = (installation: Installation) =>
  installation.isLive
    ? Effect.map(
        query(
          installation,
          (sql) => sql<LiveMerchants>`
            select count(*) filter (where approved)::int as approved,
              count(*) filter (where approved and is_payable)::int as payable,
              count(*) filter (where is_payable)::int as accounts
            from merchants join (select merchant_id, mode, exists (select from jsonb_each(channel_accounts) as one
              where (one.value ->> 'isActive')::boolean) as is_payable from merchant_modes) as modes using (merchant_id)
            where mode = 'live' and suspended_at is null and closed_at is null`
        ),
        ([row]) => acquirerVerdict(row)
      )
    : Effect.succeed(acquirerVerdict(undefined))

/** `merchants`: undefined if none is live. */
export const acquirerVerdict = (merchants: LiveMerchants | undefined): Verdict => {
  if (merchants === undefined) return notApplicable("No merchant is live.")
  const { accounts, approved, payable } = merchants
  const advice = "Set the channel of these merchants (docs/going-live.md), or revoke their approval."
  if (accounts === 0) return error("No merchant has an account at an acquirer: live orders can't be paid.", advice)
  return payable < approved
    ? warning(
        `${approved - payable} of ${approved} live merchants have no account at an acquirer: ` +
          "their orders can't be paid.",
        advice
      )
    : fine("Every live merchant has an active account at an acquirer.")
}
