/**
 * `DATABASE_URL` as libpq writes it, with one server or several:
 * `postgres://user:password@one:5432,two:5432/database?target_session_attrs=read-write`. Pure. No message holds the
 * password.
 */
import { Redacted, Result } from "effect"

export interface DatabaseAddress {
  /** In the order in which they are named; one at least. */
  readonly servers: ReadonlyArray<Server>
  readonly database: string
  readonly password: string
  /** `sslmode`; null where none is named. */
  readonly sslmode: string | null
  /** Whether a read-only server is accepted, as for an audit of a standby. */
  readonly anyServer: boolean
}

export interface Server {
  /** A name, an address, or the folder of a Unix socket. */
  readonly host: string
  readonly port: number
  /** The address of this server alone. */
  readonly url: Redacted.Redacted
}

/** Servers that one address may name. Each is asked at every search. */
export const serversMax = 8

const form = /^(postgres(?:ql)?:\/\/)(?:([^/?#]*)@)?([^/?#@]*)(\/[^?#]*)?(?:\?([^#]*))?$/
const authority = /^(\[[^\]]+\]|[^:[\]]*)(?::(\d*))?$/

/** The failure says what is wrong with the setting, as a sentence that follows its name. */
export const readAddress = (url: Redacted.Redacted): Result.Result<DatabaseAddress, string> => {
  const parts = form.exec(Redacted.value(url))
  if (parts === null) return Result.fail(`must look like ${example}.`)
  const [, scheme = "", user, hosts = "", path = "", query = ""] = parts
  const parameters = new URLSearchParams(query)
  const named = parameters.has("host") ? fromParameters(parameters) : fromAuthority(hosts, parameters.get("port"))
  if (Result.isFailure(named)) return Result.fail(named.failure)
  if (named.success.length > serversMax) return Result.fail(`names more than ${serversMax} servers.`)
  const target = targetOf(parameters.get("target_session_attrs"))
  if (Result.isFailure(target)) return Result.fail(target.failure)
  for (const name of ["host", "port", "target_session_attrs"]) parameters.delete(name)

  const urlOf = ({ host, port }: Place) => {
    const own = new URLSearchParams(parameters)
    if (host.startsWith("/")) own.set("host", host)
    const shown = host.startsWith("/") ? "localhost" : host.includes(":") ? `[${host}]` : encodeURIComponent(host)
    const suffix = own.size === 0 ? "" : `?${own}`
    return `${scheme}${user === undefined ? "" : `${user}@`}${shown}:${port}${path}${suffix}`
  }
  const servers = named.success.map((place) => ({ ...place, url: Redacted.make(urlOf(place)) }))
  const first = URL.parse(Redacted.value(servers[0]!.url))
  const database = Result.try(() => decodeURIComponent(path.slice(1)))
  const password = Result.try(() => decodeURIComponent(parameters.get("password") ?? first?.password ?? ""))
  if (first === null || Result.isFailure(database) || Result.isFailure(password)) {
    return Result.fail(`must look like ${example}.`)
  }
  return Result.succeed({
    servers,
    database: parameters.get("dbname") ?? database.success,
    password: password.success,
    sslmode: parameters.get("sslmode"),
    anyServer: target.success === "any"
  })
}

const example = "postgres://user:password@localhost:5432/database; several servers are host:port,host:port"

interface Place {
  readonly host: string
  readonly port: number
}

const fromAuthority = (text: string, otherwise: string | null): Result.Result<ReadonlyArray<Place>, string> =>
  Result.all(
    text.split(",").map((one) => {
      const [, host = "", port = ""] = authority.exec(one) ?? []
      // A text that may be half of a password is not repeated.
      if (authority.exec(one) === null) return Result.fail("names a server that is not host:port.")
      const decoded = Result.try(() => decodeURIComponent(host.replace(/^\[|\]$/g, "")))
      if (Result.isFailure(decoded)) return Result.fail("names a server that is not host:port.")
      if (decoded.success === "" && text.includes(",")) return Result.fail("names a server without a host.")
      return placeOf(decoded.success || "localhost", port || (otherwise ?? ""))
    })
  )

/** `?host=one,two&port=5432,5433`, with one port for each host or one for all. */
const fromParameters = (parameters: URLSearchParams): Result.Result<ReadonlyArray<Place>, string> => {
  const hosts = parameters.get("host")!.split(",")
  const ports = (parameters.get("port") ?? "").split(",")
  if (ports.length !== 1 && ports.length !== hosts.length) {
    return Result.fail(`names ${hosts.length} hosts and ${ports.length} ports: name one port for each host, or one.`)
  }
  if (hosts.includes("")) return Result.fail("names a server without a host.")
  return Result.all(hosts.map((host, index) => placeOf(host, ports[ports.length === 1 ? 0 : index]!)))
}

const placeOf = (host: string, port: string): Result.Result<Place, string> => {
  const number = port === "" ? 5432 : Number(port)
  return Number.isInteger(number) && number >= 1 && number <= 65_535
    ? Result.succeed({ host, port: number })
    : Result.fail("names a port that is not between 1 and 65535.")
}

/** An unsupported target is refused, so that no operator relies on it. */
const targetOf = (value: string | null): Result.Result<"read-write" | "any", string> => {
  switch (value) {
    case null:
    case "read-write":
    case "primary":
      return Result.succeed("read-write")
    case "any":
      return Result.succeed("any")
    case "read-only":
    case "standby":
    case "prefer-standby":
      return Result.fail(
        `has target_session_attrs=${value}, and Coffer needs a server that takes writes: use read-write.`
      )
    default:
      return Result.fail("has an unknown target_session_attrs: use read-write, primary or any.")
  }
}

/** For people. */
export const serverName = ({ host, port }: Place): string => `${host.includes(":") ? `[${host}]` : host}:${port}`

export const serverNames = ({ servers }: DatabaseAddress): string => servers.map(serverName).join(", ")
