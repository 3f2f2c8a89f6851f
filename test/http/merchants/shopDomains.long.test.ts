/**
 * A shop's own host for checkout, with a real DNS server and real sockets (docs/decisions/0201): how it is proven and
 * lost, and which links begin with it.
 */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { NameServers } from "../../../src/access/domains/lookUp.ts"
import { ShopHosts } from "../../../src/shared/signedUrls/ShopHosts.ts"
import { invite, signIn } from "../../kit/callers/console.ts"
import { entriesOf } from "../../kit/callers/operators.ts"
import {
  at,
  begin,
  domainOf,
  host,
  ofHosts,
  pathOf,
  prove,
  set,
  target,
  verified
} from "../../kit/callers/shopHosts.ts"
import { merchantOf } from "../../kit/Merchant.ts"
import { eventually } from "../../kit/Process.ts"
import { mailServer } from "../../kit/servers/MailServer.ts"
import { nameServer } from "../../kit/servers/NameServer.ts"
import { asRunner, freshDatabase, start, withNewMerchant } from "../../kit/Service.ts"

describe("a shop's host", () => {
  it.effect("waits for its record, says which it is and what is wrong in words, and is used once DNS has it", () =>
    Effect.gen(function* () {
      const running = yield* begin()
      const { dns, pass, settle } = running
      const { post } = merchantOf(running)
      const link = () => Effect.map(post("/v1/payment_links", { amount: 500 }), ({ body }) => body.data.url as string)
      assert.isNull(yield* domainOf(running))
      const { body, status } = yield* set(running, host)
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(body.data.checkout_domain_points_to, [target])
      assert.include(body.data.checkout_domain, { host, status: "pending", record_name: `_coffer.${host}` })
      assert.match(body.data.checkout_domain.record_value, /^coffer-domain=[\w-]{24}$/)
      yield* settle
      const unproven = yield* domainOf(running)
      assert.include(unproven, { problem: "no_record", message: `TXT record not found at _coffer.${host}.` })
      assert.isString(unproven.checked_at)

      dns.zone.set(`_coffer.${host}`, { TXT: ["coffer-domain=another"] })
      yield* pass("1 minute")
      assert.strictEqual((yield* domainOf(running)).problem, "other_record")
      dns.zone.set(`_coffer.${host}`, { TXT: [unproven.record_value] })
      dns.zone.set(host, { A: ["198.51.100.1"] })
      yield* pass("1 minute")
      assert.strictEqual((yield* domainOf(running)).message, `${host} does not point to ${target}.`)
      assert.strictEqual(new URL(yield* link()).host, "pay.coffer.example")

      dns.zone.set(host, { CNAME: target })
      yield* pass("1 minute")
      assert.include(yield* domainOf(running), { status: "verified", problem: null, message: null })
      assert.strictEqual(new URL(yield* link()).host, host)
    })
  )

  it.effect("begins every link that buyers get from then on, of orders, receipts, mails and links", () =>
    Effect.gen(function* () {
      const mails = yield* mailServer()
      const running = yield* begin({ env: { SMTP_URL: mails.url, MAIL_FROM: "coffer@pay.example" } })
      const { api, merchant } = running
      yield* api.operator("POST", `/merchants/${merchant.merchantId}`, {
        approved: true,
        live_currencies: ["USD"],
        sandbox: { mail_recipients: ["@example.com"] }
      })
      const { get, post } = merchantOf(running)
      const keyed = { "Idempotency-Key": "before" }
      const before = (yield* post("/v1/orders", { amount: 700 }, keyed)).body.data
      assert.strictEqual(new URL(before.checkout_url).host, "pay.coffer.example")
      yield* verified(running)
      const order = (yield* post("/v1/orders", { amount: 900, receipt_email: "buyer@example.com" })).body.data
      const own = `https://${host}`
      assert.isTrue(order.checkout_url.startsWith(`${own}/checkout/`), order.checkout_url)
      yield* post(`/v1/test_helpers/orders/${order.trade_no}/pay`, {})
      const paid = (yield* get(`/v1/orders/${order.trade_no}`)).body.data
      assert.isTrue(paid.receipt_url.startsWith(`${own}/receipts/`))
      assert.include((yield* mails.mail(1)).replaceAll("=\r\n", "").replaceAll("=3D", "="), paid.receipt_url)
      const link = (yield* post("/v1/payment_links", { amount: 500 })).body.data
      assert.isTrue((yield* get(`/v1/payment_links/${link.link_id}`)).body.data.url.startsWith(`${own}/pay/`))
      // A stored answer shows the current host, and its signature is valid.
      const repeated = (yield* post("/v1/orders", { amount: 700 }, keyed)).body.data
      assert.strictEqual(repeated.checkout_url, own + pathOf(before.checkout_url))
      const { data: events } = (yield* get("/v1/events?limit=20")).body.data
      for (const { data } of events) assert.isTrue(data.object.checkout_url.startsWith(own), JSON.stringify(data))

      yield* set(running, null)
      const after = (yield* get(`/v1/orders/${order.trade_no}`)).body.data
      assert.strictEqual(new URL(after.checkout_url).host, "pay.coffer.example")
      const { data: told } = (yield* get("/v1/events?limit=1")).body.data
      assert.strictEqual(new URL(told[0].data.object.receipt_url).host, "pay.coffer.example")
    })
  )
})

