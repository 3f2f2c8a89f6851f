/** The receiver of the merchant's webhooks. In some worlds it refuses what comes for the first time. */
import http from "node:http"
import type { Dice } from "../dice.ts"
import type { Weather } from "../Weather.ts"
import { callers } from "../owners.ts"
import type { World } from "../World.ts"
import type { WorldSocket } from "../WorldSocket.ts"

const port = 7_001
const habits = ["takes", "takes", "takes", "takes", "takes", "refuses", "hangs up", "is silent"] as const

/** None of them is an acknowledgement. */
const refusals = [301, 400, 404, 429, 500, 503]

export class Receiver {
  readonly url = `http://127.0.0.1:${port}/hook`
  /** How often each event has come, by its id. */
  private readonly events = new Map<string, number>()
  /** Those that it has answered well. */
  readonly taken = new Set<string>()
  /** Called with the runner that an event comes from, before it is answered. */
  whenPosted: (sender: number) => void = () => {}
  private readonly habit: (typeof habits)[number]
  private readonly world: World
  readonly weather: Weather
  private readonly dice: Dice

  constructor(world: World, weather: Weather, dice: Dice) {
    this.world = world
    this.weather = weather
    this.dice = dice
    this.habit = dice.pick(habits)
  }

  /** `isAwaited`: whether the caller still waits for the answer that the event is about. */
  listen(isAwaited: (event: string) => boolean) {
    const { world } = this
    world.who = callers
    http
      .createServer((request, response) => {
        const parts: Array<Buffer> = []
        request.on("data", (part: Buffer) => parts.push(part))
        request.on("end", () => {
          const text = Buffer.concat(parts).toString("utf8")
          if (isAwaited(text)) world.mark("an event came before the answer")
          this.whenPosted((request.socket as unknown as WorldSocket).peer.owner)
          this.hear(text, request, response)
        })
      })
      .listen(port)
  }

  private hear(text: string, request: http.IncomingMessage, response: http.ServerResponse) {
    const { world } = this
    const { id } = JSON.parse(text) as { readonly id: string }
    const times = (this.events.get(id) ?? 0) + 1
    this.events.set(id, times)
    world.note(`the receiver gets ${id} (${times})`)
    if (times > 1) world.mark("an event came again")
    const isBad = times === 1 && this.weather.isOn && this.habit !== "takes" && this.dice.chance(0.5)
    if (!isBad) {
      this.taken.add(id)
      return void response.writeHead(200).end("seen")
    }
    world.mark(`a receiver ${this.habit}`)
    if (this.habit === "refuses") response.writeHead(this.dice.pick(refusals)).end("no")
    else if (this.habit === "hangs up") request.socket.destroy()
  }
}
