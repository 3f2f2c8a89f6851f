/** Prints a receipt. Sent to the browser as it is written (see `cardTyping.ts`). */
export function offerPrint() {
  const button = document.querySelector<HTMLButtonElement>("[data-print]")
  if (button === null) return
  button.hidden = false
  button.addEventListener("click", () => print())
}
