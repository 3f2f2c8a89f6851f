/** The bank of the sandbox: the channel of payments, refunds and disputes. */
import { Layer } from "effect"
import * as SandboxBank from "./SandboxBank.ts"
import * as SandboxDisputeChannel from "./SandboxDisputeChannel.ts"
import * as SandboxDisputes from "./SandboxDisputes.ts"
import * as SandboxRefunds from "./SandboxRefunds.ts"

export const layer = Layer.mergeAll(
  SandboxBank.layer,
  SandboxDisputes.layer,
  SandboxDisputeChannel.layer,
  SandboxRefunds.layer
)
