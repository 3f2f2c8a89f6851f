/**
 * The only place that connects to a merchant's server. Posts once and says what happened; whether that is a success,
 * and when to post again, is not decided here (spec: Events; silences: W8, W12, W20 to W22).
 *
 * Connections are kept for the next post. One that its server has closed meanwhile costs no attempt: the post is made
 * again at once, on a connection of its own.
 */
import { Resolver, lookup } from "node:dns"
import { isIP } from "node:net"
import { webhookAcknowledgement } from "@coffer/model/Limits"
import { isHttpUrl, isPublicAddress, isPublicHttpsUrl } from "@coffer/rules/delivery/address"
import { Clock, Context, Effect, Exit, type Fiber, identity, Layer, Redacted, Result, Schema } from "effect"
import { makeDeadlines } from "../platform/runtime/deadlines.ts"
import { memoize } from "../platform/runtime/memoize.ts"
import { Settings } from "../platform/runtime/Settings.ts"
import { makeConnections } from "./connections.ts"
import { makeEgressProxy } from "./egressProxy.ts"
import { exchange, type ExchangeMeans, excerptPatience, notDelivered, outcomeOf, type Received } from "./exchange.ts"
import { makeProxyLog } from "./proxyLog.ts"

export interface OutboundRequest {
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string
  /** Allows http, to public addresses. Sandbox only. */
  readonly httpAllowed?: boolean
  /** Allows http, and addresses of this machine and its network. Sandbox only, where the operator permits it. */
  readonly privateAllowed: boolean
}

/** `proxy`: the operator's proxy failed, and the destination has no part in it. */
export type NotDeliveredReason = "timeout" | "refused_address" | "dns" | "connect" | "tls" | "protocol" | "proxy"

/** `detail` is an error code or a sentence of ours: never a secret, the URL or an address. */
export type Outcome =
  | { readonly _tag: "Answered"; readonly status: number; readonly snippet: string }
  | { readonly _tag: "NotDelivered"; readonly reason: NotDeliveredReason; readonly detail: string }

export class Outbound extends Context.Service<
  Outbound,
  {
    /** POSTs the bytes once. Never fails: every failure is an outcome. */
    readonly post: (request: OutboundRequest) => Effect.Effect<Outcome>
  }
>()("@coffer/webhooks/Outbound") {}

export class HostNotFound extends Schema.TaggedError<HostNotFound>()("HostNotFound", { code: Schema.String }) {}

/** All addresses of a name. Asked once per post. */
export type Resolve = (hostname: string, privateAllowed: boolean) => Effect.Effect<ReadonlyArray<string>, HostNotFound>

export interface Ways {
  readonly resolve: Resolve
  /** `http://user:pass@host:port`, through which everything goes. */
  readonly proxy?: Redacted.Redacted | undefined
}

export const layerWith = ({ proxy, resolve }: Ways): Layer.Layer<Outbound> =>
  Layer.effect(
    Outbound,
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const egress =
        proxy === undefined
          ? undefined
          : makeEgressProxy(new URL(Redacted.value(proxy)), () => clock.currentTimeMillisUnsafe())
      const proxyLog = makeProxyLog()
      const means: Means = {
        resolve,
        run: Effect.runForkWith(yield* Effect.context<never>()),
        connections: yield* makeConnections(egress),
        // Headers in time acknowledge the delivery, even if the body is still arriving.
        deadlines: yield* makeDeadlines(webhookAcknowledgement),
        excerpts: yield* makeDeadlines(excerptPatience)
      }

      const post = (request: OutboundRequest) => attempt(request, means)
      return Outbound.of({ post: egress === undefined ? post : (request) => Effect.tap(post(request), proxyLog) })
    })
  )

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const { webhookProxy } = yield* Settings
    const publicNames = resolveByServers()
    return layerWith({
      resolve: (hostname, privateAllowed) => (privateAllowed ? resolveLocally(hostname) : publicNames(hostname)),
      proxy: webhookProxy
    })
  })
)

interface Means extends Ways, ExchangeMeans {
  readonly run: <A>(effect: Effect.Effect<A>) => Fiber.Fiber<A>
  readonly deadlines: Effect.Success<ReturnType<typeof makeDeadlines>>
}

const tooLate = (received: Received): Outcome =>
  outcomeOf(received, received.stage === "proxy" ? "proxy" : "timeout", `no answer within ${webhookAcknowledgement}`)

/**
 * Checks the address, looks up the name if it has one, and posts. All that is in callbacks, since each fiber costs as
 * much as the checks (docs/performance-notes.md).
 */
