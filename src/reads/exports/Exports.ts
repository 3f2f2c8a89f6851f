/**
 * Front door to exports: rows of a buyer or of a merchant as files of JSON lines in a tar archive, with the files that
 * were uploaded. It is read page by page while it is sent. A client that reads slowly slows the reading, and one that
 * leaves ends it. What may be shown is declared with each column (`packages/resources`).
 */
import { isoText } from "@coffer/model/isoText"
import type { Account } from "@coffer/model/Account"
import { tarComment, tarEnd, tarEntry } from "@coffer/rules/tar"
import { Context, Effect, Layer, Option, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { Files } from "../../money/files/Files.ts"
import { currentMillis } from "../../platform/runtime/clock.ts"
import { jsonText } from "../../platform/runtime/codecs.ts"
import { sha256 } from "../../platform/runtime/Secrets.ts"
import { unmovedTime } from "../../platform/runtime/MerchantClocks.ts"
import { makeBuyerPages } from "./buyerPages.ts"
import { makeCallPages } from "./callPages.ts"
import { filePages, merchantPages } from "./merchantPages.ts"
import type { ReadPage } from "./rowPages.ts"

export class Exports extends Context.Service<
  Exports,
  {
    /** Without an account: of all merchants. */
    readonly ofBuyer: (email: string, account?: Account) => Stream.Stream<Uint8Array>
    readonly ofMerchant: (account: Account) => Stream.Stream<Uint8Array>
  }
>()("@coffer/exports/Exports") {}

export const layer = Layer.effect(
  Exports,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const files = yield* Files
    const calls = makeCallPages(sql)
    const buyerPages = makeBuyerPages(sql)
    const archive = makeArchive((name) =>
      Effect.flatMap(
        files.open(name),
        Option.match({
          onNone: () => Effect.succeedNone,
          onSome: (content) => Effect.asSome(Effect.map(Stream.runCollect(content), (parts) => Buffer.concat(parts)))
        })
      )
    )
    return Exports.of({
      ofBuyer: (email, account) =>
        Stream.suspend(() => {
          const own = new Set<string>()
          return archive(
            { buyer: true, ...(account === undefined ? {} : { merchant_id: account.merchantId, mode: account.mode }) },
            [buyerPages(email, account, own), calls.ofBuyer(email, account, own)]
          )
        }),
      ofMerchant: (account) =>
        archive({ merchant_id: account.merchantId, mode: account.mode }, [
          ...merchantPages(sql, account),
          filePages(sql, account),
          calls.ofAccount(account)
        ])
    })
  })
)

// The archive -------------------------------------------------------------------

interface Listed {
  readonly path: string
  /** A file of lines has them. */
  readonly lines?: number
  readonly sha256: string
}

type Part = { readonly folder: string; readonly lines: ReadonlyArray<string> } | { readonly upload: string } | "nothing"

/** The bytes of an uploaded file: 10 MB at most. None: the storage has lost it. */
type Open = (name: string) => Effect.Effect<Option.Option<Uint8Array>>

/**
 * One read after the other, each page by page, and the manifest at the end. Each page sends something, and looks at a
 * number of rows that is bounded, whatever it finds.
 */
const makeArchive =
  (open: Open) =>
  (about: object, reads: ReadonlyArray<ReadPage>): Stream.Stream<Uint8Array> =>
    Stream.unwrap(
      Effect.gen(function* () {
        const made = yield* unmovedTime
        const modifiedAt = (yield* currentMillis) / 1_000
        const listed: Array<Listed> = []
        const missing = new Set<string>()
        const uploads = new Set<string>()
        const counts = new Map<string, number>()
        const entryOf = (path: string, content: Uint8Array, more: Partial<Listed>): Uint8Array => {
          listed.push({ path, ...more, sha256: sha256(content) })
          return tarEntry({ path, content, modifiedAt })
        }
        const bytesOf = Effect.fnUntraced(function* (part: Part) {
          if (part === "nothing") return tarComment(modifiedAt)
          if ("upload" in part) {
            const path = `files/${part.upload}`
            if (uploads.has(path)) return new Uint8Array()
            uploads.add(path)
            const content = yield* open(part.upload)
            if (Option.isSome(content)) return entryOf(path, content.value, {})
            missing.add(path)
            return new Uint8Array()
          }
          const { folder, lines } = part
          const number = (counts.get(folder) ?? 0) + 1
          counts.set(folder, number)
          const content = utf8.encode(lines.map((line) => `${line}\n`).join(""))
          return entryOf(`${folder}/${String(number).padStart(6, "0")}.jsonl`, content, { lines: lines.length })
        })
        const pages = (read: ReadPage) =>
          Stream.paginate("", (after) =>
            Effect.map(read(after), ({ files, next, uploads: names = [] }) => {
              const parts: ReadonlyArray<Part> = [
                ...files.filter(([, lines]) => lines.length > 0).map(([folder, lines]): Part => ({ folder, lines })),
                ...names.map((upload): Part => ({ upload }))
              ]
              return [parts.length === 0 ? (["nothing"] as const) : parts, Option.fromUndefinedOr(next)]
            })
          ).pipe(
            Stream.mapEffect(bytesOf),
            Stream.filter(({ length }) => length > 0)
          )
        const manifest = Stream.suspend(() => {
          const text = jsonText({
            ...about,
            made_at: isoText(made),
            files: listed,
            missing_files: [...missing]
          })
          return Stream.make(tarEntry({ path: "manifest.json", content: utf8.encode(text), modifiedAt }), tarEnd)
        })
        const all = Stream.concat(Stream.flatMap(Stream.fromIterable(reads), pages), manifest)
        return Stream.concat(Stream.make(tarComment(modifiedAt)), all)
      })
    )
const utf8 = new TextEncoder()
