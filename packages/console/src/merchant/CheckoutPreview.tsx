/**
 * The checkout as it would be with the values of the form around it, before they are saved: the service's own page in a
 * frame without scripts, into which the values are put.
 */
import { inkOn, lightenedFor } from "@coffer/rules/shop/accent"
import { useEffect, useRef } from "react"
import { grounds } from "../tokens.ts"
import { useLanguage, useWords } from "../parts/words.ts"

const texts = {
  en: { title: "Preview of the checkout" },
  zh: { title: "收银台预览" }
}

export const CheckoutPreview = ({ logo, name }: { readonly name: string; readonly logo: string | null }) => {
  const words = useWords(texts)
  const language = useLanguage()
  const frame = useRef<HTMLIFrameElement>(null)
  useEffect(() => {
    const element = frame.current
    const form = element?.closest("form")
    if (element === null || form === null || form === undefined) return
    const show = () => {
      const page = element.contentDocument
      if (page !== null) showIn(page, { name, logo, typed: new FormData(form) })
    }
    element.addEventListener("load", show)
    form.addEventListener("input", show)
    show()
    return () => {
      element.removeEventListener("load", show)
      form.removeEventListener("input", show)
    }
  }, [logo, name])
  return (
    <figure className="checkout-preview">
      <figcaption className="small soft">{words.title}</figcaption>
      <iframe
        ref={frame}
        title={words.title}
        src={`/console/preview/${language}`}
        sandbox="allow-same-origin"
        tabIndex={-1}
      />
    </figure>
  )
}

interface Shown {
  readonly name: string
  readonly logo: string | null
  readonly typed: FormData
}

const showIn = (page: Document, { logo, name, typed }: Shown) => {
  const shop = page.querySelector(".shop")
  if (shop === null) return
  page.body.inert = true
  const text = (field: string) => String(typed.get(field) ?? "").trim()
  shop.querySelector("bdi")!.textContent = name
  showLogo(shop, logo)
  showAccent(page.documentElement.style, text("accent_color"))
  const links = { "mailto:": "support_email", "/help": "support_url", "/terms": "terms_url", "/privacy": "privacy_url" }
  for (const [part, field] of Object.entries(links)) {
    for (const link of page.querySelectorAll<HTMLElement>(`.help a[href*="${part}"], .legal a[href*="${part}"]`)) {
      link.hidden = text(field) === ""
      if (field === "support_email") link.querySelector("bdi")!.textContent = text(field)
    }
  }
  for (const help of page.querySelectorAll<HTMLElement>(".help")) {
    help.hidden = text("support_email") === "" && text("support_url") === ""
  }
}

/** Pages load the file from their own address. */
export const logoAddress = (url: string): string => `/files/${url.split("/").at(-1) ?? ""}`

const showLogo = (shop: Element, logo: string | null) => {
  const before = shop.querySelector("img")
  if (logo === null) return before?.remove()
  const image = before ?? shop.insertBefore(shop.ownerDocument.createElement("img"), shop.firstChild)
  image.alt = ""
  image.src = logoAddress(logo)
}

/** As the checkout's own style has it (`src/shared/pages/style.ts`). */
const showAccent = (style: CSSStyleDeclaration, typed: string) => {
  const names = ["--accent", "--accent-ink", "--tint"] as const
  if (!/^#[0-9a-f]{6}$/i.test(typed)) return names.forEach((name) => style.removeProperty(name))
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches
  const color = isDark ? lightenedFor(typed, grounds.dark) : typed
  style.setProperty("--accent", color)
  style.setProperty("--accent-ink", inkOn(color))
  style.setProperty("--tint", "var(--note)")
}
