/** Checks of how the service is reached, and how it reaches others: addresses, proxies, runners, Redis, mail. */
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
            onFailure: ({ message }) => error(message, "Put it right: the service would not start."),
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
      `PUBLIC_URL is ${publicUrl}: no browser opens a page at port ${port}.`,
      "Set PORT or PUBLIC_URL to another port, such as 8080."
    )
  }
  if (protocol === "https:") return fine(`PUBLIC_URL is ${publicUrl}.`)
  if (!isLive && isLoopback(hostname)) return fine(`PUBLIC_URL is ${publicUrl}, on this machine alone.`)
  return errorIf(isLive)(
    `PUBLIC_URL is ${publicUrl}: buyers would type their cards into a page that is sent in clear.`,
    "Put a proxy with TLS in front of the HTTP port, and set PUBLIC_URL to its https address."
  )
}

export const adminVerdict = (
  { isLive }: Pick<Installation, "isLive">,
  { admin, host }: Pick<Read, "admin" | "host">
): Verdict => {
  if (admin === undefined) {
    const observation = "The operator's API and the metrics answer at the port that buyers reach."
    return !isLive && isLoopback(host)
      ? fine("Everything answers at one port, on this machine alone.")
      : warning(observation, "Set ADMIN_PORT, which gives them a port of their own on this machine.")
  }
  const place = `${admin.host}:${admin.port}`
  return isLoopback(admin.host)
    ? fine(`The operator's API and the metrics answer at ${place}, on this machine alone.`)
    : warning(
        `The operator's API and the metrics answer at ${place}, in clear.`,
        "See to it that only operators and the metrics' collector reach that port, or leave ADMIN_HOST out."
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
      "TRUSTED_PROXIES trusts every address, so every client may claim any address.",
      "Name the addresses of your own proxies alone."
    )
  }
  if (prefixes.length > 0) return fine(`These are trusted to name the client: ${trustedProxies}.`)
  return publicUrl.startsWith("https:")
    ? errorIf(isLive)(
        "PUBLIC_URL is https and TRUSTED_PROXIES is not set: every client seems to have the address of the proxy.",
        "Set TRUSTED_PROXIES to the addresses of the proxies in front: IP allowlists and limits go by the client's."
      )
    : fine("Clients connect without a proxy.")
}

export const outboundVerdict = ({ noOutbound }: Pick<Read, "noOutbound">): Verdict =>
  noOutbound
    ? warning(
        "NO_OUTBOUND is set: no acquirer is asked, and no webhook and no mail goes out.",
        "Unset it, and leave --no-outbound out, unless this is a copy that is tried out."
      )
    : fine("Webhooks, mails and calls of the acquirer go out.")

// Runners -----------------------------------------------------------------------

export interface Reach {
  /** Undefined when the name has no address. */
  readonly address: string | undefined
  /** Whether something listens there at this moment. */
  readonly answers: boolean
}

const runnerPort = (runner: RunnerPlace | undefined) =>
  runner === undefined
    ? Effect.succeed(notApplicable("This process is in no cluster."))
    : Effect.map(reach(runner), (reached) => runnerVerdict(runner, reached))

export const runnerVerdict = ({ auth, host, listenHost, port }: RunnerPlace, { address, answers }: Reach): Verdict => {
  const place = `${host}:${port}`
  if (address === undefined) {
    return error(
      `RUNNER_HOST ${host} has no address.`,
      "Set RUNNER_HOST to a name or address that other runners reach."
    )
  }
  const state = answers ? "it answers" : "nothing answers now"
  const observation = `Other runners reach this one at ${place}, where ${state}`
  if (isLoopback(address) && isLoopback(listenHost)) return fine(`${observation}. Other machines cannot reach it.`)
  const known = auth === "secret_key" ? "a key derived from SECRET_KEY" : "certificates"
  return fine(`${observation}; it listens at ${listenHost}, and knows runners by ${known}.`)
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

/** `merchants`: undefined where none is live. */
export const acquirerVerdict = (merchants: LiveMerchants | undefined): Verdict => {
  if (merchants === undefined) return notApplicable("No merchant is known to be live.")
  const { accounts, approved, payable } = merchants
  const advice = "Set the channel of these merchants (docs/going-live.md), or take their approval back."
  if (accounts === 0) return error("No merchant has an account at an acquirer: nobody can pay a live order.", advice)
  return payable < approved
    ? warning(
        `${approved - payable} of ${approved} live merchants have no account at an acquirer: ` +
          "nobody can pay their orders.",
        advice
      )
    : fine("Each live merchant has an active account at an acquirer.")
}
