/** Connections are bounded: one that comes above the number is closed, and those that are there go on. */
import { connect, type Socket } from "node:net"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { answered, eventually } from "../../kit/Process.ts"
import { head } from "../../kit/Raw.ts"
import { start } from "../../kit/Service.ts"

/** Whether the connection is answered; it stays open then. */
const isAnswered = (socket: Socket) =>
  Effect.callback<boolean>((resume) => {
    socket.once("data", () => resume(Effect.succeed(true)))
    socket.on("error", () => resume(Effect.succeed(false)))
    socket.once("close", () => resume(Effect.succeed(false)))
    socket.write(head("GET /healthz"))
  })

it.live("a connection above the number of them is closed without an answer, until another one ends", () =>
  Effect.gen(function* () {
    const ceiling = 8
    const { api, baseUrl } = yield* start({ env: { CLIENT_CONNECTIONS: String(ceiling) } })
    const opened: Array<Socket> = []
    const closeAll = Effect.sync(() => opened.forEach((socket) => socket.destroy()))
    yield* Effect.addFinalizer(() => closeAll)
    const open = Effect.suspend(() => {
      const socket = connect(Number(new URL(baseUrl).port), "127.0.0.1")
      opened.push(socket)
      return isAnswered(socket)
    })
    const answers: Array<boolean> = []
    for (let count = 0; count < 2 * ceiling; count++) answers.push(yield* open)
    // The test's own client holds some as well.
    const room = answers.indexOf(false)
    assert.isAtLeast(room, 1)
    assert.isAtMost(room, ceiling)
    assert.notInclude(answers.slice(room), true)
    assert.isTrue(yield* isAnswered(opened[0]!), "one that was there before")

    opened[0]!.destroy()
    yield* eventually("a place", open)
    yield* closeAll
    const dropped = Effect.map(answered(api.get("/metrics")), (reply) =>
      Number(/^coffer_http_connections_dropped_total\S* (\d+)/m.exec(reply?.text ?? "")?.[1] ?? 0)
    )
    yield* eventually(
      "the count of those that were closed",
      Effect.map(dropped, (count) => count >= 2 * ceiling - room)
    )
  })
)
