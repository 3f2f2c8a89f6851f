/** A world's runners: the service's own wiring, each in a slot; they are killed, stopped and restarted. */
import { createHash } from "node:crypto"
import http from "node:http"
import { Effect, Exit, Layer, Logger, Scope } from "effect"
import { ProcessName } from "../../../../src/platform/postgres/processName.ts"
import * as Service from "../../../testkit/src/Service.ts"
import { serviceRole } from "../../../testkit/src/migratedHome.ts"
import { callers } from "../owners.ts"
import type { World } from "../World.ts"

export const operatorToken = "an-operator-token-of-the-simulation-0123456789"
const env = {
  SECRET_KEY: createHash("sha256").update("the key of a world").digest("base64"),
  OPERATOR_TOKEN: operatorToken,
  // Answers name it, and are the same from each runner.
  PUBLIC_URL: "http://coffer.test"
}

export interface Reply {
  /** 0 if no answer came. */
  readonly status: number
  readonly text: string
  readonly headers: http.IncomingHttpHeaders
}

const startsMax = 60
/** A stop in good order takes at most so long. */
const stopMillis = 60_000
/** A caller gives up after so long, and asks another runner. */
const callerMillis = 20_000
const portOf = (place: number) => 8_080 + place

export class Runners {
  private readonly lives = new Map<number, Scope.Closeable>()
  private readonly world: World
  readonly postgresPort: number
  private readonly folder: string
  private readonly pollMillis: number
  /** The number of concurrent runners. */
  readonly places: number
  private count = 0

  constructor(
    world: World,
    options: {
      readonly places: number
      readonly pollMillis: number
      readonly postgresPort: number
      readonly folder: string
    }
  ) {
    this.world = world
    this.places = options.places
    this.postgresPort = options.postgresPort
    this.folder = options.folder
    this.pollMillis = options.pollMillis
  }

  placeOf(runner: number) {
    return 1 + ((runner - 1) % this.places)
  }

  /** Starts one in the next slot, in its own step. */
  async start() {
    const { world } = this
    const runner = ++this.count
    const place = this.placeOf(runner)
    const life = Scope.makeUnsafe()
    this.lives.set(runner, life)
    const own = this.places === 1 ? {} : { RUNNER_HOST: "127.0.0.1", RUNNER_PORT: String(9_000 + place) }
    world.who = runner
    const started = Effect.runPromise(
      Service.run({
        database: `postgres://${serviceRole}@127.0.0.1:${this.postgresPort}/world`,
        port: portOf(place),
        folder: this.folder,
        env: { ...env, WORKER_POLL: `${this.pollMillis} millis`, ...own },
        logger: marking(world),
        beneath: Layer.succeed(ProcessName, `coffer ${runner}@simulated`)
      }).pipe(Scope.provide(life))
    )
    world.who = callers
    await started
    world.note(`runner ${runner} is built`)
  }

  /** Restarts a runner when it has ended or could not start, like a supervisor. */
  async replace(runner: number) {
    const { world } = this
    for (let tries = 1; ; tries++) {
      const again = this.count + this.places - ((this.count - runner) % this.places)
      this.count = again - 1
      world.note(`runner ${again} starts in the place of ${runner}`)
      try {
        return await this.start()
      } catch (error) {
        if (tries === startsMax) throw error
        world.note(`runner ${again} did not start: ${String(error)}`)
        world.mark("a start failed")
        await Effect.runPromise(Scope.close(this.lives.get(again)!, Exit.void))
        this.lives.delete(again)
        await world.sleep(1_000)
      }
    }
  }

  /** An orderly stop, as on SIGTERM. */
  async stop(runner: number) {
    const { world } = this
    world.note(`runner ${runner} stops`)
    world.who = runner
    const life = this.lives.get(runner)
    if (life === undefined) return
    const stopped = Effect.runPromise(Scope.close(life, Exit.void))
    world.who = callers
    await stopped
    this.lives.delete(runner)
    world.mark("a runner stopped in good order")
    world.note(`runner ${runner} has stopped`)
  }

  async untilReady(place: number) {
    for (;;) {
      const { status } = await this.call(place, "GET", "/readyz", {})
      if (status === 200) return
      await this.world.sleep(100)
    }
  }

  /** All that are there stop in good order, which they do only if none of their fibers is stuck. */
  async stopAll(): Promise<ReadonlyArray<string>> {
    const { world } = this
    const stuck: Array<string> = []
    for (const runner of this.lives.keys()) {
      if (world.dead.has(runner)) continue
      const late = world.sleep(stopMillis).then(() => "late")
      const ended = await Promise.race([this.stop(runner), late])
      if (ended === "late") stuck.push(`runner ${runner} has not stopped in ${stopMillis} ms: a fiber is stuck`)
    }
    return stuck
  }

  /** A text is a form. */
  call(
    place: number,
    method: string,
    path: string,
    headers: http.OutgoingHttpHeaders,
    body?: object | string
  ): Promise<Reply> {
    const isForm = typeof body === "string"
    const bytes = body === undefined ? undefined : Buffer.from(isForm ? body : JSON.stringify(body))
    const type = isForm ? "application/x-www-form-urlencoded" : "application/json"
    const sized = bytes === undefined ? {} : { "content-type": type, "content-length": bytes.length }
    return new Promise((answer) => {
      const resolve = (reply: Reply) => {
        patience.isLive = false
        answer(reply)
      }
      const lost = (error: Error) => resolve({ status: 0, text: String(error), headers: {} })
      const patience = this.world.after(callerMillis, () => {
        this.world.mark("a caller gave up")
        request.destroy(new Error("no answer in time"))
      })
      const request = http.request(
        { host: "127.0.0.1", port: portOf(place), method, path, agent: false, headers: { ...headers, ...sized } },
        (response) => {
          const parts: Array<Buffer> = []
          response.on("data", (part: Buffer) => parts.push(part))
          response.on("error", lost)
          response.on("end", () => {
            const text = Buffer.concat(parts).toString("utf8")
            resolve({ status: response.statusCode!, text, headers: response.headers })
          })
        }
      )
      request.on("error", lost)
      request.end(bytes)
    })
  }
}

/** A log line of level warning or above counts as a reached state. */
const marking = (world: World) =>
  Logger.layer([
    Logger.make(({ logLevel, message }) => {
      if (world.isStopped || !["Warn", "Error", "Fatal"].includes(logLevel)) return
      const [first] = Array.isArray(message) ? message : [message]
      const text = String(first).replaceAll(/\d+/g, "n").slice(0, 100)
      world.note(`log: ${text}`)
      world.mark(`logged: ${text}`)
    })
  ])