describe("of two merchants that ask for one host", () => {
  it.effect(
    "the one that proves it has it, not the first to ask; the other may take it over when its record replaces the first",
    () =>
      Effect.gen(function* () {
        const running = yield* begin()
        const { dns, pass } = running
        const squatter = yield* withNewMerchant(running)
        yield* set(squatter, host)
        yield* verified(running)
        assert.strictEqual((yield* domainOf(squatter)).status, "pending")
        // Both records are there: the first keeps it, and the second gets a finding.
        yield* prove(squatter, dns)
        yield* pass("1 hour")
        assert.include(yield* domainOf(squatter), { status: "pending", problem: "taken" })
        assert.strictEqual((yield* domainOf(running)).status, "verified")

        dns.zone.set(`_coffer.${host}`, { TXT: [(yield* domainOf(squatter)).record_value] })
        yield* pass("1 hour")
        assert.strictEqual((yield* domainOf(squatter)).status, "verified")
        assert.strictEqual((yield* domainOf(running)).status, "pending")
        const { body } = yield* merchantOf(squatter).post("/v1/orders", { amount: 100 })
        assert.strictEqual(new URL(body.data.checkout_url).host, host)
        assert.strictEqual((yield* at(host).ask(running, pathOf(body.data.checkout_url))).status, 200)
      })
  )
})

describe("a verified host", () => {
  it.effect("that loses its proof is used for three days, then no more; all of it is in the audit log", () =>
    Effect.gen(function* () {
      const running = yield* begin()
      const { api, dns, merchant, pass } = running
      yield* verified(running)
      dns.zone.delete(`_coffer.${host}`)
      yield* pass("2 days")
      const { goes_back_at, status, unproven_since } = yield* domainOf(running)
      assert.deepStrictEqual([status, Date.parse(goes_back_at) - Date.parse(unproven_since)], ["verified", 259_200_000])
      yield* pass("3 days")
      assert.include(yield* domainOf(running), { status: "pending", problem: "no_record" })
      const { body } = yield* merchantOf(running).post("/v1/orders", { amount: 100 })
      assert.strictEqual(new URL(body.data.checkout_url).host, "pay.coffer.example")
      const entries = yield* entriesOf(api, `&target=${merchant.merchantId}`)
      const acts = entries.map(({ act }) => act).filter((act) => act.startsWith("domains."))
      assert.sameMembers(acts, ["domains.verified", "domains.lost"])
      const changes = entries.filter(({ act, phase }) => act === "merchants.update" && phase === "done")
      assert.isTrue(changes.some(({ details }) => details.after?.checkout_domain?.host === host))
    })
  )

  it.effect(
    "that loses its proof causes a mail, and another one when it is no longer used; one that has it back causes none",
    () =>
      Effect.gen(function* () {
        const mails = yield* mailServer()
        const running = yield* begin({ env: { SMTP_URL: mails.url, MAIL_FROM: "coffer@pay.example" } })
        const { api, dns, merchant, pass } = running
        yield* api.operator("POST", `/merchants/${merchant.merchantId}`, { contact_email: "dev@shop.example" })
        yield* verified(running)
        const { record_name, record_value } = yield* domainOf(running)
        dns.zone.delete(record_name)
        yield* pass("2 days")
        assert.strictEqual(mails.mails.length, 1)
        const text = (number: number) => mails.mails[number]!.replaceAll("=\r\n", "")
        assert.include(text(0), `Subject: ${host} has lost its proof`)
        assert.include(text(0), "To: dev@shop.example")
        assert.include(text(0), `TXT record not found at _coffer.${host}.`)
        assert.include(text(0), `It stays in use until ${(yield* domainOf(running)).goes_back_at}`)

        dns.zone.set(record_name, { TXT: [record_value] })
        yield* pass("1 day")
        dns.zone.delete(record_name)
        yield* pass("5 days")
        assert.lengthOf(mails.mails, 3)
        assert.include(text(1), "has lost its proof")
        assert.include(text(2), `Subject: ${host} is no longer used`)
        yield* pass("5 days")
        assert.lengthOf(mails.mails, 3)
      }).pipe(Effect.scoped)
  )

  it.effect("stays while name servers are silent or broken", () =>
    Effect.gen(function* () {
      const running = yield* begin()
      const { dns, pass } = running
      yield* verified(running)
      dns.zone.set(`_coffer.${host}`, { is: "broken" })
      yield* pass("10 days")
      assert.include(yield* domainOf(running), { status: "verified", problem: "no_answer", unproven_since: null })
    })
  )
})

