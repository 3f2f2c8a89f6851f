/** Who requested what is listed: a person, a key by its number, or the account's main key. */
import { useWords } from "./words.ts"

const texts = { en: { mainKey: "Main key" }, zh: { mainKey: "主密钥" } }

export const Requester = ({ of }: { readonly of: string | null }) => {
  const words = useWords(texts)
  return of === "main_key" ? words.mainKey : (of ?? "–")
}
