/** Where sources make sockets, servers, streams and processes, and whether they listen to their errors at once. */
/** Makers of emitters, and the modules of Node that have them. */
const emitterModule =
  /import (?:\* as (\w+)|\{([^}]*)\}|(\w+)(?:, \{[^}]*\})?) from "node:(?:child_process|cluster|fs|https?|net|tls)"/g
const emitterMakers =
  /^(?:connect|createConnection|createServer|createReadStream|createWriteStream|fork|get|request|spawn)$/
/** The functions to which the emitter is handed at once, which listen. Effect's server has listeners of `makeListener`. */
const listeners = /\b(?:follow\(|socket\.on\("session"|NodeHttpServer\.make\(|keepUntilServed\(|openConnections\()/
const stepsBetween = /\byield\*|\bawait\b/
const linesBetween = 30

/** The calls after which an `error` of what they made may come before anything listens: that would end the process. */
export const unheard = (text: string): ReadonlyArray<string> => {
  const names = [...text.matchAll(emitterModule)].flatMap(([, all, some, main]) => {
    const module = all ?? main
    if (module !== undefined) return [`${module}\\.(?:connect|createServer|request|fork|spawn|createReadStream)`]
    return some!
      .split(",")
      .map((each) => each.trim().split(" as "))
      .filter(([name]) => emitterMakers.test(name!))
      .map(([name, own]) => own ?? name!)
  })
  if (names.length === 0) return []
  return [...text.matchAll(new RegExp(`(?<![.\\w])(?:${names.join("|")})\\(`, "g"))]
    .map(({ index }) => text.slice(index).split("\n").slice(0, linesBetween).join("\n"))
    .filter((after) => {
      const heard = Math.min(...[/"error"/, listeners].map((each) => after.search(each)).filter((at) => at >= 0))
      return heard === Infinity || stepsBetween.test(after.slice(0, heard))
    })
    .map((after) => after.split("\n")[0]!)
}
