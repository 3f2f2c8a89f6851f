/**
 * The address of an order's checkout page, `…/checkout/<trade number>.<end>.<signature>` (spec: Order, checkout_url).
 * Whoever has the signature may look, and pay. So it is stored nowhere: what is stored ends before it, and whoever owns
 * the order gets it back with the order (silences: O11). Pure.
 */

/** A view of ours as it may be stored. A merchant's own text, in metadata or elsewhere, stays as it is. */
export const withoutSignature = <View extends object>(view: View): View => {
  const url = addressIn(view)
  if (url === undefined) return view
  const end = endOfPayload(url)
  return end === url.length ? view : { ...view, checkout_url: url.slice(0, end) }
}

/** A stored view as its owner sees it. The signature is the same each time, so the bytes are. */
export const withSignature = <View extends object>(view: View, sign: (payload: string) => string): View => {
  const url = addressIn(view)
  if (url === undefined) return view
  const address = url.slice(0, endOfPayload(url))
  return { ...view, checkout_url: `${address}.${sign(address.slice(address.lastIndexOf("/") + 1))}` }
}

/** The field of the view itself: no field of that name is the merchant's, only keys of its metadata. */
const addressIn = (view: object): string | undefined =>
  "checkout_url" in view && typeof view.checkout_url === "string" ? view.checkout_url : undefined

/** Where the second dot of the last segment stands, or the text ends. */
const endOfPayload = (url: string): number => {
  const first = url.indexOf(".", url.lastIndexOf("/"))
  const second = first === -1 ? -1 : url.indexOf(".", first + 1)
  return second === -1 ? url.length : second
}
