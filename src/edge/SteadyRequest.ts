/**
 * A request whose body does not hold the event loop, however small its chunks are (silences: G28). Node calls us for
 * each chunk, and in the 64 kB that it reads at a time there are 11,000 chunks of one byte.
 */
import { IncomingMessage } from "node:http"

/** A body may come in this many chunks of any size. */
const chunksMax = 2_000
/** In more chunks they have this many bytes on average, or the connection ends. */
const averageBytes = 64
/** The client has this long to read the answer. */
const graceMillis = 500

/** Tells the listener of `clientError` why the connection ends. */
export const smallChunks = "ERR_SMALL_CHUNKS"

export class SteadyRequest extends IncomingMessage {
  private chunks = 0
  private bytes = 0
  private refused = false

  /** Node reads on from the socket while this is true, and then when `_read` asks for more. */
  override push(chunk: Uint8Array | null, encoding?: BufferEncoding): boolean {
    if (this.refused) return false
    if (chunk !== null) {
      this.chunks++
      this.bytes += chunk.length
      if (this.chunks > chunksMax && this.bytes < this.chunks * averageBytes) return this.refuse()
    }
    return super.push(chunk, encoding)
  }

  override _read(size: number): void {
    if (!this.refused) super._read(size)
  }

  private refuse(): false {
    this.refused = true
    const { socket } = this
    socket.server?.emit("clientError", Object.assign(new Error(smallChunks), { code: smallChunks }), socket)
    const cut = setTimeout(() => socket.destroy(), graceMillis)
    socket.once("close", () => clearTimeout(cut))
    return false
  }
}
