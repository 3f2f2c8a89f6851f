/** Twenty points that a shop with real money has to hold, played as its buyers, its desk and the bank would. */
import { createHmac, randomBytes } from "node:crypto"
import { until, wait } from "./world.mjs"

const assert = (yes, what) => {
  if (!yes) throw new Error(what)
}
const same = (found, wanted, what) =>
  assert(found === wanted, `${what}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`)
const sign = (body, secret, t = Math.floor(Date.now() / 1000)) =>
  `t=${t},v1=${createHmac("sha256", secret).update(`${t}.${body}`).digest("hex")}`

const isOf = (event, number) => {
  const o = event?.data?.object ?? {}
  return o.out_trade_no === number || o.trade_no === number
}

/** What the points do with a shop: its buyers, its desk, and the bank. `world`: `world.mjs`. */
const deskOf = (world) => {
  const { ok, shop } = world
  const buy = async (cart, amount = 1999) => {
    const a = await shop("POST", "/buy", { cart, amount })
    if (a.status !== 200) throw new Error(`buy: ${a.status} ${JSON.stringify(a.body)}`)
    return a.body
  }
  const pay = (number, more = {}) => ok("POST", `/test_helpers/orders/${encodeURIComponent(number)}/pay`, more)
  const order = async (cart) => (await shop("GET", `/orders/${cart}`)).body
  const shipments = async () => (await shop("GET", "/shipments")).body
  const shipped = async (cart) => (await shipments()).filter((each) => each === cart).length
  const isStatus = (cart, wanted) =>
    until(`${cart} is ${wanted}`, async () => {
      const o = await order(cart)
      if (o.status === wanted) return o
      throw new Error(`it reads ${JSON.stringify(o)}`)
    })
  const paidCart = async (cart, amount = 1999, more = {}) => {
    const { number } = await buy(cart, amount)
    await pay(number, more)
    await isStatus(cart, "paid")
    return number
  }
  const refundsOf = async (number) => {
    const o = await ok("GET", `/orders/${encodeURIComponent(number)}`)
    return (await ok("GET", `/refunds?trade_no=${o.trade_no}`)).data
  }
  const ordersMade = async () => (await ok("GET", "/orders?limit=100")).data.length
  return { ...world, buy, pay, order, shipments, shipped, isStatus, paidCart, refundsOf, ordersMade }
}

export const pointsOf = (world) => {
  const desk = deskOf(world)
  return points.map(([name, play]) => [name, () => play(desk)])
}

