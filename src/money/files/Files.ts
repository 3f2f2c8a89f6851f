/**
 * Front door to uploaded files. A merchant uploads evidence first, and then names it by its address in a dispute. An
 * address cannot be guessed, and is accepted only from the merchant and environment that uploaded the file (spec:
 * Disputes; silences: D6).
 */
import type { Account } from "@coffer/model/Account"
import { filesBytesMax } from "@coffer/model/Limits"
import { InvalidField } from "@coffer/rules/InvalidField"
import { Context, type DateTime, Effect, Layer, Option, type Scope, Stream } from "effect"
import { currentTime } from "../../platform/runtime/clock.ts"
import { NotCommitted } from "../../platform/commit/Change.ts"
import { Secrets } from "../../platform/runtime/Secrets.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { span } from "../../platform/runtime/span.ts"
import { FileStorage, type ReceivedFile, type StorageFailed } from "./FileStorage.ts"
import { FileStore } from "./FileStore.ts"
import { makeIncoming } from "./Incoming.ts"
import { filesSettings } from "./filesSettings.ts"

export interface UploadedFile {
  readonly url: string
  readonly contentType: string
  /** Bytes. */
  readonly size: number
}

export interface KnownFile {
  readonly merchantId: string
  readonly contentType: string
  /** Bytes. */
  readonly size: number
}

export class Files extends Context.Service<
  Files,
  {
    /** Whether this is the address of a file that this merchant uploaded in this environment. Then it is kept. */
    readonly owns: (account: Account, url: string) => Effect.Effect<boolean>
    readonly find: (name: string) => Effect.Effect<Option.Option<KnownFile>>
    /** It is about to be referenced as a logo: it is kept for at least one more day. */
    readonly willBeNamed: (name: string) => Effect.Effect<void>
    /** None if the storage does not have it. */
    readonly open: (name: string) => Effect.Effect<Option.Option<Stream.Stream<Uint8Array>>>
    /** Reads the content up to the size limit. The file is removed with the scope unless it is kept. */
    readonly receive: <E>(
      content: Stream.Stream<Uint8Array, E>
    ) => Effect.Effect<ReceivedFile, InvalidField | NotCommitted | E, Scope.Scope>
    readonly keep: (
      account: Account,
      received: ReceivedFile
    ) => Effect.Effect<UploadedFile, InvalidField | NotCommitted>
    /**
     * Removes these files for good, and answers how many. A file that is referenced elsewhere stays until its last
     * reference is gone.
     */
    readonly erase: <E>(
      names: ReadonlyArray<string>,
      isNamedElsewhere: (name: string) => Effect.Effect<boolean, E>
    ) => Effect.Effect<number, E>
    /** Removes files that neither evidence nor a logo names any more, at most `limit`; how many were looked at. */
    readonly dropUnnamed: (now: DateTime.Utc, limit: number) => Effect.Effect<number>
  }
>()("@coffer/files/Files") {}

/** 32 random bytes, and the extension of the file type. */
const isName = (name: string) => /^[\w-]{43}\.(pdf|png|jpg)$/.test(name)

export const layer = Layer.effect(
  Files,
  Effect.gen(function* () {
    const store = yield* FileStore
    const storage = yield* FileStorage
    const secrets = yield* Secrets
    const incoming = yield* makeIncoming
    const { filesUrl } = (yield* Settings).of(filesSettings)
    const usable = isSecure(filesUrl)
    if (!usable) yield* Effect.logWarning("FILES_URL is not https: no file can be used as evidence")
    yield* incoming.removeAbandoned

    const known = (name: string) => (isName(name) ? store.byName(name) : Effect.succeedNone)

    return Files.of({
      owns: span("Files.owns")(function* ({ merchantId, mode }, url) {
        const base = `${filesUrl}/`
        if (!usable || !url.startsWith(base)) return false
        const name = url.slice(base.length)
        const row = isName(name) ? yield* store.named(name) : Option.none()
        return Option.isSome(row) && row.value.merchant_id === merchantId && row.value.mode === mode
      }),

      find: (name) =>
        Effect.map(
          known(name),
          Option.map(({ content_type: contentType, merchant_id: merchantId, size }) => ({
            merchantId,
            contentType,
            size
          }))
        ),

      willBeNamed: (name) => (isName(name) ? Effect.asVoid(store.named(name)) : Effect.void),

      open: span("Files.open")(
        function* (name) {
          const content = isName(name) ? yield* storage.read(name) : Option.none()
          return Option.map(content, (bytes) => Stream.catch(bytes, Stream.die))
        },
        Effect.catchTags({ StorageFailed: Effect.die })
      ),

      receive: (content) => Effect.catchIf(incoming.receive(content), isStorageFailed, notKept),

      keep: span("Files.keep")(
        function* ({ merchantId, mode }, received) {
          const { kind, size } = received
          const row = { merchant_id: merchantId, mode, size }
          if (!(yield* store.hasRoom(row))) return yield* full(mode)
          const name = `${yield* secrets.random(32)}.${kind.extension}`
          // The row comes last: a crash may leave a file without a row, but never a row without a file.
          yield* storage.keep(name, received)
          const created_at = yield* currentTime
          const isKept = yield* store.insert({ ...row, name, content_type: kind.contentType, created_at })
          if (!isKept) {
            yield* storage.remove(name)
            return yield* full(mode)
          }
          return { url: `${filesUrl}/${name}`, contentType: kind.contentType, size }
        },
        Effect.catchTags({ StorageFailed: notKept })
      ),

      // The content goes first: after a crash in between the row still exists, and the removal is repeated.
      erase: Effect.fnUntraced(
        function* (names, isNamedElsewhere) {
          let removed = 0
          for (const name of names.filter(isName)) {
            if (yield* isNamedElsewhere(name)) continue
            yield* storage.remove(name)
            if (yield* store.remove(name)) removed++
          }
          return removed
        },
        Effect.catchIf(isStorageFailed, Effect.die)
      ),

      // The row goes first: a crash may leave a file without a row, but never a row without a file.
      dropUnnamed: Effect.fnUntraced(function* (now, limit) {
        const { names, looked } = yield* store.dropUnnamed(now, limit)
        yield* Effect.forEach(names, (name) =>
          Effect.catch(storage.remove(name), (failure) => Effect.logWarning("a file was not removed", name, failure))
        )
        return looked
      })
    })
  })
)

const full = (mode: Account["mode"]) =>
  new InvalidField({
    param: "file",
    problem: `exceeds the ${filesBytesMax[mode]} bytes of storage for all files; unused files are deleted after a week`
  })

const isStorageFailed = (error: unknown): error is StorageFailed =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "StorageFailed"

const notKept = (failure: StorageFailed) =>
  Effect.andThen(Effect.logError("a file was not kept", failure), Effect.fail(new NotCommitted({ reason: "unknown" })))

/** The specification requires https. A developer's own machine is exempt, since it has none. */
const isSecure = (base: string): boolean => {
  const { hostname, protocol } = new URL(base)
  return protocol === "https:" || hostname === "localhost" || hostname === "127.0.0.1"
}
