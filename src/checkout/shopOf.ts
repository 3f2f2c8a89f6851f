/** The name by which buyers know a merchant; undefined when the merchant is not there any more. */
import type { Merchants } from "../merchants/Merchants.ts"
import { Effect } from "effect"

export const shopOf = (
  { find }: Pick<Merchants["Service"], "find">,
  of: { readonly merchantId: string } | undefined
): Effect.Effect<string | undefined> =>
  of === undefined
    ? Effect.succeed(undefined)
    : Effect.match(find(of.merchantId), { onFailure: () => undefined, onSuccess: ({ name }) => name })
