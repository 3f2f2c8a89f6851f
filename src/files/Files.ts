/**
 * Front door to uploaded files: evidence that a merchant hands in before a dispute names it by its address. An address
 * cannot be guessed, and it counts only for the merchant and environment that uploaded it (spec: Disputes; silences: D6).
 */
import type { MerchantId, Mode } from "@coffer/model/Ids"
import type { InvalidField } from "@coffer/rules/InvalidField"
import { Context, type Effect, type Option, type Stream } from "effect"
import type { MerchantNotFound } from "../merchants/Merchants.ts"

export interface FileOwner {
  readonly merchantId: MerchantId
  readonly mode: Mode
}

export interface UploadedFile {
  readonly url: string
  readonly contentType: string
  /** Bytes. */
  readonly size: number
}

export interface OpenFile {
  readonly name: string
  readonly contentType: string
  readonly size: number
  readonly content: Stream.Stream<Uint8Array>
}

export class Files extends Context.Service<
  Files,
  {
    /** Whether this is the address of a file that this merchant uploaded in this environment. */
    readonly owns: (owner: FileOwner, url: string) => Effect.Effect<boolean>
    readonly open: (name: string) => Effect.Effect<Option.Option<OpenFile>>
    /** Reads the content to its end or to the limit, whichever comes first. */
    readonly upload: <E>(
      owner: { readonly merchantId: string; readonly mode: Mode },
      content: Stream.Stream<Uint8Array, E>
    ) => Effect.Effect<UploadedFile, InvalidField | MerchantNotFound | E>
  }
>()("@coffer/files/Files") {}
