/** A client of one service: sends at a rate, whether or not the answers come. */
import { Agent, request } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"

export interface Answer {
  readonly status: number
  readonly millis: number
  readonly text: string
}

export type Ask = (way: string, headers: Record<string, string>, body?: object) => Promise<Answer>

/** With connections of its own. */
export const clientOf = (port: number): Ask => {
  const agent = new Agent({ keepAlive: true, maxSockets: 50 })
  return (path, headers, body) =>
    new Promise((resolve, reject) => {
      const began = performance.now()
      const json = body === undefined ? {} : { "content-type": "application/json" }
      const method = body === undefined ? "GET" : "POST"
      const sent = request(
        { host: "127.0.0.1", port, path, method, headers: { ...headers, ...json }, agent },
        (response) => {
          let text = ""
          response.setEncoding("utf8").on("data", (part: string) => (text += part))
          response.on("end", () =>
            resolve({ status: response.statusCode ?? 0, millis: performance.now() - began, text })
          )
        }
      )
      sent.once("error", reject).end(body === undefined ? undefined : JSON.stringify(body))
    })
}

/** Waits for all answers. */
export const sendAt = async (rate: number, seconds: number, send: (n: number) => Promise<Answer>) => {
  const began = performance.now()
  const answers: Array<Promise<Answer>> = []
  for (let n = 0; n < rate * seconds; n++) {
    const wait = began + (n * 1_000) / rate - performance.now()
    if (wait > 1) await sleep(wait)
    answers.push(send(n))
  }
  return Promise.all(answers)
}
