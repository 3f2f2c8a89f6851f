/**
 * The signed addresses of an order: its checkout page, `…/checkout/<trade number>.<end>.<signature>`, and its receipt,
 * `…/receipts/<trade number>.0.<signature>` (spec: Order, checkout_url and receipt_url). Anybody with the signature can
 * view or pay. So it is stored nowhere: stored addresses end before it, and it is added when the order is shown to its
 * merchant (silences: O11). Pure.
 */

/** The prefix of the signed text, so that a token for one kind of page does not open another. */
export const signedAs = { checkout_url: "", receipt_url: "receipt/" } as const
type Field = keyof typeof signedAs

/** Our view without signatures, as it may be stored. A merchant's own text, in metadata or elsewhere, is unchanged. */
export const withoutSignatures = <View extends object>(view: View): View => {
  const cut = change(view, "checkout_url", addressOf)
  return change(cut, "receipt_url", addressOf)
}

/** A stored view with signatures. They are always the same, and so are the bytes. */
export const withSignatures = <View extends object>(view: View, sign: (payload: string) => string): View => {
  const signed = (url: string, field: Field) => {
    const address = addressOf(url)
    return `${address}.${sign(signedAs[field] + address.slice(address.lastIndexOf("/") + 1))}`
  }
  return change(change(view, "checkout_url", signed), "receipt_url", signed)
}

const paths = { checkout_url: "/checkout/", receipt_url: "/receipts/", url: "/pay/" } as const

/**
 * A stored view with its addresses at the current host (`base`) instead of the stored one: a host that a shop has given
 * up may now be another's.
 */
export const atBase = <View extends object>(view: View, baseOf: (merchantId: string) => string): View => {
  const { merchant_id: merchantId, object } = view as { readonly merchant_id?: unknown; readonly object?: unknown }
  if (typeof merchantId !== "string") return view
  const base = baseOf(merchantId)
  const move = (url: string, field: keyof typeof paths) => {
    const at = url.lastIndexOf(paths[field])
    return at === -1 || (at === base.length && url.startsWith(base)) ? url : base + url.slice(at)
  }
  if (object === "payment_link") return change(view, "url", move)
  return object === "order" ? change(change(view, "checkout_url", move), "receipt_url", move) : view
}

/** The view's own field: merchants have no field of that name, only metadata keys. */
const change = <View extends object, Name extends keyof typeof paths>(
  view: View,
  field: Name,
  changed: (url: string, field: Name) => string
): View => {
  const url = (view as { readonly [name in keyof typeof paths]?: unknown })[field]
  if (typeof url !== "string") return view
  const after = changed(url, field)
  return after === url ? view : { ...view, [field]: after }
}

/** Up to the second dot of the last segment. */
const addressOf = (url: string): string => {
  const first = url.indexOf(".", url.lastIndexOf("/"))
  const second = first === -1 ? -1 : url.indexOf(".", first + 1)
  return second === -1 ? url : url.slice(0, second)
}
