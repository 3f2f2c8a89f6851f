/** A merchant's https server for the tests of outgoing posts, with a certificate that no authority vouches for. */
import type http from "node:http"
import https from "node:https"
import tls from "node:tls"
import { Effect } from "effect"
import { run, selfSigned } from "./receiver.ts"

/** `names`: what clients have asked it for; `resumed`: whether each resumed an earlier session. */
export const secure = Effect.fnUntraced(function* (listener: http.RequestListener, host?: string) {
  const { cert, key } = selfSigned("merchant.example")
  const names: Array<string | false | null | undefined> = []
  const resumed: Array<boolean> = []
  const server = https.createServer({ cert, key }, listener)
  server.on("secureConnection", (socket: tls.TLSSocket) => {
    names.push(socket.servername)
    resumed.push(socket.isSessionReused())
  })
  server.on("tlsClientError", () => undefined)
  return { cert, names, resumed, ...(yield* run(server, host)) }
})

/** This process trusts the certificate during the test. */
export const trusting = (certificate: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = tls.getCACertificates("default")
      tls.setDefaultCACertificates([...before, certificate])
      return before
    }),
    (before) => Effect.sync(() => tls.setDefaultCACertificates(before))
  )
