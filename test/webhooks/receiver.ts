/**
 * Merchants' servers for the tests of outgoing posts: real ones on loopback, closed with the test, and a resolver that
 * answers as scripted. The tests wait for no time: a server reports each event.
 */
import { generateKeyPairSync, sign } from "node:crypto"
import { createSocket } from "node:dgram"
import http from "node:http"
import net, { type AddressInfo } from "node:net"
import { Context, Effect, Layer, Queue } from "effect"
import ipaddr from "ipaddr.js"
import {
  HostNotFound,
  Outbound,
  type OutboundRequest,
  type Outcome,
  type Ways,
  layerWith
} from "../../src/webhooks/deliveries/Outbound.ts"

/** A stub resolver: each question is answered by the next of `answers`, the last one for ever; questions are kept. */
export const stub = (...answers: ReadonlyArray<ReadonlyArray<string>>) => {
  const asked: Array<string> = []
  const resolve = (hostname: string) =>
    Effect.suspend(() => {
      const answer = answers[Math.min(asked.push(hostname), answers.length) - 1]
      return answer === undefined ? Effect.fail(new HostNotFound({ code: "ENOTFOUND" })) : Effect.succeed(answer)
    })
  return { asked, resolve }
}

export const post = (request: Partial<OutboundRequest> & { readonly url: string }, resolver = stub()) =>
  Effect.gen(function* () {
    const outbound = yield* Outbound
    return yield* outbound.post({ headers: {}, body: "{}", privateAllowed: true, ...request })
  }).pipe(Effect.provide(layerWith(resolver)))

/** Posts that share the kept connections. */
export const posting = (ways: Ways) =>
  Effect.map(Layer.build(layerWith(ways)), (context) => {
    const outbound = Context.get(context, Outbound)
    return (request: Partial<OutboundRequest> & { readonly url: string }) =>
      outbound.post({ headers: {}, body: "{}", privateAllowed: true, ...request })
  })

interface Running {
  readonly port: number
  /** All connections that were opened to it. */
  readonly connections: () => number
  /** Ends when the next connection closes. */
  readonly closed: Effect.Effect<void>
}

export const run = (server: net.Server, host = "127.0.0.1", port = 0) =>
  Effect.gen(function* () {
    const sockets = new Set<net.Socket>()
    const closed = yield* Queue.unbounded<void>()
    let connections = 0
    server.on("connection", (socket: net.Socket) => {
      connections += 1
      sockets.add(socket)
      socket.on("error", () => undefined)
      socket.on("close", () => Queue.offerUnsafe(closed, undefined))
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => {
        server.listen(port, host, () => resume(Effect.void))
      }),
      () =>
        Effect.callback<void>((resume) => {
          for (const socket of sockets) socket.destroy()
          server.close(() => resume(Effect.void))
        })
    )
    const running: Running = {
      port: (server.address() as AddressInfo).port,
      connections: () => connections,
      closed: Queue.take(closed)
    }
    return running
  })

/** It closes no connection itself: a test that waits for the end waits for the poster. */
export const answering = (listener: http.RequestListener, host?: string, port?: number) =>
  run(http.createServer({ keepAliveTimeout: 0 }, listener), host, port)

/** Why a post was not delivered; undefined when it was answered. */
export const reasonOf = (outcome: Outcome) => ("reason" in outcome ? outcome.reason : undefined)

/** A name server on loopback that knows the addresses of `names`; returns its own address, `127.0.0.1:<port>`. */
export const nameServer = (names: Readonly<Record<string, ReadonlyArray<string>>>) =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createSocket>>((resume) => {
      const socket = createSocket("udp4")
      socket.on("message", (query, { address, port }) => socket.send(answerTo(query, names), port, address))
      socket.bind(0, "127.0.0.1", () => resume(Effect.succeed(socket)))
    }),
    (socket) => Effect.callback<void>((resume) => void socket.close(() => resume(Effect.void)))
  ).pipe(Effect.map((socket) => `127.0.0.1:${socket.address().port}`))

/** RFC 1035: the question again, then one record for each address of the requested kind. */
const answerTo = (query: Buffer, names: Readonly<Record<string, ReadonlyArray<string>>>): Buffer => {
  const labels: Array<string> = []
  let at = 12
  for (; query[at] !== 0; at += 1 + query[at]!) labels.push(query.toString("latin1", at + 1, at + 1 + query[at]!))
  const question = query.subarray(12, at + 5)
  const kind = query.subarray(at + 1, at + 3)
  const known = names[labels.join(".").toLowerCase()]
  const records = (known ?? [])
    .map((address) => ipaddr.parse(address).toByteArray())
    .filter((bytes) => bytes.length === (kind.readUInt16BE() === 28 ? 16 : 4))
    .map((bytes) => Buffer.from([0xc0, 12, ...kind, 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes]))
  const header = Buffer.from([0x81, known === undefined ? 0x83 : 0x80, 0, 1, 0, records.length, 0, 0, 0, 0])
  return Buffer.concat([query.subarray(0, 2), header, question, ...records])
}

/**
 * A self-signed certificate for one name, made here and now: no openssl on a fresh machine, no private key in the
 * repository, nothing that expires. Just enough DER for an X.509 v3 certificate (RFC 5280).
 */
export const selfSigned = (name: string): { readonly cert: string; readonly key: string } => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const subject = sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from(name)))))
  const altName = sequence(der(0x82, Buffer.from(name)))
  const certificate = sequence(
    der(0xa0, integer(2)),
    integer(1),
    ecdsaWithSha256,
    subject,
    sequence(der(0x18, Buffer.from("20000101000000Z")), der(0x18, Buffer.from("99991231235959Z"))),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(sequence(subjectAltName, der(0x04, altName))))
  )
  const signature = sign("sha256", certificate, privateKey)
  const whole = sequence(certificate, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature))
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${whole.toString("base64")}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString()
  }
}

const der = (tag: number, ...parts: ReadonlyArray<Buffer>): Buffer => {
  const content = Buffer.concat(parts)
  const length = content.length < 128 ? [content.length] : [0x82, content.length >> 8, content.length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}
const sequence = (...parts: ReadonlyArray<Buffer>): Buffer => der(0x30, ...parts)
const integer = (value: number): Buffer => der(0x02, Buffer.from([value]))
const objectId = (hex: string): Buffer => der(0x06, Buffer.from(hex, "hex"))

const commonName = objectId("550403")
const subjectAltName = objectId("551d11")
const ecdsaWithSha256 = sequence(objectId("2a8648ce3d040302"))
