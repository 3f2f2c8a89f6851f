/** How a shop presents itself: fields of a dialog, and facts. For the merchant's settings and the operators'. */
import { businessAddressLengthMax, shopLinkLengthMax, taxIdLengthMax } from "@coffer/model/Limits"
import { TextField } from "./act.tsx"
import { AccentField, Swatch, ZoneField } from "./brand.tsx"
import { Address } from "./Json.tsx"
import type { NamedFacts } from "./ObjectPage.tsx"
import { useWords } from "./words.ts"

const texts = {
  en: {
    support_email: "Support email",
    support_url: "Support page",
    terms_url: "Terms of service",
    privacy_url: "Privacy policy",
    business_address: "Business address",
    tax_id: "Tax ID",
    accent_color: "Brand color",
    contact_email: "Contact email",
    time_zone: "Report time zone",
    hints: {
      accent_color:
        "For example #17614f. It needs a contrast of at least 4.5:1 with the page. Leave empty for the default.",
      contact_email: "Receives notices about API keys. Never shown to buyers.",
      business_address: "Shown on receipts.",
      tax_id: "Shown on receipts. For example DE123456789.",
      time_zone: "For example Europe/Berlin or Asia/Shanghai."
    }
  },
  zh: {
    support_email: "客服邮箱",
    support_url: "客服页面",
    terms_url: "服务条款",
    privacy_url: "隐私政策",
    business_address: "公司地址",
    tax_id: "税号",
    accent_color: "品牌颜色",
    contact_email: "联系邮箱",
    time_zone: "报表时区",
    hints: {
      accent_color: "例如 #17614f。与页面背景的对比度不得低于 4.5:1，留空则使用默认颜色。",
      contact_email: "接收有关密钥的通知，不会向买家显示。",
      business_address: "显示在收据上。",
      tax_id: "显示在收据上，例如 DE123456789。",
      time_zone: "例如 Asia/Shanghai 或 Europe/Berlin。"
    }
  }
}

const fields = {
  support_email: { type: "email", maxLength: 254 },
  support_url: { type: "url", maxLength: 2048 },
  terms_url: { type: "url", maxLength: shopLinkLengthMax },
  privacy_url: { type: "url", maxLength: shopLinkLengthMax },
  business_address: { maxLength: businessAddressLengthMax },
  tax_id: { maxLength: taxIdLengthMax },
  accent_color: {},
  contact_email: { type: "email", maxLength: 254 },
  time_zone: {}
} as const
type Name = keyof typeof fields
const names = Object.keys(fields) as ReadonlyArray<Name>

type Details = { readonly [Each in Name]: string | null }

export const DetailFields = ({ details }: { readonly details: Details }) => {
  const words = useWords(texts)
  const hints: Partial<Record<Name, string>> = words.hints
  return names.map((name) => {
    const own = { label: words[name], hint: hints[name] ?? "", initial: details[name] ?? "" }
    if (name === "accent_color") return <AccentField key={name} {...own} />
    if (name === "time_zone") return <ZoneField key={name} {...own} />
    return (
      <TextField
        key={name}
        {...fields[name]}
        label={words[name]}
        name={name}
        initial={details[name] ?? ""}
        hint={hints[name]}
      />
    )
  })
}

/** The fields as they were typed. An emptied one is null, but for the time zone. */
export const typedDetails = (typed: FormData): Omit<Details, "time_zone"> & { readonly time_zone: string } => {
  const text = (name: Name) => String(typed.get(name) ?? "").trim()
  const all = Object.fromEntries(names.map((name) => [name, text(name) === "" ? null : text(name)]))
  return { ...(all as unknown as Details), time_zone: text("time_zone") }
}

export const useDetailFacts = (details: Details): NamedFacts => {
  const words = useWords(texts)
  return names.map((name) => [words[name], <Detail key={name} name={name} value={details[name]} />])
}

const Detail = ({ name, value }: { readonly name: Name; readonly value: string | null }) => {
  if (value === null) return "–"
  if (name.endsWith("_url")) return <Address url={value} />
  return name === "accent_color" ? <Swatch color={value} /> : value
}
