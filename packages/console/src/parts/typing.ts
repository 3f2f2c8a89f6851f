/** Cleans up typed text: invisible characters from copying, and keys of input methods. */

/** Zero-width characters, non-breaking spaces, byte order marks, directional marks. */
const unseen = "\u00A0\u00AD\u180E\u200B-\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF"
const atStart = new RegExp(`^[\\s${unseen}]*[${unseen}]`)
const atEnd = new RegExp(`[${unseen}][\\s${unseen}]*$`)

/** Trims invisible characters from both ends. Ordinary spaces and line breaks stay. */
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
 * For all fields: trims invisible characters on blur or submit, and ignores keys that an input method consumes, such as
 * the Enter that ends a word.
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
      // Safari reports 229 for the key that has just ended a word.
      if (event.isComposing || event.keyCode === 229) event.stopPropagation()
    },
    true
  )
}
