/** Addresses in the settings: of this runner and of proxies. Each unusable setting has a message for people. */
import type { CertificateFiles } from "@coffer/cluster/RunnerTls"
import { Config, Effect, Option, Redacted, Result, Schema } from "effect"

/** A setting that the service cannot start with. The message names it and says what it should look like. */
export class BadSetting extends Schema.TaggedError<BadSetting>()("BadSetting", { message: Schema.String }) {}

// Hosts and ports --------------------------------------------------------------

/** Whether a host is this machine itself, judged by its text. */
export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host)

/** How this machine reaches a port that listens there, as a URL has it. */
export const reachable = (host: string): string => {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1"
  return host.includes(":") ? `[${host.replace(/^\[|\]$/g, "")}]` : host
}

/**
 * Ports that browsers and `fetch` refuse to call, since they belong to other protocols:
 * https://fetch.spec.whatwg.org/#port-blocking
 */
export const refusedPorts: ReadonlySet<number> = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1_719, 1_720, 1_723, 2_049, 3_659, 4_045, 4_190, 5_060,
  5_061, 6_000, 6_566, 6_665, 6_666, 6_667, 6_668, 6_669, 6_679, 6_697, 10_080
])

// This runner ------------------------------------------------------------------

export interface RunnerPlace {
  /** Where the other runners reach this one. */
  readonly host: string
  readonly port: number
  readonly listenHost: string
  readonly auth: RunnerAuth
}

/** How runners know each other: by a key derived from `SECRET_KEY`, by certificates, or not at all. */
export type RunnerAuth = "secret_key" | "none" | CertificateFiles

const file = (name: string) => Config.option(Config.NonEmptyString(name))

export const variables = {
  runnerHost: Config.option(Config.NonEmptyString("RUNNER_HOST")),
  runnerPort: Config.option(Config.Port("RUNNER_PORT")),
  runnerListenHost: Config.option(Config.NonEmptyString("RUNNER_LISTEN_HOST")),
  runnerAuth: Config.option(Config.NonEmptyString("RUNNER_AUTH")),
  runnerCert: file("RUNNER_TLS_CERT_FILE"),
  runnerKey: file("RUNNER_TLS_KEY_FILE"),
  runnerCa: file("RUNNER_TLS_CA_FILE")
}

type Read = { readonly [Name in keyof typeof variables]: Config.Success<(typeof variables)[Name]> }

/** Undefined for a process without other runners. */
export const runnerPlace = Effect.fnUntraced(function* (read: Read) {
  const auth = yield* runnerAuth(read)
  if (Option.isNone(read.runnerHost) && Option.isNone(read.runnerPort)) return undefined
  if (Option.isNone(read.runnerHost) || Option.isNone(read.runnerPort)) {
    return yield* new BadSetting({
      message: "RUNNER_HOST and RUNNER_PORT must be set together to join a cluster: both or neither."
    })
  }
  const host = read.runnerHost.value
  const listenHost = Option.getOrElse(read.runnerListenHost, () => host)
  if (auth === "none" && !(isLoopback(host) && isLoopback(listenHost))) {
    return yield* new BadSetting({
      message:
        "RUNNER_AUTH=none needs RUNNER_HOST and RUNNER_LISTEN_HOST on this machine (127.0.0.1, ::1 or localhost): " +
        "anyone who reaches the runner port could move money. Unset RUNNER_AUTH."
    })
  }
  const place: RunnerPlace = { host, port: read.runnerPort.value, listenHost, auth }
  return place
})

const runnerAuth = Effect.fnUntraced(function* ({ runnerAuth, runnerCa, runnerCert, runnerKey }: Read) {
  const chosen = Option.getOrElse(runnerAuth, () => "secret_key")
  if (chosen !== "secret_key" && chosen !== "none") {
    return yield* new BadSetting({ message: "RUNNER_AUTH must be secret_key (the default) or none." })
  }
  const files = Option.all({ cert: runnerCert, key: runnerKey, ca: runnerCa })
  if (Option.isNone(files)) {
    if ([runnerCert, runnerKey, runnerCa].every(Option.isNone)) return chosen
    return yield* new BadSetting({
      message:
        "RUNNER_TLS_CERT_FILE, RUNNER_TLS_KEY_FILE and RUNNER_TLS_CA_FILE must be set together: all three or none."
    })
  }
  if (Option.isSome(runnerAuth)) {
    return yield* new BadSetting({ message: "Set RUNNER_AUTH or the RUNNER_TLS_* files, not both." })
  }
  return files.value
})

// Proxies --------------------------------------------------------------------------

/** The way of calls to others: `http://user:pass@host:port`. */
export const proxyAddress = Effect.fnUntraced(function* (name: string, read: Option.Option<Redacted.Redacted>) {
  if (Option.isNone(read)) return undefined
  const url = URL.parse(Redacted.value(read.value))
  const rest = url === null ? "" : `${url.pathname}${url.search}${url.hash}`
  // The bad value is not shown: it may hold the password.
  if (url?.protocol !== "http:" || rest !== "/" || !isDecodable(url.username) || !isDecodable(url.password)) {
    return yield* new BadSetting({
      message: `${name} must look like http://user:password@proxy.example:3128; user and password are optional.`
    })
  }
  return read.value
})

const isDecodable = (text: string) => Result.isSuccess(Result.try(() => decodeURIComponent(text)))
