/**
 * Checks the logo that the operator names for a merchant. Its bytes are an uploaded file, which
 * `src/money/files/LogoFiles.ts` reads.
 */
import type { InvalidField } from "@coffer/rules/InvalidField"
import { Context, type Effect } from "effect"
import type { NotCommitted } from "../../platform/commit/Change.ts"

export class Logos extends Context.Service<
  Logos,
  {
    /** The name of the file at this address. Fails unless it is a picture of this merchant that pages can show. */
    readonly nameOf: (merchantId: string, url: string) => Effect.Effect<string, InvalidField | NotCommitted>
    readonly urlOf: (name: string) => string
  }
>()("@coffer/merchants/Logos") {}
