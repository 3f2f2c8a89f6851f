/** Where an event goes (spec: Events, Routing). */
import { EndpointId } from "@coffer/model/Ids"
import { destinationOf, hostOf, route, type Subscriber, takes } from "@coffer/rules/delivery/route"
import { assert, describe, it } from "@effect/vitest"

const endpoint = (n: number, more: Partial<Subscriber> = {}): Subscriber => ({
  id: EndpointId.make(`whe_${String(n).padStart(26, "0")}`),
  url: `https://shop.example/${n}`,
  status: "enabled",
  types: ["payment.succeeded"],
  ...more
})
const to = ({ id, url }: Subscriber) => ({ url, endpointId: id })
const [one, all, other, off] = [
  endpoint(1),
  endpoint(2, { types: ["*"] }),
  endpoint(3, { types: ["refund.succeeded"] }),
  endpoint(4, { status: "disabled", types: ["*", "payment.succeeded"] })
]
const single = { url: "https://shop.example/console", endpointId: null }
const addresses = { notifyUrl: null, endpoints: [one, all, other, off], defaultUrl: single.url }

describe("an event", () => {
  it("goes to its order's own address alone, where there is one", () => {
    const notifyUrl = "https://shop.example/order"
    assert.deepStrictEqual(route("payment.succeeded", { ...addresses, notifyUrl }), [
      { url: notifyUrl, endpointId: null }
    ])
  })

  it("goes to every enabled endpoint that subscribed to its type or to all, in their order", () => {
    assert.deepStrictEqual(route("payment.succeeded", addresses), [to(one), to(all)])
    assert.deepStrictEqual(route("refund.succeeded", addresses), [to(all), to(other)])
  })

  it("goes to the single address where no enabled endpoint takes it, and nowhere without one", () => {
    const endpoints = [one, off]
    assert.deepStrictEqual(route("refund.failed", { ...addresses, endpoints }), [single])
    assert.deepStrictEqual(route("refund.failed", { ...addresses, endpoints, defaultUrl: null }), [])
  })

  it("is taken by an enabled endpoint that names the type or all of them", () => {
    const taken = [one, all, other, off].map((each) => takes(each, "payment.succeeded"))
    assert.deepStrictEqual(taken, [true, true, false, false])
  })
})

describe("a destination", () => {
  it("is the host, and the path and the query as a number of letters and digits", () => {
    assert.match(destinationOf("https://shop.example:8443/hooks?key=secret"), /^shop\.example:8443 [0-9a-z]+$/)
  })

  it("differs by the path and by the query, and not by the scheme", () => {
    const of = (rest: string) => destinationOf(`https://shop.example${rest}`)
    assert.strictEqual(new Set(["/a", "/b", "/a?b", "/b?a", "/ab"].map(of)).size, 5)
    assert.strictEqual(of("/a"), destinationOf("http://shop.example/a"))
  })

  it("has the host before its first space", () => {
    assert.strictEqual(hostOf("shop.example:8443 4xk"), "shop.example:8443")
    assert.strictEqual(hostOf("shop.example"), "shop.example")
  })
})