describe("how to request one", () => {
  it.effect("refuses hosts that cannot be a shop's and names the field; without the setting it refuses all", () =>
    Effect.gen(function* () {
      const running = yield* begin()
      for (const name of [
        "shop.example",
        "PAY.shop.example",
        "pay.coffer.example",
        target,
        "10.0.0.1",
        "localhost",
        5
      ]) {
        const { body, status } = yield* set(running, name as string)
        assert.deepStrictEqual([status, body.param], [400, "checkout_domain"], String(name))
      }
      const without = yield* start()
      const { body, status } = yield* set(without, host)
      assert.deepStrictEqual([status, body.param], [400, "checkout_domain"])
      assert.strictEqual((yield* set(without, null)).status, 200)
    }).pipe(Effect.scoped)
  )

  it.effect("is an owner's in the console, with a look at once that developers may ask for, too", () =>
    Effect.gen(function* () {
      const mails = yield* mailServer()
      const running = yield* begin({ env: { SMTP_URL: mails.url, MAIL_FROM: "coffer@pay.example" } })
      const { api, dns, leap, merchant } = running
      const enter = Effect.fnUntraced(function* (role: string) {
        const email = `${role}@shop.example`
        yield* invite(api, mails, { email, merchant_id: merchant.merchantId, role })
        return yield* signIn(api, mails, email, "https://pay.coffer.example")
      })
      const [owner, developer, viewer] = [yield* enter("owner"), yield* enter("developer"), yield* enter("viewer")]
      const path = `/merchants/${merchant.merchantId}/settings`
      const check = `${path}/checkout_domain/check`
      assert.strictEqual((yield* owner.call("POST", check)).status, 409)
      assert.strictEqual((yield* developer.call("POST", path, { checkout_domain: host })).status, 403)
      assert.strictEqual((yield* owner.call("POST", path, { checkout_domain: host })).status, 200)
      yield* running.atRest
      yield* prove(running, dns)
      const asked = dns.asked.length
      // Right after the last check nothing is looked up.
      assert.strictEqual((yield* owner.call("POST", check)).body.data.checkout_domain.status, "pending")
      assert.strictEqual(dns.asked.length, asked)
      yield* leap("10 seconds")
      assert.strictEqual((yield* viewer.call("POST", check)).status, 403)
      assert.strictEqual((yield* developer.call("POST", check)).body.data.checkout_domain.status, "verified")
    })
  )
})

describe("the map of hosts", () => {
  it.live("of another runner has a host soon after it is verified, and loses it soon after it is removed", () =>
    Effect.gen(function* () {
      const dns = yield* nameServer
      dns.zone.set(target, { A: ["203.0.113.7"] })
      const database = yield* freshDatabase
      const beneath = Layer.succeed(NameServers, [dns.address])
      const begun = Effect.fnUntraced(function* () {
        return yield* start({ database, beneath, env: { ...ofHosts, ...(yield* asRunner) } })
      })
      const one = yield* begun()
      const two = { ...(yield* begun()), merchant: one.merchant }
      yield* set(one, host)
      yield* prove(one, dns)
      const hostOfNew = Effect.map(
        merchantOf(two).post("/v1/orders", { amount: 100 }),
        ({ body }) => new URL(body.data.checkout_url).host
      )
      yield* set(one, host)
      yield* eventually(
        "the host",
        Effect.map(hostOfNew, (name) => name === host)
      )
      yield* set(one, null)
      yield* eventually(
        "no host",
        Effect.map(hostOfNew, (name) => name !== host)
      )
      assert.isTrue(Context.get(two.context, ShopHosts).isEmpty())
    }).pipe(Effect.scoped)
  )
})
