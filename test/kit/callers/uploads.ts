/** Files as a merchant hands them in, and the form that carries them: parts in any order, whole or as a stream. */
import { randomBytes } from "node:crypto"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { operatorToken, type Running } from "../Service.ts"

/** The first bytes that say what a file is; what follows is noise. */
const heads = {
  pdf: Buffer.from("%PDF-1.7\n"),
  png: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  jpg: Buffer.from([0xff, 0xd8, 0xff, 0xe0])
}

export const fileOf = (kind: keyof typeof heads, size = 1_000): Buffer =>
  Buffer.concat([heads[kind], randomBytes(size)]).subarray(0, size)

export interface Part {
  readonly name: string
  readonly content: string | Uint8Array
  readonly filename?: string
  readonly type?: string
}

export const filePart = (content: Uint8Array, more: Partial<Part> = {}): Part => ({
  name: "file",
  filename: "receipt.pdf",
  content,
  ...more
})
export const modePart = (mode: string): Part => ({ name: "mode", content: mode })

const boundary = "a-boundary-of-the-tests"

const headOf = ({ filename, name, type }: Part) =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"` +
  `${filename === undefined ? "" : `; filename="${filename}"`}\r\n` +
  `${filename === undefined ? "" : `Content-Type: ${type ?? "application/octet-stream"}\r\n`}\r\n`

export const formOf = (...parts: ReadonlyArray<Part>): Buffer =>
  Buffer.concat([
    ...parts.flatMap((part) => [Buffer.from(headOf(part)), Buffer.from(part.content), Buffer.from("\r\n")]),
    Buffer.from(`--${boundary}--\r\n`)
  ])

export interface Answer {
  readonly status: number
  // oxlint-disable-next-line no-explicit-any -- a test reads what it expects
  readonly body: any
}

export const headersOfForm = {
  "Content-Type": `multipart/form-data; boundary=${boundary}`,
  Authorization: `Bearer ${operatorToken}`
}

/** Sends a form; a stream goes without a length, as from a program that does not know it. */
export const upload = (
  baseUrl: string,
  merchantId: string,
  body: Uint8Array | ReadableStream<Uint8Array>,
  headers: Record<string, string> = headersOfForm
): Effect.Effect<Answer> => sendForm(`${baseUrl}/operator/v1/merchants/${merchantId}/files`, body, headers)

/** The same by the merchant itself. */
export const uploadOwn = (
  baseUrl: string,
  key: string,
  body: Uint8Array | ReadableStream<Uint8Array>,
  headers: Record<string, string> = {}
): Effect.Effect<Answer> =>
  sendForm(`${baseUrl}/v1/files`, body, {
    "Content-Type": headersOfForm["Content-Type"],
    "X-Api-Key": key,
    ...headers
  })

const sendForm = (
  url: string,
  body: Uint8Array | ReadableStream<Uint8Array>,
  headers: Record<string, string>
): Effect.Effect<Answer> =>
  Effect.promise(async () => {
    const response = await fetch(url, {
      method: "POST",
      headers,
      body: body as BodyInit,
      duplex: "half"
    } as RequestInit)
    return { status: response.status, body: await response.json() }
  })

/** The address of a PDF that was handed in for this merchant. */
export const uploaded = Effect.fnUntraced(function* (
  { baseUrl }: Pick<Running, "baseUrl">,
  merchantId: string,
  mode = "sandbox",
  size?: number
) {
  const { body, status } = yield* upload(baseUrl, merchantId, formOf(filePart(fileOf("pdf", size)), modePart(mode)))
  assert.strictEqual(status, 201, JSON.stringify(body))
  return body.data.url as string
})
