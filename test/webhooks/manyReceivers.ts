/**
 * One server that acts as very many destinations: it listens on every loopback address, and each address answers as
 * scripted.
 */
import http, { type ServerResponse } from "node:http"
import { Deferred, Effect } from "effect"
import { run } from "./receiver.ts"

/** A destination's answer to a post: the status that it answers, or no answer. */
export type Conduct = number | "hangs" | "resets"

/** Posts of one event. */
export interface Posts {
  readonly host: string
  /** How each was answered, in the order in which they came. */
  readonly answers: Array<Conduct>
}

/** `conduct` is the answer to the next post; `nth` counts the posts of this event from 0. */
export const manyReceivers = (conduct: (host: string, nth: number) => Conduct) =>
  Effect.gen(function* () {
    const events = new Map<string, Posts>()
    const held: Array<ServerResponse> = []
    const waits: Array<{ readonly count: number; readonly come: Deferred.Deferred<void> }> = []
    let released: number | undefined
    let delivered = 0

    const answer = (response: ServerResponse, status: number) => {
      response.writeHead(status).end()
      if (status >= 300) return
      delivered++
      for (const { come, count } of waits) if (delivered >= count) Deferred.doneUnsafe(come, Effect.void)
    }
    const server = http.createServer((request, response) => {
      request.resume().on("end", () => {
        const event = String(request.headers["x-service-event-id"])
        const posts = events.get(event) ?? { answers: [], host: request.headers.host!.replace(/:\d+$/, "") }
        events.set(event, posts)
        const how = conduct(posts.host, posts.answers.length)
        const now = how === "hangs" && released !== undefined ? released : how
        posts.answers.push(now)
        // On a connection that was kept, a reset is followed by the same post at once (silences: W20).
        if (how !== 200) response.shouldKeepAlive = false
        if (now === "hangs") held.push(response)
        else if (now === "resets") response.destroy()
        else answer(response, now)
      })
    })
    const { port } = yield* run(server, "0.0.0.0")

    return {
      port,
      /** By the event's id. */
      events,
      /** Posts that are not answered yet. */
      held: () => held.length,
      /** Waits for so many successful answers. */
      delivered: (count: number) =>
        Effect.suspend(() => {
          if (delivered >= count) return Effect.void
          const come = Deferred.makeUnsafe<void>()
          waits.push({ count, come })
          return Deferred.await(come)
        }),
      /** A post that hangs is answered so, now and from now on. */
      release: (status: number) => {
        released = status
        for (const response of held.splice(0)) answer(response, status)
      }
    }
  })
