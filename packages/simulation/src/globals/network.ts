/** A world's sockets and servers: pairs of streams in memory. Everything else that would leave the process throws. */
import dgram from "node:dgram"
import dns from "node:dns"
import http from "node:http"
import net from "node:net"
import tls, { type TlsOptions } from "node:tls"
import childProcess from "node:child_process"
import workerThreads from "node:worker_threads"
import { machine, real } from "../machine.ts"
import type { Address, Listener } from "../Network.ts"

export const patchNetwork = () => {
  patchConnections()
  patchServers()
  patchTls()
  forbid(dgram, ["createSocket"])
  forbid(dns, ["lookup", "resolve", "resolve4", "resolve6", "resolveCname", "resolveTxt", "reverse"])
  forbid(dns.promises, ["lookup", "resolve", "resolve4", "resolve6", "resolveCname", "resolveTxt", "reverse"])
  forbid(childProcess, ["spawn", "fork", "exec", "execFile", "spawnSync", "execSync", "execFileSync"])
  forbid(workerThreads, ["Worker"])
  forbid(globalThis, ["fetch", "WebSocket"])
}

type Args = ReadonlyArray<unknown>
const addressOf = (args: Args): readonly [Address, (() => void) | undefined] => {
  const done = args.find((arg) => typeof arg === "function") as (() => void) | undefined
  const [first, second] = args
  if (typeof first === "object" && first !== null) return [first, done]
  return [{ port: Number(first), host: typeof second === "string" ? second : "localhost" }, done]
}

const patchConnections = () => {
  const connect = (...args: Args) =>
    machine.world === undefined
      ? (real.connect as (...args: Args) => unknown).apply(net, args as Array<unknown>)
      : machine.world.network.dial(...addressOf(args))
  Object.assign(net, { connect, createConnection: connect })
  Object.assign(http.Agent.prototype, { createConnection: connect })
}

/** The port that a world has given to a server. */
const ports = new WeakMap<net.Server, number>()
const secured = new WeakMap<net.Server, TlsOptions>()

const patchServers = () => {
  const servers = net.Server.prototype
  const { address, close, listen } = servers
  const listening = Object.getOwnPropertyDescriptor(servers, "listening")!
  Object.assign(servers, {
    listen(this: net.Server, ...args: Args) {
      const { world } = machine
      if (world === undefined) return (listen as (...args: Args) => unknown).apply(this, args as Array<unknown>)
      const [{ port }, done] = addressOf(args)
      if (done !== undefined) this.once("listening", done)
      const listener: Listener = { server: this, owner: world.who, secure: secured.get(this), connections: new Set() }
      ports.set(this, world.network.listen(listener, port === undefined ? undefined : Number(port)))
      return this
    },
    address(this: net.Server) {
      const port = ports.get(this)
      return port === undefined ? address.call(this) : { address: "127.0.0.1", family: "IPv4", port }
    },
    close(this: net.Server, done?: () => void) {
      const port = ports.get(this)
      if (port === undefined) return close.call(this, done)
      ports.delete(this)
      machine.world?.network.close(port, done)
      return this
    }
  })
  Object.defineProperty(servers, "listening", {
    get(this: net.Server) {
      return ports.has(this) || listening.get!.call(this)
    },
    configurable: true
  })
}

/** Between runners only the protocol negotiation of the handshake is simulated. */
const patchTls = () => {
  const { connect, createServer } = tls
  Object.assign(tls, {
    connect: (...args: Args) => {
      const options = args[0] as Address & { readonly socket?: unknown }
      return machine.world === undefined || options.socket !== undefined
        ? (connect as (...args: Args) => unknown)(...args)
        : machine.world.network.dial(options)
    },
    createServer: (options: TlsOptions, accept?: (socket: tls.TLSSocket) => void) => {
      if (machine.world === undefined) return createServer(options, accept)
      const server = new net.Server()
      secured.set(server, options)
      if (accept !== undefined) server.on("secureConnection", accept)
      return Object.assign(server, { setSecureContext: () => {} })
    }
  })
}

/** Not simulated yet: a call fails the world with a message. */
const forbid = (owner: object, names: ReadonlyArray<string>) => {
  for (const name of names) {
    const machines: unknown = Reflect.get(owner, name)
    if (typeof machines !== "function") continue
    const inWorld = () => {
      const error = new Error(`${name} leaves the world`)
      machine.world?.fail(error)
      throw error
    }
    const proxy = new Proxy(machines, {
      apply: (target, self, args) =>
        machine.world === undefined ? Reflect.apply(target as never, self, args) : inWorld(),
      construct: (target, args, made) =>
        machine.world === undefined ? Reflect.construct(target, args, made) : inWorld()
    })
    Object.defineProperty(owner, name, { value: proxy, configurable: true, writable: true })
  }
}
