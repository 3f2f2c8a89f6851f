/**
 * The forms of the checkout page, and what they send: a wallet of the browser at once, the choice of a method with a
 * card's details, or the simulated wallet or 3DS page. A form posts to the address of its page.
 */
import { emailLengthMax } from "@coffer/model/Limits"
import { everywhere, methodName, ofBrowsers, PaymentMethod, phonesFirst } from "@coffer/model/PaymentMethod"
import { Schema } from "effect"
import { type Html, html } from "../../shared/pages/html.ts"
import type { Language } from "../../shared/pages/language.ts"
import { type CardField, testCards } from "./checkCard.ts"
import { againOf, type PageContext, shopIn, wordsOf } from "./frame.ts"
import { drawn } from "../../shared/pages/layout.ts"
import type { Notice, Texts } from "./texts.ts"

/**
 * A form that a buyer sends. `step` is the button that was pressed: pay, or the choice in the wallet or at the bank.
 */
export const CheckoutForm = Schema.Struct({
  step: Schema.Literals(["pay", "confirm", "cancel"]),
  method: PaymentMethod,
  /** The id of the attempt, so that a form which arrives twice makes one attempt (silences: O32). */
  attempt_no: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^[0-9A-HJKMNP-TV-Z]{26}$/))),
  number: Schema.optionalKey(Schema.String),
  expiry: Schema.optionalKey(Schema.String),
  cvc: Schema.optionalKey(Schema.String),
  /** The buyer's address for the receipt, if the merchant gave none. */
  email: Schema.optionalKey(Schema.String)
})
export type CheckoutForm = typeof CheckoutForm.Type

/** The methods to choose from. The first is chosen already. */
const choices: Readonly<Record<Language, ReadonlyArray<PaymentMethod>>> = {
  en: everywhere,
  zh: phonesFirst,
  "zh-Hant": phonesFirst
}

/** The methods that a page offers as choices; the browser's own wallets are buttons of their own. */
export const choosable: ReadonlySet<PaymentMethod> = new Set(everywhere)

/** The fields that can be mistaken. */
export type Field = CardField | "email"

interface PayForm {
  readonly amount: string
  readonly method?: PaymentMethod | undefined
  readonly notice?: Notice | undefined
  readonly triesLeft?: number | undefined
  readonly mistakes: ReadonlySet<Field>
  readonly empty: ReadonlySet<Field>
  /** The channel's own page has all fields. */
  readonly hosted: boolean | undefined
  /** The name of the channel that has this page. */
  readonly provider?: string | undefined
  /** The receipt's address: the buyer may give one, or has given one already. */
  readonly mail: "wanted" | "known" | undefined
  readonly back: Html | undefined
}

// The server reports missing fields. With `required`, a hidden card field would block payments by wallet.
export const payForms = (
  { amount, back, empty, hosted = false, mail, method, mistakes, notice, provider = "", triesLeft }: PayForm,
  context: PageContext
): Html => {
  const { form, uncertain } = wordsOf(context)
  const nameOf = (each: PaymentMethod) => methodName(each, context.language)
  const offered: ReadonlyArray<PaymentMethod> = choices[context.language].filter((each) =>
    context.offered.includes(each)
  )
  const chosen = method !== undefined && offered.includes(method) ? method : offered[0]
  return html`<section class="card stack">
    ${hosted ? undefined : expressForm(context)}
    <form class="stack" method="post" novalidate data-pay data-busy="${form.busy}">
      ${attemptField(context)} ${offered.length === 1 ? html`<p class="label">${nameOf(offered[0]!)}</p>` : undefined}
      <fieldset ${offered.length === 1 ? html`hidden` : undefined}>
        <legend class="unseen">${form.method}</legend>
        <div class="methods">${offered.map((each) => methodChoice(each, nameOf(each), each === chosen))}</div>
      </fieldset>
      ${offered.map((each) =>
        each === "card" && !hosted
          ? cardFields(wordsOf(context), mistakes, empty)
          : html`<p class="hint soft by-${each}">
              ${hosted ? form.hostedHint(provider, amount) : form.walletHint(nameOf(each))}
            </p>`
      )}
      ${mail && mailField(mail, mistakes, context)}
      <div class="stack" data-notice>${notice && noticeOf(notice, triesLeft, wordsOf(context))}</div>
      <template data-unheard
        >${alert({ title: uncertain.heading, text: uncertain.text })}
        <a class="button" href="${againOf(context)}">${uncertain.again}</a></template
      >
      <button class="button" name="step" value="pay">
        ${
          hosted
            ? offered.map(
                (each) => html`<span class="go by-${each}">${form.goTo(each === "card" ? "" : nameOf(each))}</span>`
              )
            : form.pay(amount)
        }
      </button>
      <p class="trust">
        ${drawn("lock", 2, html`<path d="M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3" />`)}${form.trust}
      </p>
    </form>
    ${offered.includes("card") && !hosted ? testCardDrawer(form) : undefined} ${back}
  </section>`
}

/** The last attempts before the lockout are announced. */
const announcedTries = 2

/** A cancellation is the buyer's own choice, and is not shown as an error. */
const noticeOf = (notice: Notice, triesLeft: number | undefined, { form, notices }: Texts) => {
  // Each mistaken field has its own message, and the first has the focus.
  if (notice === "mistaken") return undefined
  const { text, title } = notices[notice]
  if (notice === "cancelled")
    return html`<p class="note" role="status" tabindex="-1"><strong>${title}</strong><br />${text}</p>`
  const few = triesLeft !== undefined && triesLeft > 0 && triesLeft <= announcedTries
  return alert({ title, text: few ? text + form.triesLeft(triesLeft) : text })
}

