/**
 * The typing of a card in the browser: the number is grouped, the expiry gets its slash, the brand is recognised. These
 * functions are sent to the browser as they are written, so each uses only functions that are sent with it, and nothing
 * is imported.
 */

/** By the first digits of the number; "" while they are ambiguous. */
export function brandOf(digits: string): string {
  const brands: ReadonlyArray<readonly [name: string, begins: RegExp]> = [
    ["Visa", /^4/],
    ["Mastercard", /^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/],
    ["American Express", /^3[47]/],
    ["UnionPay", /^(62|81)/],
    ["JCB", /^35(2[89]|[3-8])/],
    ["Diners Club", /^3(0[0-5]|[689])/],
    ["Discover", /^6(011|5|4[4-9])/]
  ]
  return brands.find(([, begins]) => begins.test(digits))?.[0] ?? ""
}

/** As it is printed on the card. */
export function groupNumber(text: string): string {
  const digits = text.replace(/\D/g, "").slice(0, 19)
  const parts = /^3[046-9]/.test(digits) ? /^(\d{0,4})(\d{0,6})(\d*)$/.exec(digits) : null
  if (parts !== null) return parts.slice(1).filter(Boolean).join(" ")
  return digits.replace(/\d{4}(?=\d)/g, "$& ")
}

/** `12` becomes `12/`, and `12/2034` becomes `12/34`. While text is deleted, no slash comes back. */
export function slashExpiry(text: string, deleting: boolean): string {
  const whole = /^\s*(\d{1,2})\s*[/.\s-]\s*(?:20)?(\d{2})\s*$/.exec(text)
  if (whole !== null) return `${whole[1]!.padStart(2, "0")}/${whole[2]}`
  const typed = text.replace(/\D/g, "").slice(0, 6)
  const isOneDigit = /^\s*[2-9]/.test(text) || /^\s*1\s*[/.-]/.test(text)
  const digits = isOneDigit && !deleting ? `0${typed}` : typed
  if (digits.length < 2 || (digits.length === 2 && deleting)) return digits
  const year = digits.length === 6 && digits.startsWith("20", 2) ? digits.slice(4) : digits.slice(2)
  return `${digits.slice(0, 2)}/${year}`
}

/** Reformats a field. The caret stays behind its digit. Letters are left for the server to refuse. */
export function rewrite(input: HTMLInputElement, format: (text: string) => string, forwards: boolean) {
  const before = input.value.normalize("NFKC")
  if (/[^\d\s/.-]/.test(before)) return
  const caret = input.selectionStart ?? before.length
  const digitsBefore = before.slice(0, caret).replace(/\D/g, "").length
  const after = format(before)
  if (after === input.value) return
  input.value = after
  if (document.activeElement !== input) return
  let at = after.length
  if (caret < before.length) {
    at = 0
    for (let passed = 0; passed < digitsBefore && at < after.length; at++) if (/\d/.test(after[at]!)) passed++
    if (forwards && /\D/.test(after[at] ?? "0")) at++
  }
  input.setSelectionRange(at, at)
}

export function typed(event: Event) {
  const input = event.target as HTMLInputElement
  const { inputType = "", isComposing = false } = event as InputEvent
  if (isComposing) return
  const deleting = inputType.startsWith("delete")
  const forwards = inputType === "deleteContentForward"
  if (input.name === "number") rewrite(input, groupNumber, forwards)
  if (input.name === "expiry") rewrite(input, (text) => slashExpiry(text, deleting), forwards)
  showBrand()
  forgive(input)
}

export function showBrand() {
  const number = document.querySelector<HTMLInputElement>("#number")
  const shown = document.querySelector("[data-brand]")
  if (number === null || shown === null) return
  const brand = brandOf(number.value.normalize("NFKC").replace(/\D/g, ""))
  if (shown.textContent !== brand) shown.textContent = brand
}

/** Editing a field clears its mistake. */
export function forgive(input: Element) {
  input.removeAttribute("aria-invalid")
  input.removeAttribute("aria-describedby")
  input.closest(".field")?.querySelector(".mistake")?.remove()
}
