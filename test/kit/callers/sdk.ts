/** The SDK as tests drive it: against scripted answers, or against a service, with time in the test's hands. */
import { Coffer, type CofferOptions, type Clock } from "@coffer/sdk"
import type { Running } from "../Service.ts"

export const someKey = "svc_test_a-key-that-nobody-may-see"

export interface TestClock extends Clock {
  /** How long each wait between tries was. */
  readonly slept: Array<number>
  /** How long each try was given. */
  readonly timers: ReadonlyArray<number>
  /** The tries that are under way have taken too long. */
  readonly expire: () => void
}

/** Waits end at once, after `settled`; time passes by what was waited. */
export const testClock = (settled: () => Promise<void> = () => Promise.resolve()): TestClock => {
  const slept: Array<number> = []
  const timers: Array<number> = []
  const running = new Map<() => void, number>()
  let now = 0
  return {
    slept,
    timers,
    now: () => now,
    sleep: async (millis, signal) => {
      await settled()
      signal?.throwIfAborted()
      if (slept.length === turnsMax) throw new Error("it tries for ever")
      slept.push(millis)
      now += millis
    },
    timer: (millis, then) => {
      timers.push(millis)
      running.set(then, millis)
      return () => running.delete(then)
    },
    expire: () => {
      for (const [then, millis] of running) {
        now += millis
        then()
      }
    }
  }
}

/** A client of the test's merchant. */
export const clientOf = ({ baseUrl, merchant }: Running, options: Partial<CofferOptions> = {}): Coffer =>
  new Coffer({ apiKey: merchant.sandboxKey, baseUrl: `${baseUrl}/v1`, ...options })

export interface Sent {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: BodyInit | null | undefined
}

type Step = Response | Error | ((sent: Sent, init: RequestInit) => Response | Promise<Response>)

/** A client whose requests are answered by the steps in turn, and then by the last of them; and what it has sent. */
export const scripted = (steps: ReadonlyArray<Step>, options: Partial<CofferOptions> = {}) => {
  const sent: Array<Sent> = []
  const clock = testClock()
  const coffer = new Coffer({
    apiKey: someKey,
    baseUrl: "https://pay.example/v1",
    clock,
    random: () => 0,
    fetch: async (url, init) => {
      const step = steps[Math.min(sent.length, steps.length - 1)]!
      const { body, headers, method } = init
      const one = { method: method!, url: new URL(url), headers: headers as Record<string, string>, body }
      sent.push(one)
      if (step instanceof Error) throw step
      return step instanceof Response ? step.clone() : step(one, init)
    },
    ...options
  })
  return { coffer, sent, clock }
}

export const answered = (data: unknown, status = 200, headers: Record<string, string> = {}) =>
  Response.json({ code: status, message: "ok", request_id: "req_1", data }, { status, headers })

export const refused = (status: number, error: string, headers: Record<string, string> = {}, param?: string) =>
  Response.json({ code: status, error, message: `${error} happened`, request_id: "req_1", param }, { status, headers })

/** The failure of a call. */
export const failureOf = <E extends abstract new (...args: never) => Error>(
  call: PromiseLike<unknown>,
  Kind: E
): Promise<InstanceType<E>> =>
  Promise.resolve(call).then(
    () => Promise.reject(new Error("the call has not failed")),
    (error: unknown) => {
      if (error instanceof Kind) return error as InstanceType<E>
      throw error
    }
  )

/** All of it. */
export const allOf = async <T>(items: AsyncIterable<T>): Promise<ReadonlyArray<T>> => {
  const all: Array<T> = []
  for await (const item of items) all.push(item)
  return all
}

const turnsMax = 10_000

/** Lets promises go on until it holds. */
export const until = async (holds: () => boolean): Promise<void> => {
  for (let turns = 0; !holds(); turns++) {
    if (turns === turnsMax) throw new Error("it does not come to that")
    await Promise.resolve()
  }
}
