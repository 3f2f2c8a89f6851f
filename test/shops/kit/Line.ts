/** The line from Coffer to a shop, on which posts are doubled and lost. It keeps them all. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

export interface Post {
  readonly path: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

export interface Line {
  readonly url: string
  /** `lost`: it answers as if it were the shop, which hears nothing. `twice`: both at once. */
  mode: "once" | "twice" | "lost"
  readonly posts: Array<Post>
  /** Posts to the shop once more. Returns the shop's status. */
  readonly post: (post: Post) => Promise<number>
  readonly stop: () => void
}

/** `to`: the shop's address. Each post goes to the path that it has. */
export const makeLine = async (to: string): Promise<Line> => {
  const post = async ({ body, headers, path }: Post) => {
    const answer = await fetch(to + path, { method: "POST", body, headers })
    await answer.text()
    return answer.status
  }
  const server = createServer(async (request, response) => {
    const chunks: Array<Uint8Array> = []
    for await (const chunk of request) chunks.push(chunk)
    const kept = Object.entries(request.headers).filter(([name]) => /signature|^webhook-|^content-type$/.test(name))
    const heard = {
      path: request.url ?? "",
      body: Buffer.concat(chunks).toString(),
      headers: Object.fromEntries(kept) as Post["headers"]
    }
    line.posts.push(heard)
    const times = { once: 1, twice: 2, lost: 0 }[line.mode]
    const statuses = await Promise.all(Array.from({ length: times }, () => post(heard).catch(() => 502)))
    response.writeHead(statuses.find((status) => status !== 200) ?? 200).end()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const line: Line = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mode: "once",
    posts: [],
    post,
    stop: () => server.close().closeAllConnections()
  }
  return line
}
