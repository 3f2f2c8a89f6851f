/**
 * One end of a connection in memory. Written data arrives at the other end as a step of the world: in order, at a time
 * chosen by the seed.
 */
import { Duplex } from "node:stream"
import type { Fate } from "./Network.ts"
import { machinery } from "./owners.ts"
import type { World } from "./World.ts"

export class WorldSocket extends Duplex {
  peer!: WorldSocket
  /** The runner at this end; callers are 0, the gate is -1. */
  owner = 0
  connecting = false
  encrypted = false
  authorized = false
  alpnProtocol: string | false = false
  /** Whether a program has this end: nobody hears the end of a connection that was not accepted. */
  isTaken = true
  /** Whether this end has noticed its close. */
  hasEnded = false
  /** Whether the process at the other end was killed. */
  wasKilled = false
  /** Called when the other end has closed. */
  whenPeerCloses: () => void = () => {}
  remoteAddress = "127.0.0.1"
  remoteFamily = "IPv4"
  remotePort = 40_000
  localAddress = "127.0.0.1"
  localPort = 40_000
  bytesRead = 0
  bytesWritten = 0
  private readonly world: World
  /** The time before which nothing arrives at the other end. */
  private lateUntil = 0
  /** What is written gets lost, until both ends notice that the connection is broken. */
  private isBroken = false

  /** Until the connection is made, the other end has no owner. */
  private readonly ofPeer = () => this.peer.owner

  constructor(world: World) {
    super({ allowHalfOpen: false, autoDestroy: true, emitClose: true })
    this.world = world
  }

  override _read() {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void) {
    const { peer } = this
    this.bytesWritten += chunk.length
    // The writer may reuse its buffer.
    const bytes = Buffer.from(chunk)
    const arrive = () => {
      if (this.isBroken || peer.destroyed || peer.readableEnded || peer.hasEnded) return
      peer.bytesRead += bytes.length
      peer.push(bytes)
    }
    const fate = this.isBroken ? undefined : this.fate()
    if (fate?.kind === "late") this.lateUntil = Math.max(this.lateUntil, this.world.now + fate.millis)
    if (fate?.kind === "lost") this.break(fate.millis)
    const wait = this.lateUntil - this.world.now
    if (wait > 0) this.world.after(wait, () => this.world.lane(this, arrive, this.ofPeer), machinery)
    else this.world.lane(this, arrive, this.ofPeer)
    // It arrives, and the answer does not.
    if (fate?.kind === "repeated") this.world.lane(this, () => this.break(fate.millis), machinery)
    done()
  }

  private fate(): Fate | undefined {
    const { owner, peer, world } = this
    if (owner <= 0 || peer.owner <= 0 || owner === peer.owner) return undefined
    return world.network.fateOf(owner, peer.owner)
  }

  private break(millis: number) {
    const { peer, world } = this
    this.isBroken = true
    peer.isBroken = true
    for (const end of [this, peer]) {
      world.after(millis, () => world.lane(end, () => end.reset(), end.owner), machinery)
    }
  }

  override _final(done: (error?: Error | null) => void) {
    this.world.lane(this, () => this.peer.hearEnd(), this.ofPeer)
    done()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void) {
    const { peer } = this
    this.world.lane(
      this,
      () => {
        if (peer.destroyed) return
        peer.hearEnd()
        peer.whenPeerCloses()
      },
      this.ofPeer
    )
    done(error)
  }

  /** As after a network failure, or a kill of the other process. */
  reset() {
    if (!this.isTaken) this.destroy()
    else if (!this.destroyed) this.destroy(Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }))
  }

  private hearEnd() {
    if (this.destroyed || this.hasEnded) return
    this.hasEnded = true
    this.push(null)
  }

  setKeepAlive() {
    return this
  }
  setNoDelay() {
    return this
  }
  setTimeout() {
    return this
  }
  ref() {
    return this
  }
  unref() {
    return this
  }
  override cork() {}
  override uncork() {}
  address() {
    return { address: "127.0.0.1", port: this.localPort, family: "IPv4" }
  }
  destroySoon() {
    this.end(() => this.destroy())
  }
  resetAndDestroy() {
    return this.destroy()
  }
  get readyState() {
    return this.connecting ? "opening" : "open"
  }
  get pending() {
    return this.connecting
  }
}
