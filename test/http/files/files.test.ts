/**
 * Files for evidence: uploaded through the operator's API, kept on disk, read back by their address (silences: D6;
 * docs/architecture.md, section 7).
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { connect } from "node:net"
import path from "node:path"
import { assert, layer } from "@effect/vitest"
import { fileBytesMax } from "@coffer/model/Limits"
import { Context, Effect, Layer } from "effect"
import { Files } from "../../../src/money/files/Files.ts"
import { DataDir } from "../../../src/platform/runtime/DataDir.ts"
import { eventually } from "../../kit/Process.ts"
import { type Running, start } from "../../kit/Service.ts"
import { type Answer, fileOf, filePart, formOf, headersOfForm, modePart, upload } from "../../kit/callers/uploads.ts"

class Service extends Context.Service<Service, Running>()("test/files") {}

const folderOf = ({ context }: Running) => path.join(Context.get(context, DataDir).path, "files")
const partsIn = (folder: string) => (existsSync(folder) ? readdirSync(folder).filter((n) => n.endsWith(".part")) : [])

const assertRefused = ({ body, status }: Answer, param?: string) => {
  assert.strictEqual(status, 400)
  assert.strictEqual(body.error, "invalid_request")
  assert.strictEqual(body.param, param)
  assert.match(body.request_id, /^req_/)
}

layer(Layer.effect(Service, start()), { excludeTestServices: true })("files", (it) => {
  it.effect("takes a PDF, a PNG and a JPEG, and answers with an address that gives the same bytes", () =>
    Effect.gen(function* () {
      const { baseUrl, merchant } = yield* Service
      const types = { pdf: "application/pdf", png: "image/png", jpg: "image/jpeg" }
      for (const kind of ["pdf", "png", "jpg"] as const) {
        const content = fileOf(kind, 300_000)
        const { body, status } = yield* upload(
          baseUrl,
          merchant.merchantId,
          formOf(modePart("sandbox"), filePart(content))
        )
        assert.strictEqual(status, 201)
        assert.deepStrictEqual(Object.keys(body.data), ["url", "content_type", "size"])
        assert.strictEqual(body.data.content_type, types[kind])
        assert.strictEqual(body.data.size, content.length)
        assert.match(body.data.url.slice(`${baseUrl}/files/`.length), new RegExp(`^[\\w-]{43}\\.${kind}$`))

        const response = yield* Effect.promise(() => fetch(body.data.url))
        assert.strictEqual(response.status, 200)
        assert.deepStrictEqual(Buffer.from(yield* Effect.promise(() => response.arrayBuffer())), content)
      }
    })
  )

  it.effect("shows a file to a browser, which may run nothing in it and keep it for its user alone", () =>
    Effect.gen(function* () {
      const { baseUrl, merchant } = yield* Service
      const form = formOf(filePart(fileOf("png"), { filename: "<script>.html", type: "text/html" }), modePart("live"))
      const { body } = yield* upload(baseUrl, merchant.merchantId, form)
      for (const method of ["GET", "HEAD"]) {
        const response = yield* Effect.promise(() => fetch(body.data.url, { method }))
        const bytes = yield* Effect.promise(() => response.arrayBuffer())
        assert.strictEqual(response.status, 200)
        assert.strictEqual(bytes.byteLength, method === "GET" ? 1_000 : 0)
        const header = (name: string) => response.headers.get(name)
        assert.strictEqual(header("content-type"), "image/png")
        assert.strictEqual(header("content-length"), "1000")
        assert.match(header("content-disposition") ?? "", /^inline; filename="[\w-]{43}\.png"$/)
        assert.strictEqual(header("x-content-type-options"), "nosniff")
        assert.match(header("content-security-policy") ?? "", /\bsandbox$/)
        assert.match(header("cache-control") ?? "", /^private, max-age=\d+/)
      }
    })
  )

  it.effect("goes by the content: a name or a type that says PDF makes none of a script", () =>
    Effect.gen(function* () {
      const { baseUrl, merchant } = yield* Service
      const fakes = ["<html><script>alert(1)</script>", "", "%PDF", "GIF89a", " %PDF-1.7"]
      for (const fake of fakes) {
        const part = filePart(Buffer.from(fake), { filename: "a.pdf", type: "application/pdf" })
        assertRefused(yield* upload(baseUrl, merchant.merchantId, formOf(part, modePart("sandbox"))), "file")
      }
    })
  )

  it.effect("blames what is missing or wrong: mode, or file", () =>
    Effect.gen(function* () {
      const { baseUrl, merchant, sql } = yield* Service
      const file = filePart(fileOf("pdf"))
      const mode = modePart("sandbox")
      const cases = [
        [[file], "mode"],
        [[file, modePart("test")], "mode"],
        [[modePart(""), file], "mode"],
        [[file, { name: "mode", filename: "mode.txt", content: "sandbox" }], "mode"],
        [[file, modePart("s".repeat(5_000))], "mode"],
        [[mode], "file"],
        [[mode, { name: "file", content: "%PDF-1.7 as text" }], "file"],
        [[mode, file, file], "file"],
        [[], "mode"]
      ] as const
      const before = yield* sql`select name from files`
      for (const [parts, param] of cases) {
        assertRefused(yield* upload(baseUrl, merchant.merchantId, formOf(...parts)), param)
      }
      assert.deepStrictEqual(yield* sql`select name from files`, before)
      assert.deepStrictEqual(partsIn(folderOf(yield* Service)), [])
    })
  )

  it.effect("reads over parts that it does not know", () =>
    Effect.gen(function* () {
      const { baseUrl, merchant } = yield* Service
      const form = formOf(
        { name: "note", content: "for you" },
        filePart(fileOf("pdf", 200_000), { name: "other" }),
        filePart(fileOf("pdf", 200_000)),
        modePart("sandbox")
      )
      assert.strictEqual((yield* upload(baseUrl, merchant.merchantId, form)).status, 201)
    })
  )

  it.effect("takes a form of 16 parts and not one more", () =>
    Effect.gen(function* () {
      const { baseUrl, merchant } = yield* Service
      const notes = Array.from({ length: 14 }, (_, index) => ({ name: `note_${index}`, content: "for you" }))
      const whole = [modePart("sandbox"), filePart(fileOf("pdf")), ...notes]
      assert.strictEqual((yield* upload(baseUrl, merchant.merchantId, formOf(...whole))).status, 201)
      const more = formOf(...whole, { name: "one_more", content: "for you" })
      const refused = yield* upload(baseUrl, merchant.merchantId, more)
      assertRefused(refused)
      assert.strictEqual(refused.body.message, "The form has more than 16 parts.")
    })
  )

  it.effect("takes no body that is not a form, or not a whole one", () =>
    Effect.gen(function* () {
      const { baseUrl, merchant } = yield* Service
      const form = formOf(modePart("sandbox"), filePart(fileOf("pdf")))
      const { merchantId } = merchant
      const authorized = { Authorization: headersOfForm.Authorization }
      const json = { ...authorized, "Content-Type": "application/json" }
      assertRefused(yield* upload(baseUrl, merchantId, Buffer.from("{}"), json))
      const noBoundary = { ...authorized, "Content-Type": "multipart/form-data" }
      assertRefused(yield* upload(baseUrl, merchantId, form, noBoundary), "file")
      assertRefused(yield* upload(baseUrl, merchantId, form.subarray(0, form.length - 200)), "file")
      assertRefused(yield* upload(baseUrl, merchantId, Buffer.alloc(0)), "file")
    })
  )

  it.effect("takes 10 MB to the byte and not one more, whether the length is announced or not", () =>
    Effect.gen(function* () {
      const { baseUrl, merchant, sql } = yield* Service
      const { merchantId } = merchant
      const whole = formOf(modePart("sandbox"), filePart(fileOf("pdf", fileBytesMax)))
      const taken = yield* upload(baseUrl, merchantId, whole)
      assert.strictEqual(taken.status, 201)
      assert.strictEqual(taken.body.data.size, fileBytesMax)
      const rows = yield* sql`select name from files`

      for (const size of [fileBytesMax + 1, 11 * 1024 * 1024, 40 * 1024 * 1024]) {
        const form = formOf(modePart("sandbox"), filePart(fileOf("pdf", size)))
        assertRefused(yield* upload(baseUrl, merchantId, form), "file")
        assertRefused(yield* upload(baseUrl, merchantId, new Blob([Uint8Array.from(form)]).stream()), "file")
      }
      assert.deepStrictEqual(yield* sql`select name from files`, rows)
      assert.deepStrictEqual(partsIn(folderOf(yield* Service)), [])
      assert.strictEqual((yield* upload(baseUrl, merchantId, whole)).status, 201, "and serves on")
    })
  )

  it.effect("knows no file for an unknown merchant, and takes none without the operator's token", () =>
    Effect.gen(function* () {
      const { baseUrl, merchant } = yield* Service
      const form = formOf(modePart("sandbox"), filePart(fileOf("pdf", 400_000)))
      for (const unknown of ["mer_00000000000000000000000000", "x", "%00"]) {
        const { body, status } = yield* upload(baseUrl, unknown, form)
        assert.deepStrictEqual([status, body.error], [404, "merchant_not_found"])
      }
      for (const Authorization of ["Bearer wrong", `Bearer ${merchant.sandboxKey}`]) {
        const { body, status } = yield* upload(baseUrl, merchant.merchantId, form, { ...headersOfForm, Authorization })
        assert.deepStrictEqual([status, body.error], [401, "invalid_api_key"])
      }
    })
  )

  it.effect("answers 404 to an address that names no file, and leads nowhere else", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* Service
      const names = [
        "nothing.pdf",
        `${"A".repeat(43)}.pdf`,
        "..%2Foperator.token",
        "..%2f..%2f..%2fetc%2fpasswd",
        "%00",
        ".",
        `${"A".repeat(43)}.pdf%00`
      ]
      for (const name of names) {
        const response = yield* Effect.promise(() => fetch(`${baseUrl}/files/${name}`))
        assert.strictEqual(response.status, 404, name)
        const body = (yield* Effect.promise(() => response.json())) as { readonly error: string }
        assert.strictEqual(body.error, "route_not_found")
      }
      const traversed = yield* rawGet(baseUrl, "/files/../../../../etc/passwd")
      assert.match(traversed, /^HTTP\/1.1 404 /)
    })
  )

  it.effect("stores a file readable by its owner alone, under an unguessable name", () =>
    Effect.gen(function* () {
      const service = yield* Service
      const content = fileOf("jpg", 5_000)
      const form = formOf(modePart("sandbox"), filePart(content))
      const { body } = yield* upload(service.baseUrl, service.merchant.merchantId, form)
      const file = path.join(folderOf(service), body.data.url.split("/").at(-1))
      assert.deepStrictEqual(readFileSync(file), content)
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      assert.strictEqual(statSync(folderOf(service)).mode & 0o777, 0o700)
    })
  )

  it.effect("counts an address only as evidence of its merchant, in its environment", () =>
    Effect.gen(function* () {
      const { api, baseUrl, context, merchant } = yield* Service
      const { owns } = Context.get(context, Files)
      const other = yield* api.newMerchant()
      const mine = { merchantId: merchant.merchantId as never, mode: "sandbox" as const }
      const { body } = yield* upload(baseUrl, merchant.merchantId, formOf(modePart("sandbox"), filePart(fileOf("pdf"))))
      const url: string = body.data.url
      assert.isTrue(yield* owns(mine, url))
      assert.isFalse(yield* owns({ ...mine, mode: "live" }, url), "another environment")
      assert.isFalse(yield* owns({ ...mine, merchantId: other.merchantId as never }, url), "another merchant")
      const name = url.split("/").at(-1)!
      const foreign = [
        `https://files.example/files/${name}`,
        `${url}?a=1`,
        `${url}#a`,
        `${url}/`,
        url.toUpperCase(),
        url.replace("http:", "https:"),
        url.replace("http://", "http://user@"),
        url.replace("/files/", "/files/../files/"),
        url.replace("/files/", "//files/"),
        url.replace(".pdf", ".png"),
        `${baseUrl}/files/${"A".repeat(43)}.pdf`,
        name,
        "",
        "not an address",
        `${url}\u0000`
      ]
      for (const each of foreign) assert.isFalse(yield* owns(mine, each), each)
    })
  )

  it.effect("leaves nothing behind when a sender goes away in the middle", () =>
    Effect.gen(function* () {
      const service = yield* Service
      const { baseUrl, merchant, sql } = service
      const rows = yield* sql`select name from files`
      const form = formOf(modePart("sandbox"), filePart(fileOf("pdf", 5_000_000)))
      const { hostname, port } = new URL(baseUrl)
      const socket = connect(Number(port), hostname)
      socket.on("error", () => undefined)
      const head = { Host: hostname, ...headersOfForm, "Content-Length": form.length }
      socket.write(`POST /operator/v1/merchants/${merchant.merchantId}/files HTTP/1.1\r\n`)
      socket.write(
        `${Object.entries(head)
          .map(([name, value]) => `${name}: ${value}\r\n`)
          .join("")}\r\n`
      )
      socket.write(form.subarray(0, 2_000_000))
      const folder = folderOf(service)
      yield* eventually(
        "the file to come in",
        Effect.sync(() => partsIn(folder).length === 1)
      )
      socket.destroy()
      yield* eventually(
        "what came of it to go",
        Effect.sync(() => partsIn(folder).length === 0)
      )
      assert.deepStrictEqual(yield* sql`select name from files`, rows)
    })
  )
})

/** An unchanged path, which `fetch` would normalise. */
const rawGet = (baseUrl: string, target: string) =>
  Effect.callback<string>((resume) => {
    const { hostname, port } = new URL(baseUrl)
    const socket = connect(Number(port), hostname)
    let text = ""
    socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
    socket.on("close", () => resume(Effect.succeed(text)))
    socket.write(`GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
  })
