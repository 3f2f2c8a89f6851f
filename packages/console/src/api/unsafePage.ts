/**
 * Random ids and the clipboard without APIs that browsers restrict to secure origins: the console may be opened over
 * plain HTTP in a local network.
 */

/** A random id, such as of an action: 122 bits, like a UUID. */
export const randomId = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-")
}

/** Whether the text is in the clipboard now. */
export const copyText = async (text: string): Promise<boolean> => {
  const { clipboard } = navigator as { readonly clipboard?: Clipboard }
  if (clipboard !== undefined) {
    return clipboard.writeText(text).then(
      () => true,
      () => false
    )
  }
  // While a dialog is open, a field outside it cannot be selected.
  const place = document.querySelector("dialog[open]") ?? document.body
  const before = document.activeElement
  const field = Object.assign(document.createElement("textarea"), { value: text, className: "unseen" })
  place.append(field)
  field.select()
  const isCopied = document.execCommand("copy")
  field.remove()
  if (before instanceof HTMLElement) before.focus()
  return isCopied
}
