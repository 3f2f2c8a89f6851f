/** The expiry of PUBLIC_URL's certificate, read where buyers read it, wherever TLS ends. */
import { isIP } from "node:net"
import { connect } from "node:tls"
import { DateTime, Effect, Metric, Schema } from "effect"
import { currentTime } from "../../platform/runtime/clock.ts"
import type { Settings } from "../../platform/runtime/Settings.ts"

const expires = Metric.gauge("coffer_public_certificate_expires_seconds", {
  description: "Time until the certificate of PUBLIC_URL expires; +Inf without one"
})

/** A connection and its handshake may take so long. */
const lookMillisMax = 10_000
/** Metric reads between two handshakes, one a minute. */
const looksPerHandshake = 60
/** A certificate is forgotten after this many failed handshakes in a row: it may have been renewed meanwhile. */
const failedMax = 24

class NotSeen extends Schema.TaggedError<NotSeen>()("NotSeen", {}) {}

/** Its expiry, in milliseconds since 1970. The certificate need not be valid. */
export const certificateEnd = (publicUrl: string) =>
  Effect.callback<number, NotSeen>((resume) => {
    const { hostname, port } = new URL(publicUrl)
    const host = hostname.replace(/^\[(.*)\]$/, "$1")
    const socket = connect({
      host,
      port: port === "" ? 443 : Number(port),
      timeout: lookMillisMax,
      rejectUnauthorized: false,
      ...(isIP(host) === 0 ? { servername: host } : {})
    })
    const fail = () => {
      socket.destroy()
      resume(new NotSeen())
    }
    socket.once("error", fail).once("timeout", fail).once("close", fail)
    socket.once("secureConnect", () => {
      const end = Date.parse(socket.getPeerCertificate().valid_to)
      socket.destroy()
      resume(Number.isNaN(end) ? new NotSeen() : Effect.succeed(end))
    })
    return Effect.sync(() => socket.destroy())
  })

/** One read of the metric. No value if the address cannot be reached, or with NO_OUTBOUND. */
export const makeLook = ({ noOutbound, publicUrl }: Pick<Settings["Service"], "noOutbound" | "publicUrl">) => {
  let looks = 0
  let failed = 0
  let end = Infinity
  const handshake = certificateEnd(publicUrl).pipe(
    Effect.match({
      onFailure: () => {
        if (++failed >= failedMax) end = Infinity
      },
      onSuccess: (observed) => {
        failed = 0
        end = observed
      }
    })
  )
  const isSeen = !noOutbound && publicUrl.startsWith("https:")
  const isDue = () => isSeen && looks++ % looksPerHandshake === 0
  return Effect.gen(function* () {
    if (isDue()) yield* handshake
    yield* Metric.update(expires, (end - DateTime.toEpochMillis(yield* currentTime)) / 1_000)
  })
}
