/**
 * Where the bytes of files are: a folder of ours (`DiskStorage.ts`) or a bucket (`S3Storage.ts`). Whose they are and
 * what they are stands in the database; a name is written there only when the bytes are safe here.
 */
import type { FileKind } from "@coffer/rules/files/fileKind"
import { Context, type Effect, type Option, Schema, type Stream } from "effect"

/** A whole file on this machine, on its way into the storage. */
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
    /** Survives a crash once it succeeds. The received file may be moved away. */
    readonly keep: (name: string, file: ReceivedFile) => Effect.Effect<void, StorageFailed>
    readonly read: (
      name: string
    ) => Effect.Effect<Option.Option<Stream.Stream<Uint8Array, StorageFailed>>, StorageFailed>
  }
>()("@coffer/files/FileStorage") {}
