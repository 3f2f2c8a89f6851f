/**
 * How runners prove to each other that they are runners: TLS with a key that both derive from a secret, or with
 * certificates. TLS encrypts and authenticates every record, and nothing recorded can be sent
 * again. There is no cryptography of our own here but the derivation of the key.
 */
import { constants, hkdfSync, X509Certificate } from "node:crypto"
import { readFileSync } from "node:fs"
import {
  type ConnectionOptions,
  createSecureContext,
  type SecureContextOptions,
  type TLSSocket,
  type TlsOptions
} from "node:tls"
import { Effect, Predicate, Redacted, Schema } from "effect"
import { addressOf, type Application, type Place } from "./ThisRunner.ts"

/** Names of PEM files. */
export interface CertificateFiles {
  readonly cert: string
  readonly key: string
  /** The authorities that sign certificates of runners, and of no other program. */
  readonly ca: string
}

/** A file that is missing, or holds something else than it should. */
export class BadCertificates extends Schema.TaggedError<BadCertificates>()("BadCertificates", {
  message: Schema.String
}) {}

export interface RunnerTls {
  /** For the runner port of this process. */
  readonly listening: TlsOptions
  /** For a connection to another runner. */
  readonly dialling: (to: Place) => ConnectionOptions
  /** For a connection with direct calls, if the other runner accepts them. */
  readonly diallingForCalls: (to: Place) => ConnectionOptions
  /** Why the peer of a connection to the runner port is not a runner; undefined if it is one. */
  readonly objection: (peer: TLSSocket) => string | undefined
  /** Reloads the certificates, if any, for new connections. */
  readonly renewed?: Effect.Effect<SecureContextOptions, BadCertificates>
}

/** How the shapes of messages are offered in a handshake (TLS ALPN). */
export const protocolsOf = ({ application, messages }: Application): Array<string> =>
  messages.map((shape) => `${application}-messages/${shape}`)

/** How direct calls are offered, with the same shapes. */
const callsProtocolsOf = ({ application, messages }: Application): Array<string> =>
  messages.map((shape) => `${application}-calls/${shape}`)

/** Both ends say which messages they understand, and a handshake of two that have none in common fails. */
const understoodBy = (application: Application) => ({ ALPNProtocols: protocolsOf(application) })

/**
 * The port chooses what is first in its own list. A port of an older version, without direct calls, chooses messages.
 */
const understoodWithCalls = (application: Application) => ({
  ALPNProtocols: [...callsProtocolsOf(application), ...protocolsOf(application)]
})

/** Whether both ends want direct calls on this connection. */
export const isForCalls = ({ alpnProtocol }: TLSSocket): boolean =>
  typeof alpnProtocol === "string" && alpnProtocol.includes("-calls/")

/**
 * A peer that offers no messages at all passes the handshake, but understands none of ours. It has an older version, or
 * is not a runner.
 */
export const withoutProtocol = ({ alpnProtocol }: TLSSocket) =>
  typeof alpnProtocol === "string" ? undefined : "NO_APPLICATION_PROTOCOL"

/**
 * The only suite that has a pre-shared key, a new key pair for each connection (so that a recording stays secret even
 * when the secret is known later) and an authenticated cipher. TLS 1.2, because there the server says which keys it
 * knows before the client chooses, so that runners with an old and a new key meet at once.
 */
const sharedKeyOnly = {
  minVersion: "TLSv1.2",
  maxVersion: "TLSv1.2",
  ciphers: "ECDHE-PSK-CHACHA20-POLY1305",
  ecdhCurve: "X25519",
  secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION
} as const

/**
 * `secrets`: 32 random bytes each, as base64. There may be several while a secret is replaced; the one to prefer is the
 * first.
 */
export const ofSecrets = (
  application: Application,
  own: Place,
  secrets: ReadonlyArray<Redacted.Redacted>
): RunnerTls => {
  const [understood, withCalls] = [understoodBy(application), understoodWithCalls(application)]
  const keyFor = keyOf(application)
  const ownKeys = secrets.map((secret) => keyFor(secret, own))
  const dialling = (to: Place): ConnectionOptions => {
    const keys = secrets.map((secret) => keyFor(secret, to))
    return {
      ...sharedKeyOnly,
      ...understood,
      pskCallback: (hint) => {
        const known = (hint ?? "").split(" ")
        return keys.find(({ identity }) => known.includes(identity)) ?? keys[0]!
      },
      // There is no certificate: a program that has the key is a runner.
      checkServerIdentity: () => undefined
    }
  }
  return {
    listening: {
      ...sharedKeyOnly,
      ...withCalls,
      pskIdentityHint: ownKeys.map(({ identity }) => identity).join(" "),
      // Without an answer the handshake fails.
      pskCallback: (_, offered) => ownKeys.find(({ identity }) => identity === offered)?.psk ?? null
    },
    dialling,
    diallingForCalls: (to) => ({ ...dialling(to), ...withCalls }),
    objection: withoutProtocol
  }
}

/**
 * A runner's key is for its address. So a connection that is led to another runner, or back to the one that it came
 * from, fails.
 */
const keyOf =
  ({ application }: Application) =>
  (secret: Redacted.Redacted, to: Place) => {
    const bytes = Buffer.from(Redacted.value(secret), "base64")
    const derive = (purpose: string, length: number) =>
      Buffer.from(hkdfSync("sha256", bytes, "", `${application}/${purpose} ${addressOf(to)}`, length))
    return { identity: derive("runner-identity", 16).toString("hex"), psk: derive("runner", 32) }
  }

/** Reads the files once, so that a bad one stops the start. `names`: what messages about a bad file call them. */
export const ofCertificates = Effect.fnUntraced(function* (
  application: Application,
  files: CertificateFiles,
  names: CertificateFiles = { cert: "cert", key: "key", ca: "ca" }
) {
  const [understood, withCalls] = [understoodBy(application), understoodWithCalls(application)]
  const current = readCertificates(files, names)
  let known = yield* current
  const tls: RunnerTls = {
    listening: { ...known, ...withCalls, minVersion: "TLSv1.3", requestCert: true, rejectUnauthorized: false },
    dialling: () => ({ ...known, ...understood, minVersion: "TLSv1.3" }),
    diallingForCalls: () => ({ ...known, ...withCalls, minVersion: "TLSv1.3" }),
    // Node would close the connection by itself, and say neither why nor whose it was.
    objection: (peer) => (peer.authorized ? withoutProtocol(peer) : String(peer.authorizationError)),
    renewed: Effect.tap(current, (read) => Effect.sync(() => void (known = read)))
  }
  return tls
})

const readCertificates = Effect.fnUntraced(function* ({ ca, cert, key }: CertificateFiles, names: CertificateFiles) {
  const read = {
    cert: yield* readPem(names.cert, cert),
    key: yield* readPem(names.key, key),
    ca: yield* readPem(names.ca, ca)
  }
  yield* Effect.try({
    try: () => {
      createSecureContext(read)
      return new X509Certificate(read.ca)
    },
    catch: () =>
      new BadCertificates({
        message:
          `${names.cert}, ${names.key} and ${names.ca} must be PEM files: ` +
          "a certificate, its own key, and the certificates of the authorities that sign runners."
      })
  })
  return read
})

const readPem = (name: string, path: string) =>
  Effect.try({
    try: () => readFileSync(path, "utf8"),
    catch: (cause) =>
      new BadCertificates({
        message: `${name} names ${path}, which cannot be read: ${Predicate.isError(cause) ? cause.message : ""}`
      })
  })
