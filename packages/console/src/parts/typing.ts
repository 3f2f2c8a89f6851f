/** Typed text before it is a value: unseen signs that came with a copy, and the keys of input methods. */

/** Zero-width signs, blanks that do not break, a byte order mark, marks of direction. */
const unseen = "\u00A0\u00AD\u180E\u200B-\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF"
const atStart = new RegExp(`^[\\s${unseen}]*[${unseen}]`)
const atEnd = new RegExp(`[${unseen}][\\s${unseen}]*$`)

/** A text without unseen signs at its ends. Blanks and line ends of its own stay. */
export const withoutUnseen = (text: string): string => text.replace(atStart, "").replace(atEnd, "")

/** The same of one line. */
export const bare = (text: string): string => withoutUnseen(text).trim()

const takesText =
  "textarea, input:not([type]), input[type=text], input[type=search], input[type=email], input[type=url]"

const clean = (field: EventTarget | null) => {
  if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) || !field.matches(takesText)) return
  const text = withoutUnseen(field.value)
  if (text !== field.value) field.value = text
}

/**
 * In all fields: a text loses unseen signs at its ends when its field is left or its form is sent, and a key that an
 * input method takes for itself, such as the Enter that ends a word, is no key for the page.
 */
export const guardTyping = () => {
  document.addEventListener("change", ({ target }) => clean(target), true)
  document.addEventListener(
    "submit",
    ({ target }) => (target as HTMLFormElement).querySelectorAll(takesText).forEach(clean),
    true
  )
  document.addEventListener(
    "keydown",
    (event) => {
      // Safari says 229 of the key that has just ended a word.
      if (event.isComposing || event.keyCode === 229) event.stopPropagation()
    },
    true
  )
}
