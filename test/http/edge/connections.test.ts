/** Connections are bounded: above the number a new one closes an idle one. */
import { connect, type Socket } from "node:net"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { answered, eventually } from "../../kit/Process.ts"
import { head } from "../../kit/callers/Raw.ts"
import { start } from "../../kit/Service.ts"

/** Whether the connection is answered; it stays open then. */
const isAnswered = (socket: Socket) =>
  Effect.callback<boolean>((resume) => {
    socket.once("data", () => resume(Effect.succeed(true)))
    socket.on("error", () => resume(Effect.succeed(false)))
    socket.once("close", () => resume(Effect.succeed(false)))
    socket.write(head("GET /healthz"))
  })

it.live("a connection above the number of them is answered, and the one that has been idle for longest is closed", () =>
  Effect.gen(function* () {
    const ceiling = 8
    const { api, baseUrl } = yield* start({ env: { CLIENT_CONNECTIONS: String(ceiling) } })
    const opened: Array<Socket> = []
    yield* Effect.addFinalizer(() => Effect.sync(() => opened.forEach((socket) => socket.destroy())))
    const open = Effect.suspend(() => {
      const socket = connect(Number(new URL(baseUrl).port), "127.0.0.1")
      opened.push(socket)
      return isAnswered(socket)
    })
    for (let count = 0; count < 3 * ceiling; count++) assert.isTrue(yield* open, `${count}`)
    yield* eventually(
      "the end of the first ones",
      Effect.sync(() => opened.slice(0, 2 * ceiling).every(({ destroyed }) => destroyed))
    )
    assert.isTrue(yield* isAnswered(opened.at(-1)!), "one that stayed")
    const dropped = Effect.map(answered(api.get("/metrics")), (reply) =>
      Number(/^coffer_http_connections_dropped_total\S* (\d+)/m.exec(reply?.text ?? "")?.[1] ?? 0)
    )
    yield* eventually(
      "the count of those that were closed",
      Effect.map(dropped, (count) => count >= 2 * ceiling)
    )
  })
)
