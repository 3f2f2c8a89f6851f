/** A browser of buyers and people: it keeps its cookies. */
import type { Reply } from "./place.ts"

let browsers = 1

export const browser = () => {
  const cookies = new Map<string, string>()
  return {
    /** Each request comes from another address, since an address may make twenty visits a minute. */
    headers: (): Record<string, string> => ({
      "X-Forwarded-For": `10.${(browsers >> 16) & 255}.${(browsers >> 8) & 255}.${browsers++ & 255}`,
      "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
      "Sec-Fetch-Mode": "navigate",
      "Sec-Fetch-Dest": "document",
      ...(cookies.size === 0 ? {} : { Cookie: [...cookies].map((pair) => pair.join("=")).join("; ") })
    }),
    keep: ({ cookies: set }: Pick<Reply, "cookies">) => {
      for (const line of set ?? []) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        if (name !== undefined) cookies.set(name, value!)
      }
    }
  }
}
