/**
 * What asks the machine for something while a world runs, by `async_hooks`: everything that ends at another time than
 * the seed's. Each source is listed with the reason why it cannot decide anything; one that is not breaks the world.
 */
import { createHook } from "node:async_hooks"
import { machine } from "./machine.ts"

/** The type of the resource, the file that asks for it, and why it may. */
const known: ReadonlyArray<readonly [type: RegExp, file: RegExp, reason: string]> = [
  [/^(PROMISE|TickObject|Microtask)$/, /./, "Node takes these in order, between two steps"],
  [/^(Immediate|Timeout)$/, /packages\/simulation\/src\/(World|gate\/Backend)\.ts/, "they are the world's own steps"],
  [
    /^(TCPWRAP|TCPCONNECTWRAP|WRITEWRAP|SHUTDOWNWRAP)$/,
    /packages\/simulation\/src\/gate\//,
    "the world stands still for them"
  ],
  [/^(TCPWRAP|TCPCONNECTWRAP|WRITEWRAP|SHUTDOWNWRAP)$/, /^\(node\)$/, "what the gate's sockets do next"],
  [/^HTTP(INCOMINGMESSAGE|CLIENTREQUEST|SERVER\w+|\w*AsyncResource)$/i, /./, "parsers of bytes that are there"],
  [/^(AsyncResource|effect\/\w+)$/i, /./, "a name for a fiber or an emitter"],
  [/^STREAM_END_OF_STREAM$/, /./, "a name for what waits for a stream"],
  [/^ZLIB$/, /src\/(globals\/disk|webhooks\/events\/eventBodies)\.ts$/, "it is done at once"],
  [/^DNSCHANNEL$/, /src\/webhooks\/deliveries\/Outbound\.ts$/, "it is made, and never asked: a look-up throws"],
  [/^DERIVEBITSREQUEST$/, /src\/(platform\/runtime\/Secrets|RunnerTls)\.ts$/, "keys are derived at once"],
  [
    /^Timeout$/,
    /^\(node\)$|src\/door\/edge\/(Arrivals|HttpServer)\.ts$/,
    "Node looks for slow requests, after a real minute"
  ]
]

const fileOf = (stack: string) =>
  stack
    .split("\n")
    .map((line) => /(?:file:\/\/)?(\/[^():]+\.[cm]?[jt]s)/.exec(line)?.[1])
    .find((file) => file !== undefined && !file.endsWith("simulation/src/census.ts")) ?? "(node)"

/** Begins to look. Returns what it has found so far, each once with how often. */
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
  return () => [...strangers].map(([name, count]) => `an unlisted source, ${count} times: ${name}`)
}
