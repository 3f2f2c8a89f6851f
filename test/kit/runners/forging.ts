/**
 * An attacker on the runners' network who knows the messages of the service and sends one of their own to a runner
 * port.
 */
import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import { Effect, Layer, type Redacted, Schema } from "effect"
import {
  Entity,
  MessageStorage,
  Runner,
  RunnerAddress,
  RunnerStorage,
  ShardingConfig,
  SocketRunner
} from "effect/cluster"
import { Rpc, RpcSerialization } from "effect/rpc"
import * as RunnerDialler from "@coffer/cluster/RunnerDialler"
import { ofSecrets } from "@coffer/cluster/RunnerTls"
import type { Place } from "@coffer/cluster/ThisRunner"
import { coffer } from "../../../src/platform/cluster/clusterLayers.ts"
import { CommitError } from "../../../src/platform/commit/Change.ts"

/** The wallets of a runner, as its messages describe them. */
const Wallets = Entity.make("Wallets", [
  Rpc.make("Perform", {
    payload: {
      wallet: Schema.Struct({ merchantId: Schema.String, mode: Schema.String, currency: Schema.String }),
      // Commands as JSON. The forged ones are none that this program would send.
      entry: Schema.String
    },
    success: Schema.Void,
    error: CommitError
  })
])

/** Tells a wallet of USD in the sandbox. With a key as its holder, else in clear. */
export const forge = (to: Place, merchantId: string, commands: unknown, key?: Redacted.Redacted) => {
  const dialler =
    key === undefined
      ? NodeClusterSocket.layerClientProtocol
      : RunnerDialler.layer(ofSecrets(coffer, to, [key]), () => undefined)
  const target = Layer.effect(
    RunnerStorage.RunnerStorage,
    Effect.tap(RunnerStorage.makeMemory, (storage) =>
      storage.register(
        Runner.make({ address: RunnerAddress.make(to.host, to.port), groups: ["default"], weight: 1 }),
        true
      )
    )
  )
  const cluster = SocketRunner.layerClientOnly.pipe(
    Layer.provide([dialler, MessageStorage.layerNoop, target]),
    Layer.provide(RpcSerialization.layerSchemaBinary()),
    Layer.provideMerge(ShardingConfig.layer())
  )
  return Effect.gen(function* () {
    const client = yield* Wallets.client
    return yield* client("7").Perform({
      wallet: { merchantId, mode: "sandbox", currency: "USD" },
      entry: JSON.stringify(commands)
    })
  }).pipe(Effect.provide(cluster))
}
