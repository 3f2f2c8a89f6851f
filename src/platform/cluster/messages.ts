/**
 * The shapes of the messages between runners, as numbers. Runners talk if both know a number. A test holds the first
 * number to what the messages look like, and says what to do when they change (`test/cluster/messages.test.ts`).
 */

/** Those that this program understands, its own first. An older one stays while both versions can read each other. */
export const shapes: ReadonlyArray<number> = [8, 7]

/** Whether a runner that understands these can talk to this one. */
export const canTalk = (understood: ReadonlyArray<number>): boolean =>
  understood.some((shape) => shapes.includes(shape))

/** How the shapes are offered in a handshake (TLS ALPN). A runner that offers none is older than the first number. */
export const protocols: Array<string> = shapes.map((shape) => `coffer-messages/${shape}`)
