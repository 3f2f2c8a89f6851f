/**
 * Stores the bytes of files, in a folder (`DiskStorage.ts`) or in a bucket (`S3Storage.ts`). Their owner and type are
 * in the database, which gets a name only when its bytes are stored here.
 */
import type { FileKind } from "@coffer/rules/files/fileKind"
import { Context, type Effect, type Option, Schema, type Stream } from "effect"

/** A complete file on this machine that is not in the storage yet. */
export interface ReceivedFile {
  readonly path: string
  /** Bytes. */
  readonly size: number
  readonly kind: FileKind
}

export class StorageFailed extends Schema.TaggedError<StorageFailed>()("StorageFailed", { message: Schema.String }) {}

export class FileStorage extends Context.Service<
  FileStorage,
  {
    /** Once it succeeds, the file survives a crash. It may move the received file. */
    readonly keep: (name: string, file: ReceivedFile) => Effect.Effect<void, StorageFailed>
    /** Nothing happens where there is none. */
    readonly remove: (name: string) => Effect.Effect<void, StorageFailed>
    readonly read: (
      name: string
    ) => Effect.Effect<Option.Option<Stream.Stream<Uint8Array, StorageFailed>>, StorageFailed>
  }
>()("@coffer/files/FileStorage") {}