const attempt = (request: OutboundRequest, means: Means): Effect.Effect<Outcome> =>
  Effect.callback((resume) => {
    const target = targetOf(request)
    if (target === undefined) {
      return resume(Effect.succeed(notDelivered("refused_address", "the URL is not allowed here")))
    }
    const { literal, url } = target
    const received: Received = { stage: "dns", status: undefined, chunks: [], bytes: 0 }
    let stop = () => {}
    const inTime = means.deadlines.after(() => {
      resume(Effect.succeed(tooLate(received)))
      stop()
    })
    const end = (outcome: Outcome) => {
      if (inTime()) resume(Effect.succeed(outcome))
    }
    const postTo = (addresses: ReadonlyArray<string>) => {
      const refusal = refusalOf(addresses, request)
      if (refusal !== undefined) return end(refusal)
      const given = { checked: { url, addresses }, request, received }
      // A kept connection turned out to be closed: once more, on one of its own.
      stop = exchange({ ...given, fresh: false }, means, (outcome) => {
        if (outcome !== undefined) return end(outcome)
        stop = exchange({ ...given, fresh: true }, means, (again) => end(again ?? stale))
      })
    }
    if (literal !== undefined) postTo([literal])
    else {
      const asking = means.run(Effect.result(means.resolve(url.hostname, request.privateAllowed)))
      stop = () => asking.interruptUnsafe()
      asking.addObserver((exit) => {
        if (Exit.isFailure(exit)) return void (inTime() && resume(Effect.failCause(exit.cause)))
        const found = exit.value
        return Result.isSuccess(found) ? postTo(found.success) : end(notDelivered("dns", found.failure.code))
      })
    }
    return Effect.sync(() => {
      inTime()
      stop()
    })
  })

interface Target {
  readonly url: URL
  /** The address, if the URL has no name. */
  readonly literal: string | undefined
}

const targetOf = ({ httpAllowed = false, privateAllowed, url }: OutboundRequest): Target | undefined => {
  const { isPublic, ...target } = read(url)
  return target.url !== undefined && (privateAllowed || httpAllowed || isPublic)
    ? { url: target.url, literal: target.literal }
    : undefined
}

/** What a text says depends on nothing else, and costs 30 µs to find out. */
const read = memoize(4_096, identity<string>, (text) => {
  const url = isHttpUrl(text) ? new URL(text) : undefined
  const host = url?.hostname.replace(/^\[(.*)\]$/, "$1") ?? ""
  return { url, literal: isIP(host) === 0 ? undefined : host, isPublic: isPublicHttpsUrl(text) }
})

const refusalOf = (addresses: ReadonlyArray<string>, { privateAllowed }: OutboundRequest): Outcome | undefined => {
  if (addresses.length === 0) return notDelivered("dns", "ENODATA")
  // Every address has to be public: one private address among public ones is an attack or a mistake.
  return privateAllowed || addresses.every(isPublicAddress)
    ? undefined
    : notDelivered("refused_address", "the host resolves to an address that is not public")
}

/** A connection of its own is never found closed, so nobody sees this one. */
const stale = notDelivered("protocol", "ECONNRESET")

/** As other programs on this machine do: knows `localhost`, the hosts file and neighbouring containers. */
const resolveLocally = (hostname: string) =>
  Effect.callback<ReadonlyArray<string>, HostNotFound>((resume) =>
    lookup(hostname, { all: true, order: "verbatim" }, (error, found) =>
      resume(
        error === null
          ? Effect.succeed(found.map(({ address }) => address))
          : Effect.fail(new HostNotFound({ code: error.code ?? error.name }))
      )
    )
  )

/**
 * Asks the DNS servers directly. `lookup` would wait in one of libuv's four threads: four merchants with dead name
 * servers would stop all other deliveries, and every file and key operation of the process. `servers` defaults to those
 * of the machine.
 */
export const resolveByServers = (servers?: ReadonlyArray<string>) => {
  // Milliseconds for one try. Some name servers never answer about IPv6. With three of those, asked twice each, the
  // IPv6 look-up fails after 7 s (measured), early enough to use the IPv4 addresses.
  const resolver = new Resolver({ timeout: 1_000, maxTimeout: 1_000, tries: 2 })
  if (servers !== undefined) resolver.setServers(servers)
  return Effect.fnUntraced(function* (hostname: string) {
    const [v4, v6] = yield* Effect.all(
      [
        recordsOf((answer) => resolver.resolve4(hostname, answer)),
        recordsOf((answer) => resolver.resolve6(hostname, answer))
      ],
      { concurrency: 2, mode: "result" }
    )
    if (Result.isFailure(v4) && Result.isFailure(v6)) return yield* v4.failure
    return [v4, v6].flatMap((records) => (Result.isSuccess(records) ? records.success : []))
  })
}

type Answer = (error: NodeJS.ErrnoException | null, addresses: Array<string>) => void

const recordsOf = (ask: (answer: Answer) => void) =>
  Effect.callback<ReadonlyArray<string>, HostNotFound>((resume) =>
    ask((error, addresses) =>
      resume(
        error === null ? Effect.succeed(addresses) : Effect.fail(new HostNotFound({ code: error.code ?? error.name }))
      )
    )
  )
