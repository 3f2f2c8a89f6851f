/** Whether this process is going: it finishes what it has, and asks for nothing new. */
import { Context, Layer } from "effect"

export class Draining extends Context.Service<Draining, { now: boolean }>()("@coffer/http/Draining") {}

export const layer = Layer.sync(Draining, () => ({ now: false }))
