/**
 * The signed addresses of an order: its checkout page, `…/checkout/<trade number>.<end>.<signature>`, and its receipt,
 * `…/receipts/<trade number>.0.<signature>` (spec: Order, checkout_url and receipt_url). The signature lets anybody who
 * has it look, or pay. So it is stored nowhere: what is stored ends before it, and the order's merchant gets it back
 * with the order (silences: O11). Pure.
 */

/** The signed text begins with it, so that the token of one kind of page opens no other. */
export const signedAs = { checkout_url: "", receipt_url: "receipt/" } as const
type Field = keyof typeof signedAs

/** A view of ours as it may be stored. A merchant's own text, in metadata or elsewhere, stays as it is. */
export const withoutSignatures = <View extends object>(view: View): View => {
  const cut = change(view, "checkout_url", addressOf)
  return change(cut, "receipt_url", addressOf)
}

/** A stored view as its merchant sees it. The signatures are the same each time, so the bytes are. */
export const withSignatures = <View extends object>(view: View, sign: (payload: string) => string): View => {
  const signed = (field: Field) => (url: string) => {
    const address = addressOf(url)
    return `${address}.${sign(signedAs[field] + address.slice(address.lastIndexOf("/") + 1))}`
  }
  return change(change(view, "checkout_url", signed("checkout_url")), "receipt_url", signed("receipt_url"))
}

const paths = { checkout_url: "/checkout/", receipt_url: "/receipts/", url: "/pay/" } as const

/**
 * A stored view with its addresses at the host of this moment (`base`), and not at that of the time when it was stored:
 * a host that a shop has given up may be another's by now.
 */
export const atBase = <View extends object>(view: View, baseOf: (merchantId: string) => string): View => {
  const { merchant_id: merchantId, object } = view as { readonly merchant_id?: unknown; readonly object?: unknown }
  if (typeof merchantId !== "string") return view
  const base = baseOf(merchantId)
  const move = (field: keyof typeof paths) => (url: string) => {
    const at = url.lastIndexOf(paths[field])
    return at === -1 || (at === base.length && url.startsWith(base)) ? url : base + url.slice(at)
  }
  if (object === "payment_link") return change(view, "url", move("url"))
  return object === "order"
    ? change(change(view, "checkout_url", move("checkout_url")), "receipt_url", move("receipt_url"))
    : view
}

/** The field of the view itself: no field of that name is the merchant's, only keys of its metadata. */
const change = <View extends object>(view: View, field: keyof typeof paths, changed: (url: string) => string): View => {
  const url = (view as { readonly [name in keyof typeof paths]?: unknown })[field]
  if (typeof url !== "string") return view
  const after = changed(url)
  return after === url ? view : { ...view, [field]: after }
}

/** Up to the second dot of the last segment. */
const addressOf = (url: string): string => {
  const first = url.indexOf(".", url.lastIndexOf("/"))
  const second = first === -1 ? -1 : url.indexOf(".", first + 1)
  return second === -1 ? url : url.slice(0, second)
}
