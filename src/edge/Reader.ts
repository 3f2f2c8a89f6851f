/** What is known of a client that reads an answer: how many bytes it has taken, and whether any wait for it. */
import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** What Node's socket writes through. It has no public name for what the system has not taken yet. */
interface Written {
  readonly bytesWritten: number
  readonly writeQueueSize: number
}
const handleOf = (socket: Socket | null) => (socket as { readonly _handle?: Written | null } | null)?._handle

/** The socket is kept: Node takes it from a response that has ended. */
export const readerOf = ({ socket }: Pick<ServerResponse, "socket">) => ({
  isWaiting: () => (handleOf(socket)?.writeQueueSize ?? 0) > 0,
  moved: () => {
    const handle = handleOf(socket)
    return handle == null ? 0 : handle.bytesWritten - handle.writeQueueSize
  },
  cut: () => void socket?.destroy()
})
