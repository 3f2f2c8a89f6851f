/** The test kit's service as the driver's target: real HTTP, and a clock that the driver moves. */

const unlimited = { writes: 1_000_000, reads: 1_000_000, csv: 1_000_000, helpers: 1_000_000 }

export interface Reply {
  readonly status: number
  readonly headers: { readonly get: (name: string) => string | null }
  readonly cookies?: ReadonlyArray<string>
  readonly body: { readonly data?: unknown; readonly error?: string; readonly param?: string }
}

/** A running service whose clock the driver moves. */
export interface Place {
  readonly now: () => number
  /** Moves the clock in one step, and runs what is due then. */
  readonly leap: (millis: number) => Promise<void>
  /** Lets time pass, running everything that comes due. */
  readonly pass: (millis: number) => Promise<void>
  /** Waits until everything due is done. */
  readonly rest: () => Promise<void>
  readonly invite: (person: Readonly<Record<"email" | "merchant_id" | "role", string>>) => Promise<unknown>
  /** All mails. */
  readonly mails: () => ReadonlyArray<string>
  /** The console's address. */
  readonly url: string
  /** Waits for work in real time, such as the queue of logged calls. */
  readonly breathe: () => Promise<void>
  readonly newMerchant: () => Promise<{ readonly merchantId: string; readonly keys: Readonly<Record<string, string>> }>
  readonly send: (request: {
    readonly method: string
    readonly path: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: unknown
  }) => Promise<Reply>
}

/** Required settings: buyers have their own addresses, and people sign in by mail. */
export const settingsWith = (mailServer: string) => ({
  TRUSTED_PROXIES: "127.0.0.1",
  SMTP_URL: mailServer,
  MAIL_FROM: "coffer@pay.example"
})

/** The required parts of a running service. */
export interface House {
  readonly url: string
  readonly operatorToken: string
  readonly now: () => Date
  readonly atRest: () => Promise<void>
  readonly pass: (millis: number) => Promise<void>
  readonly leap: (millis: number) => Promise<void>
  /** Mails that its mail server accepted. */
  readonly mails: ReadonlyArray<string>
}

/** For a page, its order; for an archive, its content. */
const bodyOf = async (response: Response): Promise<Reply["body"]> => {
  const type = response.headers.get("content-type") ?? ""
  if (type.startsWith("application/json")) return (await response.json()) as Reply["body"]
  if (type.startsWith("application/x-tar")) return { data: archiveIn(Buffer.from(await response.arrayBuffer())) }
  await response.arrayBuffer()
  const [, order = null] = /\/checkout\/(TRD_[^.]+)\./.exec(response.headers.get("location") ?? "") ?? []
  return { data: { order } }
}

/** The numbers by kind, and the whole text. */
const archiveIn = (tar: Buffer) => {
  const numbers = { orders: new Set<unknown>(), refunds: new Set<unknown>(), disputes: new Set<unknown>() }
  const nameOf = { orders: "trade_no", refunds: "refund_no", disputes: "dispute_no" }
  const texts: Array<string> = []
  for (let at = 0; at + 512 <= tar.length;) {
    const head = tar.toString("latin1", at, at + 512)
    const [name = "", size = ""] = [head.slice(0, 100), head.slice(124, 136)].map((part) => part.replace(/\0.*$/, ""))
    const length = Number.parseInt(size || "0", 8)
    const text = tar.toString("utf8", at + 512, at + 512 + length)
    const kind = name.split("/")[0] as keyof typeof numbers
    texts.push(text)
    if (kind in numbers) {
      for (const line of text.split("\n").filter((each) => each !== "")) {
        numbers[kind].add((JSON.parse(line) as Record<string, unknown>)[nameOf[kind]])
      }
    }
    at += 512 + Math.ceil(length / 512) * 512
  }
  const listed = Object.entries(numbers).map(([kind, some]) => [kind, [...some]])
  return { ...Object.fromEntries(listed), text: texts.join("\n") } as Record<string, unknown>
}

export const placeIn = (house: House): Place => {
  const send: Place["send"] = async ({ body, headers, method, path }) => {
    const response = await fetch(house.url + path, {
      method,
      redirect: "manual",
      headers: { ...headers, ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const cookies = response.headers.getSetCookie()
    return { status: response.status, headers: response.headers, cookies, body: await bodyOf(response) }
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
    url: house.url,
    mails: () => house.mails,
    invite: (person) => operator("/people", person),
    breathe: () => new Promise((resume) => setTimeout(resume, 100)),
    newMerchant: async () => {
      const { live_key, merchant_id, sandbox_key } = await operator("/merchants", { name: "A shop", seed: false })
      await operator(`/merchants/${merchant_id}`, { quotas: unlimited })
      const keys = { sandbox: sandbox_key!, live: live_key!, wrong: "svc_test_wrong", operator: house.operatorToken }
      return { merchantId: merchant_id!, keys }
    }
  }
}
