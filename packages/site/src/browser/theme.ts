/** Runs before the first paint: applies the reader's choice of light or dark, so that nothing flashes. */
document.documentElement.classList.add("scripted")
try {
  const chosen = localStorage.getItem("coffer-theme")
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset["theme"] = chosen
} catch {
  // Without storage the device's setting is used.
}
