/** The receivers of all merchants' webhooks: one server that keeps each post. An address that ends in `down` fails. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Post } from "./place.ts"

export interface Hooks {
  readonly url: string
  /** The posts to addresses below this one, since they were taken last. */
  readonly take: (below: string) => ReadonlyArray<Post>
  readonly close: () => void
}

export const startHooks = async (): Promise<Hooks> => {
  const posts = new Map<string, Array<Post>>()
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const address = url + request.url!
      const owner = address.slice(0, address.lastIndexOf("/"))
      const post = { url: address, headers: request.headers as Post["headers"], body: Buffer.concat(chunks).toString() }
      const before = posts.get(owner)
      if (before === undefined) posts.set(owner, [post])
      else before.push(post)
      response.writeHead(address.endsWith("/down") ? 500 : 200).end()
    })
  })
  // A connection that was closed while a post was on its way would bring it twice (silences: W20).
  server.keepAliveTimeout = 0
  server.on("error", () => undefined)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    take: (below) => {
      const taken = posts.get(below) ?? []
      posts.delete(below)
      return taken
    },
    close: () => void server.close()
  }
}
