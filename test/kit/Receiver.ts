/** A merchant's webhook endpoint, as the test kit has it. */
export type { Received } from "../../packages/testkit/src/options.ts"
export { receiver } from "../../packages/testkit/src/Receiver.ts"
