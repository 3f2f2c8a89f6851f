/** The settings of a process that is one of several runners: where it is reached, and how it knows the others. */
import type { CertificateFiles } from "@coffer/cluster/RunnerTls"
import { Config, Effect, Option } from "effect"
import { BadSetting } from "./BadSetting.ts"
import { isLoopback } from "./loopback.ts"

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

/** Undefined for a process that is alone. */
export const runnerPlace = Effect.fnUntraced(function* (read: Read) {
  const auth = yield* runnerAuth(read)
  if (Option.isNone(read.runnerHost) && Option.isNone(read.runnerPort)) return undefined
  if (Option.isNone(read.runnerHost) || Option.isNone(read.runnerPort)) {
    return yield* new BadSetting({
      message: "RUNNER_HOST and RUNNER_PORT go together: set both to join a cluster, or neither."
    })
  }
  const host = read.runnerHost.value
  const listenHost = Option.getOrElse(read.runnerListenHost, () => host)
  if (auth === "none" && !(isLoopback(host) && isLoopback(listenHost))) {
    return yield* new BadSetting({
      message:
        "RUNNER_AUTH=none needs RUNNER_HOST and RUNNER_LISTEN_HOST on this machine (127.0.0.1, ::1 or localhost): " +
        "whoever reaches the runner port could move money. Leave RUNNER_AUTH out."
    })
  }
  const place: RunnerPlace = { host, port: read.runnerPort.value, listenHost, auth }
  return place
})

const runnerAuth = Effect.fnUntraced(function* ({ runnerAuth, runnerCa, runnerCert, runnerKey }: Read) {
  const chosen = Option.getOrElse(runnerAuth, () => "secret_key")
  if (chosen !== "secret_key" && chosen !== "none") {
    return yield* new BadSetting({ message: "RUNNER_AUTH is secret_key, which is the default, or none." })
  }
  const files = Option.all({ cert: runnerCert, key: runnerKey, ca: runnerCa })
  if (Option.isNone(files)) {
    if ([runnerCert, runnerKey, runnerCa].every(Option.isNone)) return chosen
    return yield* new BadSetting({
      message:
        "RUNNER_TLS_CERT_FILE, RUNNER_TLS_KEY_FILE and RUNNER_TLS_CA_FILE go together: set all three, or none of them."
    })
  }
  if (Option.isSome(runnerAuth)) {
    return yield* new BadSetting({ message: "Set RUNNER_AUTH or the RUNNER_TLS_* files, not both." })
  }
  return files.value
})
