/**
 * The two forms of the checkout page, and what they send. One is the choice of a method with a card's details, the
 * other is the simulated wallet or 3DS page. A form posts to the address of its page.
 */
import { PaymentMethod } from "@coffer/model/PaymentMethod"
import { Schema } from "effect"
import { type CardField, testCards } from "./checkCard.ts"
import { type Html, html } from "../pages/html.ts"
import { type Notice, texts } from "./texts.ts"

/** What a form sends. `step` is the button that was pressed: pay, or the choice in the wallet or at the bank. */
export const CheckoutForm = Schema.Struct({
  step: Schema.Literals(["pay", "confirm", "cancel"]),
  method: PaymentMethod,
  /** Names the attempt, so that a form which arrives twice makes one (silences: O32). */
  attempt_no: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^[0-9A-HJKMNP-TV-Z]{26}$/))),
  number: Schema.optionalKey(Schema.String),
  expiry: Schema.optionalKey(Schema.String),
  cvc: Schema.optionalKey(Schema.String)
})
export type CheckoutForm = typeof CheckoutForm.Type

interface PayForm {
  readonly amount: string
  readonly attemptNo: string
  readonly method: PaymentMethod
  readonly notice: Notice | undefined
  readonly mistakes: ReadonlySet<CardField>
}

// The server reports missing fields. With `required`, a hidden card field would block payments by wallet.
export const payForm = ({ amount, attemptNo, method, mistakes, notice }: PayForm): Html =>
  html` <form class="card stack" method="post" novalidate>
    ${attemptField(attemptNo)} ${notice && alert(notice)}
    <fieldset>
      <legend>${texts.form.method}</legend>
      <div class="methods">${PaymentMethod.literals.map((each) => methodChoice(each, each === method))}</div>
    </fieldset>
    <div class="details">
      ${cardField("number", { mistakes, autocomplete: "cc-number", maxlength: 31, wide: true })}
      ${cardField("expiry", { mistakes, autocomplete: "cc-exp", maxlength: 9, placeholder: "MM/YY" })}
      ${cardField("cvc", { mistakes, autocomplete: "cc-csc", maxlength: 4 })} ${testCardHint}
    </div>
    <button class="button" name="step" value="pay">${texts.form.pay(amount)}</button>
  </form>`

const attemptField = (attemptNo: string) => html`<input type="hidden" name="attempt_no" value="${attemptNo}" />`

const alert = (notice: Notice) =>
  html`<div class="alert" role="alert">
    <strong>${texts.notices[notice].title}</strong><br />${texts.notices[notice].text}
  </div>`

const methodChoice = (method: PaymentMethod, checked: boolean) =>
  html`<label class="method">
    <input type="radio" name="method" id="method-${method}" value="${method}" ${checked ? html`checked` : undefined} />
    ${texts.methods[method]}
  </label>`

interface FieldLook {
  readonly mistakes: ReadonlySet<CardField>
  readonly autocomplete: string
  readonly maxlength: number
  readonly placeholder?: string
  readonly wide?: boolean
}

/** Always empty: what was typed before is never sent back. */
const cardField = (name: CardField, { autocomplete, maxlength, mistakes, placeholder, wide }: FieldLook) => {
  // The first mistaken field gets the focus.
  const [first] = mistakes
  return html`<div class="field${wide === true ? " wide" : ""}">
    <label class="label" for="${name}">${texts.form[name]}</label>
    <input
      id="${name}"
      name="${name}"
      type="text"
      inputmode="numeric"
      autocomplete="${autocomplete}"
      spellcheck="false"
      maxlength="${maxlength}"
      ${placeholder && html`placeholder="${placeholder}"`}
      ${mistakes.has(name) ? html`aria-invalid="true" aria-describedby="${name}-mistake"` : undefined}
      ${first === name ? html`autofocus` : undefined}
    />
    ${mistakes.has(name) ? html`<p class="mistake" id="${name}-mistake">${texts.mistakes[name]}</p>` : undefined}
  </div>`
}

const testCardHint = html`<div class="note soft wide">
  <strong>${texts.form.testCards}</strong>
  <ul>
    ${Object.entries(testCards).map(
      ([number, attempt]) =>
        html`<li>
          <code>${number.replace(/\d{4}(?=\d)/g, "$& ")}</code> <span>${texts.form.testCardDoes[attempt]}</span>
        </li>`
    )}
  </ul>
  ${texts.form.testCardsUse}
</div>`

export const simulation = (shown: {
  readonly attemptNo: string
  readonly method: PaymentMethod
  readonly confirm: string
  readonly cancel: string
}) =>
  html`<form class="buttons" method="post">
    ${attemptField(shown.attemptNo)}
    <input type="hidden" name="method" value="${shown.method}" />
    <button class="button" name="step" value="confirm">${shown.confirm}</button>
    <button class="button quiet" name="step" value="cancel">${shown.cancel}</button>
  </form>`
