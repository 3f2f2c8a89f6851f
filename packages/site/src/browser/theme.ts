/** Runs before the page is drawn: the reader's choice of light or dark, so that nothing flashes. */
document.documentElement.classList.add("scripted")
try {
  const chosen = localStorage.getItem("coffer-theme")
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset["theme"] = chosen
} catch {
  // A browser that keeps nothing follows the device.
}
