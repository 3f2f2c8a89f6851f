/** The buyer's pages: the session's form, the bank's or wallet's question, and short messages. */
import type { Stripe } from "stripe"
import { html, type Html } from "./html.ts"

const walletNames: Readonly<Record<string, string>> = { alipay: "Alipay", wechat_pay: "WeChat Pay" }

/** Currencies that have no smaller unit. */
const isWhole = (currency: string) => ["jpy", "krw", "vnd", "clp"].includes(currency)

export const amountOf = (amount: number, currency: string): string =>
  `${isWhole(currency) ? amount : (amount / 100).toFixed(2)} ${currency.toUpperCase()}`

interface SessionPage {
  readonly session: Stripe.Checkout.Session
  readonly items: ReadonlyArray<Stripe.LineItem>
  readonly problem: string | undefined
}

export const sessionPage = ({ items, problem, session }: SessionPage): Html => {
  const methods = session.payment_method_types
  const wallets = methods.filter((method) => method in walletNames)
  return html`<h1>Pay ${amountOf(session.amount_total!, session.currency!)}</h1>
    <ul>
      ${items.map(
        ({ amount_total, currency, description, quantity }) =>
          html`<li>${quantity ?? 1} × ${description ?? ""}: ${amountOf(amount_total, currency)}</li>`
      )}
    </ul>
    ${problem !== undefined && html`<p role="alert">${problem}</p>`}
    <form method="post">
      ${
        session.customer_email === null &&
        html`<label for="email">Email</label> <input id="email" name="email" type="email" autocomplete="email" />`
      }
      ${methods.includes("card") && cardFields}
      ${wallets.map(
        (wallet) =>
          html`<button name="method" value="${wallet}" formnovalidate>Pay with ${walletNames[wallet]}</button>`
      )}
    </form>
    ${session.cancel_url !== null && html`<p><a href="${session.cancel_url}">Back to the shop</a></p>`}`
}

const cardFields = html`<fieldset>
  <legend>Card</legend>
  <label for="number">Card number</label>
  <input
    id="number"
    name="number"
    inputmode="numeric"
    autocomplete="cc-number"
    required
    aria-describedby="number-hint"
  />
  <small id="number-hint">A test card, such as 4242 4242 4242 4242.</small>
  <label for="expiry">Expiry (MM/YY)</label>
  <input id="expiry" name="expiry" autocomplete="cc-exp" required pattern="\\d{1,2} ?/ ?\\d{2,4}" />
  <label for="cvc">Security code</label>
  <input id="cvc" name="cvc" inputmode="numeric" autocomplete="cc-csc" required pattern="\\d{3,4}" />
  <label for="name">Name on the card</label>
  <input id="name" name="name" autocomplete="cc-name" />
  <button name="method" value="card">Pay with card</button>
</fieldset>`

export const authorisePage = (intent: Stripe.PaymentIntent, method: string): Html => {
  const who = walletNames[method] ?? "Your bank (3D Secure)"
  return html`<h1>${who} asks: pay ${amountOf(intent.amount, intent.currency)}?</h1>
    <form method="post">
      <button name="outcome" value="authorise">Authorise the test payment</button>
      <button name="outcome" value="fail">Fail the test payment</button>
    </form>`
}

export const messagePage = (title: string, text: string): Html =>
  html`<h1>${title}</h1>
    <p>${text}</p>`
