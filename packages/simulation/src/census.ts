/**
 * Finds requests to the machine while a world runs, by `async_hooks`: everything that completes at a time not chosen by
 * the seed. Each source is listed with the reason why it is harmless; an unlisted one breaks the world.
 */
import { createHook } from "node:async_hooks"
import { foreignPaths } from "./globals/disk.ts"
import { machine } from "./machine.ts"

/** The resource type, the requesting file, and why it is allowed. */
const known: ReadonlyArray<readonly [type: RegExp, file: RegExp, reason: string]> = [
  [/^(PROMISE|TickObject|Microtask)$/, /./, "Node takes these in order, between two steps"],
  [/^(Immediate|Timeout)$/, /packages\/simulation\/src\/(World|gate\/Backend)\.ts/, "they are the world's own steps"],
  [
    /^(PIPEWRAP|PIPECONNECTWRAP|WRITEWRAP|SHUTDOWNWRAP)$/,
    /packages\/simulation\/src\/gate\//,
    "the world stands still for them"
  ],
  [/^(PIPEWRAP|PIPECONNECTWRAP|WRITEWRAP|SHUTDOWNWRAP)$/, /^\(node\)$/, "what the gate's sockets do next"],
  [/^HTTP(INCOMINGMESSAGE|CLIENTREQUEST|SERVER\w+|\w*AsyncResource)$/i, /./, "parsers of bytes that are there"],
  [/^(AsyncResource|effect\/\w+)$/i, /./, "a name for a fiber or an emitter"],
  [/^STREAM_END_OF_STREAM$/, /./, "a name for what waits for a stream"],
  [/^ZLIB$/, /src\/(globals\/disk|webhooks\/events\/eventBodies)\.ts$/, "it is done at once"],
  [/^DNSCHANNEL$/, /src\/webhooks\/deliveries\/Outbound\.ts$/, "it is made, and never asked: a look-up throws"],
  [/^DERIVEBITSREQUEST$/, /src\/(platform\/runtime\/Secrets|RunnerTls)\.ts$/, "keys are derived at once"],
  [
    /^Timeout$/,
    /^\(node\)$|src\/door\/edge\/(Arrivals|HttpServer)\.ts$|packages\/simulation\/src\/Network\.ts$/,
    "Node looks for slow requests, after a real minute"
  ]
]

const fileOf = (stack: string) =>
  stack
    .split("\n")
    .map((line) => /(?:file:\/\/)?(\/[^():]+\.[cm]?[jt]s)/.exec(line)?.[1])
    .find((file) => file !== undefined && !file.endsWith("simulation/src/census.ts")) ?? "(node)"

/** Starts. Returns a function that lists the findings so far with their counts. */
export const startCensus = () => {
  const strangers = new Map<string, number>()
  createHook({
    init: (_, type) => {
      if (machine.world === undefined || known.some(([types, files]) => types.test(type) && files.source === "."))
        return
      const file = fileOf(new Error("here").stack ?? "")
      if (known.some(([types, files]) => types.test(type) && files.test(file))) return
      const name = `${type} from ${file.replace(/^.*\/(?=(src|packages|node_modules)\/)/, "")}`
      strangers.set(name, (strangers.get(name) ?? 0) + 1)
    }
  }).enable()
  return () => [
    ...[...strangers].map(([name, count]) => `an unlisted source, ${count} times: ${name}`),
    ...[...foreignPaths].map((file) => `a file that another checkout may lack: ${file}`)
  ]
}