const alert = ({ text, title }: { readonly title: string; readonly text: string }) =>
  html`<div class="alert" role="alert" tabindex="-1" autofocus><strong>${title}</strong><br />${text}</div>`

/** One attempt of the page, for each of its forms. */
const attemptField = ({ attemptNo }: Pick<PageContext, "attemptNo">) =>
  attemptNo && html`<input type="hidden" name="attempt_no" value="${attemptNo}" />`

const expressForm = (context: PageContext) => {
  const { form } = wordsOf(context)
  // Hidden until a script has found that the browser offers it.
  const offered = ofBrowsers.filter((each) => context.offered.includes(each))
  return offered.length === 0
    ? undefined
    : html`<form class="express stack" method="post" aria-label="${form.express}" data-busy="${form.busy}" hidden>
        <input type="hidden" name="step" value="pay" />
        ${attemptField(context)}
        ${offered.map(
          (each) =>
            html`<button class="button express" name="method" value="${each}" hidden>
              ${form.expressBy(methodName(each, context.language))}
            </button>`
        )}
        <p class="or"><span>${form.or}</span></p>
      </form>`
}

const methodChoice = (method: PaymentMethod, name: string, checked: boolean) =>
  html`<label class="method">
    <input type="radio" name="method" id="method-${method}" value="${method}" ${checked ? html`checked` : undefined} />
    <span>${name}</span>
  </label>`

/** Folded, so that the pay button is on the first screen of a phone; open if it contains a mistake. */
const mailField = (mail: "wanted" | "known", mistakes: ReadonlySet<Field>, context: PageContext) => {
  const { form, mistakes: words } = wordsOf(context)
  const isMistaken = mistakes.has("email")
  return html`<details class="mail" ${isMistaken ? html`open` : undefined}>
    <summary>${form.mail}</summary>
    ${field("email", form.email, {
      first: mistakes.size === 1 && isMistaken ? "email" : undefined,
      mistake: isMistaken ? words.email : undefined,
      type: "email",
      inputmode: "email",
      autocomplete: "email",
      maxlength: emailLengthMax,
      hint: mail === "known" ? form.emailKept : form.emailUse(shopIn(context))
    })}
  </details>`
}

const cardFields = (
  { form, mistakes: words, missing }: Texts,
  mistakes: ReadonlySet<Field>,
  empty: ReadonlySet<Field>
) => {
  // The first mistaken field gets the focus.
  const [first] = mistakes
  const mistakeIn = (name: CardField) =>
    empty.has(name) ? missing[name] : mistakes.has(name) ? words[name] : undefined
  const common = { first, inputmode: "numeric" }
  return html`<div class="details">
    ${field("number", form.number, {
      ...common,
      mistake: mistakeIn("number"),
      autocomplete: "cc-number",
      maxlength: 31,
      placeholder: "1234 1234 1234 1234",
      wide: true
    })}
    ${field("expiry", form.expiry, {
      ...common,
      mistake: mistakeIn("expiry"),
      autocomplete: "cc-exp",
      maxlength: 9,
      placeholder: form.expiryForm
    })}
    ${field("cvc", form.cvc, {
      ...common,
      mistake: mistakeIn("cvc"),
      autocomplete: "cc-csc",
      maxlength: 4,
      placeholder: form.cvcForm
    })}
  </div>`
}

interface FieldLook {
  readonly first?: Field | undefined
  readonly type?: "text" | "email"
  /** Below the field: its purpose. */
  readonly hint?: string
  readonly mistake?: string | undefined
  readonly inputmode?: string
  readonly autocomplete: string
  readonly maxlength: number
  readonly placeholder?: string
  readonly wide?: boolean
}

/** Always empty: what was typed before is never sent back. */
const field = (
  name: Field,
  label: string,
  { autocomplete, first, hint, inputmode, maxlength, mistake, placeholder, type = "text", wide }: FieldLook
) =>
  html`<div class="field${wide === true ? " wide" : ""}">
    <label class="label" for="${name}">${label}</label>
    <div class="entry">
      <input
        id="${name}"
        name="${name}"
        type="${type}"
        ${inputmode && html`inputmode="${inputmode}"`}
        autocomplete="${autocomplete}"
        spellcheck="false"
        maxlength="${maxlength}"
        ${placeholder && html`placeholder="${placeholder}"`}
        ${mistake && html`aria-invalid="true" aria-describedby="${name}-mistake"`}
        ${first === name ? html`autofocus` : undefined}
      />
      ${name === "number" ? html`<span class="brand" role="status" data-brand></span>` : undefined}
    </div>
    ${hint && html`<p class="soft">${hint}</p>`}
    ${mistake && html`<p class="mistake" id="${name}-mistake">${mistake}</p>`}
  </div>`

const testCardDrawer = (form: Texts["form"]) =>
  html`<details class="note soft tests">
    <summary>${form.testCards}</summary>
    <ul>
      ${Object.entries(testCards).map(
        ([number, outcome]) =>
          html`<li>
            <code>${number.replace(/\d{4}(?=\d)/g, "$& ")}</code> <span>${form.testCardDoes[outcome]}</span>
          </li>`
      )}
    </ul>
    ${form.testCardsUse}
  </details>`

export const simulation = (shown: {
  readonly method: PaymentMethod
  readonly confirm: string
  readonly cancel: string
  readonly busy: string
  readonly context: PageContext
}) =>
  html`<form class="buttons" method="post" data-busy="${shown.busy}">
    ${attemptField(shown.context)}
    <input type="hidden" name="method" value="${shown.method}" />
    <button class="button" name="step" value="confirm">${shown.confirm}</button>
    <button class="button quiet" name="step" value="cancel">${shown.cancel}</button>
  </form>`
