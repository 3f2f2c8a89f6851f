/** The service of the test kit as a place to play at: real HTTP, and a clock that the driver moves. */
import type { Place, Reply } from "./play.ts"

const unlimited = { writes: 1_000_000, reads: 1_000_000, csv: 1_000_000, helpers: 1_000_000 }

/** What it needs of a running service. */
export interface House {
  readonly url: string
  readonly operatorToken: string
  readonly now: () => Date
  readonly atRest: () => Promise<void>
  readonly pass: (millis: number) => Promise<void>
  readonly leap: (millis: number) => Promise<void>
}

export const placeIn = (house: House): Place => {
  const send: Place["send"] = async ({ body, headers, method, path }) => {
    const response = await fetch(house.url + path, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    return { status: response.status, headers: response.headers, body: (await response.json()) as Reply["body"] }
  }
  const operator = async (path: string, body: object) => {
    const headers = { Authorization: `Bearer ${house.operatorToken}` }
    const reply = await send({ method: "POST", path: `/operator/v1${path}`, headers, body })
    if (reply.status >= 300) throw new Error(`POST ${path} was answered ${reply.status}`)
    return reply.body.data as Readonly<Record<string, string>>
  }
  return {
    send,
    now: () => house.now().getTime(),
    pass: house.pass,
    leap: house.leap,
    rest: () => house.atRest(),
    newMerchant: async () => {
      const { live_key, merchant_id, sandbox_key } = await operator("/merchants", { name: "A shop", seed: false })
      await operator(`/merchants/${merchant_id}`, { quotas: unlimited })
      const keys = { sandbox: sandbox_key!, live: live_key!, wrong: "svc_test_wrong", operator: house.operatorToken }
      return { merchantId: merchant_id!, keys }
    }
  }
}