const points = [
  [
    "buying gives an order of this amount and a page to pay at",
    async ({ buy, ok, order }) => {
      const got = await buy("p1", 1234)
      const o = await ok("GET", `/orders/${encodeURIComponent(got.number)}`)
      same(o.amount, 1234, "the order's amount")
      assert(String(got.pay).includes("/checkout/"), `pay is ${got.pay}`)
      same((await order("p1")).status, "pending", "the shop's status")
    }
  ],
  [
    "a cart that is bought again is the same order",
    async ({ buy, ordersMade }) => {
      const n = await ordersMade()
      const a = await buy("p2")
      const b = await buy("p2")
      same(b.number, a.number, "the number")
      same((await ordersMade()) - n, 1, "orders made")
    }
  ],
  [
    "a cart that is bought twice at once is one order",
    async ({ buy, ordersMade }) => {
      const n = await ordersMade()
      const [a, b] = await Promise.all([buy("p3"), buy("p3")])
      same(b.number, a.number, "the number")
      same((await ordersMade()) - n, 1, "orders made")
    }
  ],
  [
    "an answer that is lost makes no second order",
    async ({ buy, isStatus, losing, ordersMade, pay, shop }) => {
      const n = await ordersMade()
      losing.begin(/\/orders$/)
      await shop("POST", "/buy", { cart: "p4", amount: 1999 }).catch(() => null)
      const got = await buy("p4")
      same(losing.count(), 1, "answers lost")
      same((await ordersMade()) - n, 1, "orders made")
      await pay(got.number)
      await isStatus("p4", "paid")
    }
  ],
  [
    "what is paid is shipped once",
    async ({ paidCart, shipped }) => {
      await paidCart("p5")
      await wait(300)
      same(await shipped("p5"), 1, "shipments")
    }
  ],
  [
    "an event that comes three times at once ships once",
    async ({ hookMode, paidCart, shipped }) => {
      hookMode.double = true
      try {
        await paidCart("p6")
        await wait(500)
        same(await shipped("p6"), 1, "shipments")
      } finally {
        hookMode.double = false
      }
    }
  ],
  [
    "a forged event is refused and ships nothing",
    async ({ buy, ok, order, port, seen, shipped }) => {
      const { number } = await buy("p7")
      const o = await ok("GET", `/orders/${encodeURIComponent(number)}`)
      const real = seen.find((each) => each.event.type === "payment.succeeded")
      const body = JSON.stringify({
        ...real.event,
        id: `evt_${randomBytes(8).toString("hex")}`,
        data: { object: { ...o, status: "paid", paid_at: new Date().toISOString() } }
      })
      for (const header of [undefined, "t=1,v1=00", sign(body, "whsec_wrong"), real.headers["x-service-signature"]]) {
        const a = await fetch(`http://127.0.0.1:${port}${real.url}`, {
          method: "POST",
          headers: { "content-type": "application/json", ...(header ? { "x-service-signature": header } : {}) },
          body
        })
        assert(a.status >= 400 && a.status < 500, `a forged event got ${a.status}`)
      }
      same(await shipped("p7"), 0, "shipments")
      same((await order("p7")).status, "pending", "status")
    }
  ],
  [
    "an event that is ten minutes old is refused",
    async ({ buy, ok, port, secrets, seen, shipped }) => {
      const { number } = await buy("p8")
      const o = await ok("GET", `/orders/${encodeURIComponent(number)}`)
      const real = seen.find((each) => each.event.type === "payment.succeeded")
      const body = JSON.stringify({
        ...real.event,
        id: `evt_${randomBytes(8).toString("hex")}`,
        data: { object: { ...o, status: "paid", paid_at: new Date().toISOString() } }
      })
      secrets.add((await ok("GET", "/webhook_signing_secret")).secret)
      for (const secret of secrets) {
        const a = await fetch(`http://127.0.0.1:${port}${real.url}`, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            "x-service-signature": sign(body, secret, Math.floor(Date.now() / 1000) - 600)
          },
          body
        })
        assert(a.status >= 400 && a.status < 500, `an old event got ${a.status}`)
      }
      same(await shipped("p8"), 0, "shipments")
    }
  ],
  [
    "an event of a stranger's order is answered 2xx and ships nothing",
    async ({ hookPort, ok, pay, seen, shipments }) => {
      const before = (await shipments()).length
      const o = await ok("POST", "/orders", {
        amount: 700,
        out_trade_no: "not-of-this-shop",
        notify_url: `http://127.0.0.1:${hookPort}${seen[0].url}`
      })
      await pay(o.trade_no)
      const got = await until("its event", () => seen.find((each) => each.event.data?.object?.trade_no === o.trade_no))
      assert(got.status < 300, `it got ${got.status}`)
      same((await shipments()).length, before, "shipments")
    }
  ],
  [
    "a refund's event before the payment's leaves the same books",
    async ({ buy, hookMode, isStatus, ok, pay, seen, shipped }) => {
      const { number } = await buy("p10", 2000)
      hookMode.dropTypes = new Set(["payment.succeeded"])
      await pay(number)
      await until("the payment's event was held", () =>
        hookMode.held.some((e) => e.type === "payment.succeeded" && isOf(e, number))
      )
      await ok("POST", "/refunds", { trade_no: number, amount: 2000, out_refund_no: "desk-p10" })
      await until("the refund's event", () =>
        seen.some((e) => e.event.type.startsWith("refund") && isOf(e.event, number))
      )
      hookMode.dropTypes = new Set()
      await ok("POST", "/test_helpers/clock/advance", { by: "10m" })
      await until(
        "the payment's event",
        () => seen.some((e) => e.event.type === "payment.succeeded" && isOf(e.event, number)),
        15_000
      )
      const o = await isStatus("p10", "refunded")
      same(o.refunded, 2000, "refunded")
      same(await shipped("p10"), 0, "shipments of what was given back whole")
    }
  ],
  [
    "a refund that is asked for twice is one",
    async ({ order, paidCart, refundsOf, shop }) => {
      const number = await paidCart("p11", 3000)
      const r = { refund: "r11", amount: 500 }
      const [a, b] = await Promise.all([shop("POST", "/orders/p11/refund", r), shop("POST", "/orders/p11/refund", r)])
      const c = await shop("POST", "/orders/p11/refund", r)
      for (const each of [a, b, c]) same(each.status, 200, `the answer ${JSON.stringify(each.body)}`)
      same((await refundsOf(number)).length, 1, "refunds")
      await until("500 are refunded", async () => (await order("p11")).refunded === 500)
      same((await order("p11")).status, "partially_refunded", "status")
    }
  ],
  [
    "a refund whose answer is lost is made once",
    async ({ losing, order, paidCart, refundsOf, shop }) => {
      const number = await paidCart("p12", 3000)
      losing.begin(/\/refunds$/)
      const r = { refund: "r12", amount: 700 }
      await shop("POST", "/orders/p12/refund", r).catch(() => null)
      same((await shop("POST", "/orders/p12/refund", r)).status, 200, "the second answer")
      same(losing.count(), 1, "answers lost")
      same((await refundsOf(number)).length, 1, "refunds")
      await until("700 are refunded", async () => (await order("p12")).refunded === 700)
    }
  ],
  [
    "two intentions of the same amount are two refunds",
    async ({ order, paidCart, refundsOf, shop }) => {
      const number = await paidCart("p13", 3000)
      for (const refund of ["r13a", "r13b"])
        same((await shop("POST", "/orders/p13/refund", { refund, amount: 400 })).status, 200, "answer")
      same((await refundsOf(number)).length, 2, "refunds")
      await until("800 are refunded", async () => (await order("p13")).refunded === 800)
    }
  ],
  [
    "more than is left is refused with a reason, and changes no books",
    async ({ order, paidCart, shop }) => {
      await paidCart("p14", 1000)
      const a = await shop("POST", "/orders/p14/refund", { refund: "r14", amount: 1001 })
      assert(a.status >= 400 && a.status < 500, `the answer is ${a.status}`)
      assert(typeof a.body?.error === "string" && a.body.error.length > 3, `no error in ${JSON.stringify(a.body)}`)
      const o = await order("p14")
      same(o.refunded, 0, "refunded")
      same(o.status, "paid", "status")
    }
  ],
  [
    "a refund that the bank fails does not count",
    async ({ ok, order, paidCart, refundsOf, seen, shop }) => {
      const number = await paidCart("p15", 2500, { payment_method: "alipay" })
      same((await shop("POST", "/orders/p15/refund", { refund: "r15", amount: 900 })).status, 200, "answer")
      const [r] = await refundsOf(number)
      await ok("POST", `/test_helpers/refunds/${r.refund_no}/settle`, { outcome: "failed" })
      await until("its event", () => seen.some((e) => e.event.type === "refund.failed" && isOf(e.event, number)))
      await wait(200)
      const o = await order("p15")
      same(o.refunded, 0, "refunded")
      same(o.status, "paid", "status")
    }
  ],
  [
    "a pending order is canceled, and can be canceled again",
    async ({ buy, isStatus, shipped, shop }) => {
      await buy("p16")
      for (let i = 0; i < 2; i++) same((await shop("POST", "/orders/p16/cancel")).status, 200, "answer")
      await isStatus("p16", "canceled")
      same(await shipped("p16"), 0, "shipments")
    }
  ],
  [
    "who cancels while the buyer pays is told, and it is shipped",
    async ({ buy, isStatus, pay, shipped, shop }) => {
      const { number } = await buy("p17")
      await pay(number, { outcome: "succeed_unreported" })
      const a = await shop("POST", "/orders/p17/cancel")
      same(a.status, 409, `the answer ${JSON.stringify(a.body)}`)
      assert(/paid/i.test(JSON.stringify(a.body)), `it is not told that it was paid: ${JSON.stringify(a.body)}`)
      await isStatus("p17", "paid")
      await until("shipped", async () => (await shipped("p17")) === 1)
    }
  ],
  [
    "a dispute that is lost, and one that is won, are told",
    async ({ ok, order, paidCart }) => {
      const lost = await paidCart("p18", 4000)
      const won = await paidCart("p18b", 4000)
      for (const [number, cart, outcome] of [
        [lost, "p18", "lost"],
        [won, "p18b", "won"]
      ]) {
        const d = await ok("POST", `/test_helpers/orders/${encodeURIComponent(number)}/dispute`, {})
        await until("open", async () => (await order(cart)).dispute === "open")
        await ok("POST", `/test_helpers/disputes/${d.dispute_no}/resolve`, { outcome })
        await until(outcome, async () => (await order(cart)).dispute === outcome)
      }
    }
  ],
  [
    "a shop that was killed knows everything, and handles nothing twice",
    async ({ buy, isStatus, ok, order, pay, port, secrets, seen, shipments, shipped, start, stop }) => {
      const known = await shipments()
      const { number } = await buy("p19")
      await stop()
      await pay(number)
      await start()
      same(
        JSON.stringify((await shipments()).filter((c) => c !== "p19")),
        JSON.stringify(known),
        "shipments after the restart"
      )
      const old = seen
        .filter((each) => each.event.type === "payment.succeeded" && known.includes("p5"))
        .find((e) => e.event.data.object.out_trade_no && e.status < 300)
      const t = Math.floor(Date.now() / 1000)
      for (const secret of secrets)
        await fetch(`http://127.0.0.1:${port}${old.url}`, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            "x-service-signature": sign(old.body.toString(), secret, t)
          },
          body: old.body
        })
      await wait(200)
      same(
        JSON.stringify((await shipments()).filter((c) => c !== "p19")),
        JSON.stringify(known),
        "shipments after an old event came again"
      )
      await ok("POST", "/test_helpers/clock/advance", { by: "10m" })
      await isStatus("p19", "paid")
      same(await shipped("p19"), 1, "shipments of what was paid meanwhile")
      same((await order("p12")).refunded, 700, "refunded before the restart")
    }
  ],
  [
    "its books agree with the ledger, and a difference is found",
    async ({ buy, hookMode, order, pay, shop }) => {
      const found = (await shop("GET", "/reconcile")).body.differences
      const p10 = (await buy("p10", 2000)).number
      const strange = (list) =>
        list.filter((each) => !["not-of-this-shop", "p10", p10].includes(each) && !/coffer-sample/.test(each))
      same(JSON.stringify(strange(found)), "[]", "differences")
      hookMode.hold = true
      const { number } = await buy("p20", 5000)
      await pay(number)
      await until("held", () => hookMode.held.some((e) => isOf(e, number)))
      const differing = strange((await shop("GET", "/reconcile")).body.differences)
      hookMode.hold = false
      const knows = (await order("p20")).status === "paid"
      assert(
        knows || differing.includes("p20") || differing.includes(number),
        `a payment that the shop has not heard of is not found: ${JSON.stringify(differing)}`
      )
    }
  ]
]
