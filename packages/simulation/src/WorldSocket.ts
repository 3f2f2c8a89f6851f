/**
 * One end of a connection in memory. Written data arrives at the other end as a step of the world: in order, at a time
 * chosen by the seed.
 */
import { Duplex } from "node:stream"
import type { World } from "./World.ts"

export class WorldSocket extends Duplex {
  peer!: WorldSocket
  /** The runner at this end; callers are 0, the gate is -1. */
  owner = 0
  connecting = false
  encrypted = false
  authorized = false
  alpnProtocol: string | false = false
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
    this.world.lane(
      this,
      () => {
        if (peer.destroyed || peer.readableEnded || peer.hasEnded) return
        peer.bytesRead += bytes.length
        peer.push(bytes)
      },
      peer.owner
    )
    done()
  }

  override _final(done: (error?: Error | null) => void) {
    this.world.lane(this, () => this.peer.hearEnd(), this.peer.owner)
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
      peer.owner
    )
    done(error)
  }

  /** As after a network failure, or a kill of the other process. */
  reset() {
    if (!this.destroyed) this.destroy(Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }))
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
