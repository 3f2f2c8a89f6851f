/** A merchant for tests, optionally with unlimited quotas and without the sample orders of a new sandbox. */
import { Effect } from "effect"

export interface NewMerchant {
  readonly merchantId: string
  readonly sandboxKey: string
  readonly liveKey: string
}

interface Created {
  readonly merchant_id: string
  readonly sandbox_key: string
  readonly live_key: string
}

/** `post`: calls the operator's API, fails unless it succeeds, and returns the answer. */
export const newMerchant = Effect.fnUntraced(function* <E, R>(
  post: (path: string, body: object) => Effect.Effect<unknown, E, R>,
  name: string,
  { quotas, seed = false }: { readonly quotas: "raised" | "default"; readonly seed?: boolean }
) {
  const created = (yield* post("/merchants", { name, seed })) as Created
  if (quotas === "raised") {
    yield* post(`/merchants/${created.merchant_id}`, {
      quotas: { writes: 1_000_000, reads: 1_000_000, csv: 1_000_000, helpers: 1_000_000 }
    })
  }
  const made: NewMerchant = {
    merchantId: created.merchant_id,
    sandboxKey: created.sandbox_key,
    liveKey: created.live_key
  }
  return made
})
