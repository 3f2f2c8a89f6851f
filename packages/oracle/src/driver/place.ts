/** The test kit's service as the driver's target: real HTTP, and a clock that the driver moves. */
import { Agent, request } from "node:http"
import type { Hooks } from "./hooks.ts"

const unlimited = { writes: 1_000_000, reads: 1_000_000, csv: 1_000_000, helpers: 1_000_000 }

export interface Reply {
  readonly status: number
  readonly headers: { readonly get: (name: string) => string | null }
  readonly cookies?: ReadonlyArray<string>
  readonly body: {
    readonly data?: unknown
    readonly error?: string
    readonly param?: string
    readonly message?: string
  }
}

/** A webhook as its receiver got it. */
export interface Post {
  readonly url: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
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
  readonly newMerchant: () => Promise<{
    readonly merchantId: string
    readonly keys: Readonly<Record<string, string>>
    /** The network address that its calls come from. */
    readonly address: string
    /** Where its webhooks arrive. */
    readonly hooks: string
  }>
  /** The posts of a merchant's webhooks since they were taken last. */
  readonly takePosts: (hooks: string) => ReadonlyArray<Post>
  readonly send: (request: Request) => Promise<Reply>
}

/** Whether the call was carried out is unknown. */
export class Unanswered extends Error {}

interface Request {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
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
  readonly hooks: Hooks
}

/** For a page, its order; for an archive, its content. */
const bodyOf = (headers: Reply["headers"], body: Buffer): Reply["body"] => {
  const type = headers.get("content-type") ?? ""
  if (type.startsWith("application/json")) return JSON.parse(body.toString("utf8")) as Reply["body"]
  if (type.startsWith("text/csv")) return { data: body.toString("utf8") }
  if (type.startsWith("application/x-tar")) return { data: archiveIn(body) }
  const [, order = null] = /\/checkout\/(TRD_[^.]+)\./.exec(headers.get("location") ?? "") ?? []
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

const boundary = "between-parts"
const formOf = (file: string) =>
  [
    `--${boundary}`,
    'Content-Disposition: form-data; name="file"; filename="proof.pdf"',
    "Content-Type: application/pdf",
    "",
    file,
    `--${boundary}--`,
    ""
  ].join("\r\n")

/** Shorter than the service waits for a commit or a statement. */
const atOnceMillis = 3_000

const breathe = () => new Promise<void>((resume) => setTimeout(resume, 20))

export const placeIn = (house: House): Place => {
  let merchants = 0
  // A plain client: `fetch` takes twice as long, and asks for compressed answers.
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const { hostname, port } = new URL(house.url)
  const isRead = ({ method, path }: Request) =>
    (method === "GET" && !path.startsWith("/pay/")) || path.endsWith("/exports") || path.endsWith("/sign_in")
  /**
   * A 503 at once is overload, and nothing was done. A later one may be of a commit whose answer did not come in time,
   * and then only what changes nothing is sent again.
   */
  const send = async (call: Request, mayRepeat = isRead(call)): Promise<Reply> => {
    for (let tries = 0; ; tries++) {
      const begun = performance.now()
      const reply = await sendOnce(call).catch((error: unknown) => {
        if (!mayRepeat || tries >= 10) throw new Unanswered(String(error))
        return undefined
      })
      if (reply !== undefined && (reply.status !== 503 || tries >= 1_000)) return reply
      if (!mayRepeat && performance.now() - begun > atOnceMillis) {
        throw new Unanswered(`${call.method} ${call.path} was answered 503`)
      }
      await breathe()
    }
  }
  const sendOnce: Place["send"] = ({ body, headers, method, path }) =>
    new Promise((resolve, reject) => {
      const isFile = path.endsWith("/files")
      const text = isFile ? formOf((body as { readonly file: string }).file) : JSON.stringify(body)
      const content = body === undefined ? undefined : Buffer.from(text)
      const type = isFile ? `multipart/form-data; boundary=${boundary}` : "application/json"
      const own = content === undefined ? {} : { "Content-Type": type, "Content-Length": content.length }
      const called = request({ agent, hostname, port, method, path, headers: { ...headers, ...own } }, (response) => {
        const chunks: Array<Buffer> = []
        response.on("error", reject)
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("end", () => {
          const named = { get: (name: string) => response.headers[name]?.toString() ?? null }
          const reply = { status: response.statusCode!, headers: named, body: bodyOf(named, Buffer.concat(chunks)) }
          resolve({ ...reply, cookies: response.headers["set-cookie"] ?? [] })
        })
      })
      called.on("error", reject)
      called.end(content)
    })
  const operator = async (path: string, body: object) => {
    const headers = { Authorization: `Bearer ${house.operatorToken}` }
    // A merchant or an invitation too many harms nobody.
    const reply = await send({ method: "POST", path: `/operator/v1${path}`, headers, body }, true)
    if (reply.status >= 300) throw new Error(`POST ${path} was answered ${reply.status}`)
    return reply.body.data as Readonly<Record<string, string>>
  }
  return {
    send: (call) => send(call),
    now: () => house.now().getTime(),
    pass: house.pass,
    leap: house.leap,
    rest: () => house.atRest(),
    url: house.url,
    mails: () => house.mails,
    invite: (person) => operator("/people", person),
    breathe,
    takePosts: house.hooks.take,
    newMerchant: async () => {
      const { live_key, merchant_id, sandbox_key } = await operator("/merchants", { name: "A shop", seed: false })
      await operator(`/merchants/${merchant_id}`, { quotas: unlimited })
      const keys = { sandbox: sandbox_key!, live: live_key!, wrong: "svc_test_wrong", operator: house.operatorToken }
      merchants += 1
      const hooks = `${house.hooks.url}/${merchant_id}`
      return { merchantId: merchant_id!, keys, hooks, address: `198.18.${merchants >> 8}.${merchants & 255}` }
    }
  }
}
