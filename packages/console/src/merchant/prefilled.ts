/**
 * What an order says that a bank asks for: a person begins its evidence with this, and checks it before it is sent. A
 * merchant's metadata names the delivery in words of its own, of which the usual ones are known. Pure.
 */
import type { OrderResource } from "@coffer/contract/Orders"
import type { evidenceNames } from "@coffer/model/Evidence"

type Name = (typeof evidenceNames)[number]
type Order = Pick<OrderResource, "metadata" | "receipt_email" | "receipt_url" | "subject">

/** Names of metadata, in lower case and without what separates words. */
const delivery: Readonly<Partial<Record<Name, ReadonlyArray<string>>>> = {
  customer_name: ["customername", "buyername", "customer", "buyer", "name"],
  shipping_address: ["shippingaddress", "deliveryaddress", "shipto", "address"],
  shipping_carrier: ["shippingcarrier", "carrier", "courier"],
  shipping_tracking_number: ["shippingtrackingnumber", "trackingnumber", "tracking", "trackingno", "trackingcode"],
  shipping_date: ["shippingdate", "shippedon", "shippedat", "shipped"],
  service_date: ["servicedate", "eventdate", "bookingdate"]
}

const dates: ReadonlyArray<string> = ["shipping_date", "service_date"]
/** The day of a date or a time in ISO 8601. */
export const dayOf = (text: string): string | undefined => /^\d{4}-\d\d-\d\d(?=T|$)/.exec(text.trim())?.[0]

export const prefilled = (order: Order, receipt: string): Readonly<Partial<Record<Name, string>>> => {
  const known = new Map(
    Object.entries(order.metadata ?? {}).map(([name, value]) => [name.toLowerCase().replaceAll(/[^a-z]/g, ""), value])
  )
  const about = [order.subject ?? "", ...(order.receipt_url === null ? [] : [`${receipt}: ${order.receipt_url}`])]
  const found: Array<readonly [string, string]> = [
    ["product_description", about.filter((line) => line !== "").join("\n")],
    ["customer_email_address", order.receipt_email ?? ""]
  ]
  for (const [name, names] of Object.entries(delivery)) {
    const value = names.map((each) => known.get(each)).find((each) => each !== undefined) ?? ""
    found.push([name, dates.includes(name) ? (dayOf(value) ?? value) : value])
  }
  return Object.fromEntries(found.filter(([, text]) => text.trim() !== ""))
}
