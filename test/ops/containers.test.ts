/**
 * Dockerfile, compose.yaml and k8s/ held to the service: settings that it knows and takes, ports and paths that it has,
 * files that are there. No engine is needed for that.
 */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { isAnsweredAt } from "../../src/door/edge/routes.ts"
import { routes } from "../../src/door/edge/routes.ts"
import { freePort, operatorToken, secretKey, start } from "../kit/Service.ts"
import { settingsOf } from "../kit/program/settings.ts"
import { readYaml, type Yaml } from "../kit/texts/yaml.ts"

const dockerfile = readFileSync("docker/Dockerfile", "utf8")
const compose = readYaml("docker/compose.yaml")[0]
const composed = Object.entries<Yaml>(compose.services)
const runners = composed.filter(([name]) => name.startsWith("runner-"))

const manifests = readdirSync("k8s").filter((file) => file !== "kustomization.yaml")
const objects = manifests.flatMap((file) => readYaml(`k8s/${file}`).map((object) => ({ file, object })))
const oneOf = (kind: string, name: string): Yaml =>
  objects.find(({ object }) => object.kind === kind && object.metadata.name === name)!.object
const statefulSet = oneOf("StatefulSet", "coffer").spec
const [container] = statefulSet.template.spec.containers
const packageVersion: string = JSON.parse(readFileSync("package.json", "utf8")).version
const job = oneOf("Job", `coffer-migrate-${packageVersion.replaceAll(".", "-")}`).spec.template.spec
const hasKubectl = spawnSync("kubectl", ["version", "--client"]).status === 0

/** Names of settings, as the program spells them. */
const namesIn = (file: string) =>
  [...readFileSync(file, "utf8").matchAll(/"([A-Z][A-Z0-9_]{3,})"/g)].map(([, name]) => name!)
/** Files of rooms that define settings. */
const definers = readdirSync("src", { recursive: true, encoding: "utf8" })
  .map((file) => `src/${file}`)
  .filter((file) => file.endsWith(".ts") && !file.startsWith("src/platform/"))
  .filter((file) => /\broomSettings[<(]/.test(readFileSync(file, "utf8")))
const known = new Set([
  ...readdirSync("src/platform/runtime").flatMap((file) => namesIn(`src/platform/runtime/${file}`)),
  ...definers.flatMap(namesIn)
])
const isKnown = (name: string) => known.has(name) || known.has(name.replace(/_FILE$/, ""))
/** Those of Kubernetes and Node. */
const others = new Set(["POD_NAME", "POD_NAMESPACE", "PATH", "NODE_ENV"])

it("docs/settings.md has each setting that a room defines", () => {
  const table = readFileSync("docs/settings.md", "utf8")
  const names = definers.flatMap(namesIn).filter((name) => name.includes("_"))
  assert.includeMembers(names, ["STRIPE_API", "STRIPE_PROXY", "STRIPE_CALLS_LIVE"])
  assert.deepStrictEqual(
    names.filter((name) => !table.includes(`\`${name}\``)),
    []
  )
})

describe("docker/Dockerfile", () => {
  it("exposes the ports that compose.yaml and k8s/ use", () => {
    const [, exposed] = /^EXPOSE (.*)$/m.exec(dockerfile)!
    const ports = container.ports.map(({ containerPort }: Yaml) => String(containerPort))
    assert.deepStrictEqual(exposed!.split(" "), ports)
    const { ADMIN_PORT, PORT, RUNNER_PORT } = runners[0]![1].environment
    assert.deepStrictEqual([PORT, ADMIN_PORT, RUNNER_PORT], ports)
  })
})

describe("docker/compose.yaml", () => {
  it("has three runners that differ in their address alone, on a read-only file system", () => {
    assert.lengthOf(runners, 3)
    for (const [name, { cap_drop, environment, read_only }] of runners) {
      assert.deepStrictEqual([read_only, cap_drop, environment.RUNNER_HOST], [true, ["ALL"], name])
      const { RUNNER_HOST: _, ...same } = environment
      const { RUNNER_HOST: __, ...first } = runners[0]![1].environment
      assert.deepStrictEqual(same, first)
    }
  })

  it.live("sets what the service knows, and what it takes", () =>
    Effect.gen(function* () {
      for (const [name, { environment }] of [...runners, ["migrate", compose.services.migrate] as const]) {
        assert.deepStrictEqual(
          Object.keys(environment).filter((each) => !isKnown(each)),
          [],
          name
        )
      }
      const env = { ...runners[0]![1].environment, SECRET_KEY: secretKey, OPERATOR_TOKEN: operatorToken }
      const exit = yield* Effect.exit(settingsOf(env))
      assert.isTrue(Exit.isSuccess(exit), Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "")
    })
  )

  it("mounts files that are there, and depends on services that are there", () => {
    for (const [name, { depends_on = [], volumes = [] }] of composed) {
      for (const volume of volumes as ReadonlyArray<string>) {
        const [source] = volume.split(":")
        if (source!.startsWith(".")) assert.isTrue(existsSync(path.join("docker", source!)), `${name}: ${source}`)
        else assert.property(compose.volumes, source!)
      }
      const needed = Array.isArray(depends_on) ? depends_on : Object.keys(depends_on)
      for (const service of needed) assert.property(compose.services, service)
      for (const [service, { condition }] of Object.entries<Yaml>(Array.isArray(depends_on) ? {} : depends_on)) {
        if (condition === "service_healthy") assert.isDefined(compose.services[service].healthcheck, service)
      }
    }
  })

  it("opens no port to other machines", () => {
    for (const [, { ports = [] }] of composed) for (const port of ports) assert.match(port, /^127\.0\.0\.1:/)
  })

  it("Prometheus asks each runner at the operator's port, and the balancer at the public one", () => {
    const { scrape_configs } = readYaml("ops/prometheus/prometheus.yaml")[0]
    const { ADMIN_PORT, PORT } = runners[0]![1].environment
    const names = runners.map(([name]) => name)
    assert.deepStrictEqual(
      scrape_configs[0].static_configs[0].targets,
      names.map((name) => `${name}:${ADMIN_PORT}`)
    )
    assert.strictEqual(scrape_configs[0].job_name, "coffer")
    const balancer = readFileSync("docker/haproxy.cfg", "utf8")
    assert.deepStrictEqual(
      Array.from(balancer.matchAll(/^ {2}server (\S+) (\S+)$/gm), ([, name, at]) => [name, at]),
      names.map((name) => [name, `${name}:${PORT}`])
    )
    assert.include(balancer, "uri /readyz")
    // It sends again what was not answered. A write without a key could be done twice.
    assert.include(balancer, "disable-l7-retry unless METH_GET || { req.hdr(idempotency-key) -m found }")
    const { ipv4_address } = compose.services.balancer.networks.default
    assert.strictEqual(runners[0]![1].environment.TRUSTED_PROXIES, ipv4_address)
  })

  it("makes the roles in Postgres that the addresses name", () => {
    const roles = readFileSync("docker/postgres/roles.sql", "utf8")
    const { DATABASE_URL, MIGRATION_DATABASE_URL } = compose.services.migrate.environment
    for (const url of [new URL(DATABASE_URL), new URL(MIGRATION_DATABASE_URL)]) {
      assert.include(roles, `create role ${url.username} login password '${url.password}'`)
      assert.include(roles, `create database ${url.pathname.slice(1)} `)
    }
  })
})

describe("k8s/", () => {
  it("kustomization.yaml lists each file but the example of secrets, and names the image", () => {
    const { images, resources } = readYaml("k8s/kustomization.yaml")[0]
    assert.sameMembers(
      resources,
      manifests.filter((file) => file !== "secrets.example.yaml")
    )
    assert.deepStrictEqual(images[0].newTag, packageVersion)
    for (const { image } of [container, job.containers[0]]) assert.strictEqual(image, images[0].name)
  })

  it("a pod waits for the migration of its own version, and starts after it", () => {
    const [waiting] = statefulSet.template.spec.initContainers
    assert.deepStrictEqual(waiting.args, ["migrate", "--wait"])
    assert.strictEqual(waiting.image, container.image)
    // It has what the service's role has, and not the owner's address.
    assert.deepStrictEqual(waiting.env, [container.env.find(({ name }: Yaml) => name === "DATABASE_URL_FILE")])
  })

  it("runners may reach each other, names and the ports that the settings name, and no private address by http", () => {
    const { egress, policyTypes } = oneOf("NetworkPolicy", "coffer").spec
    assert.sameMembers(policyTypes, ["Ingress", "Egress"])
    const open = egress.filter(({ to }: Yaml) => to === undefined).flatMap(({ ports }: Yaml) => ports)
    const { data } = oneOf("ConfigMap", "coffer")
    const secrets = oneOf("Secret", "coffer").stringData
    for (const url of [secrets.DATABASE_URL, secrets.REDIS_URL, secrets.SMTP_URL, data.OTEL_EXPORTER_OTLP_ENDPOINT]) {
      assert.include(
        open.map(({ port }: Yaml) => String(port)),
        new URL(url).port
      )
    }
    const outside = egress.find(({ to }: Yaml) => to?.[0].ipBlock !== undefined)
    assert.includeMembers(outside.to[0].ipBlock.except, [
      "10.0.0.0/8",
      "169.254.0.0/16",
      "172.16.0.0/12",
      "192.168.0.0/16"
    ])
  })

  it.skipIf(!hasKubectl)("kubectl kustomize takes them, and puts the version's image everywhere", () => {
    const { status, stderr, stdout } = spawnSync("kubectl", ["kustomize", "k8s"], { encoding: "utf8" })
    assert.strictEqual(status, 0, stderr)
    const images = [...stdout.matchAll(/image: (\S+)/g)].map(([, image]) => image)
    assert.deepStrictEqual(
      images,
      Array.from({ length: 3 }, () => `registry.example/coffer:${packageVersion}`)
    )
  })

  it.live("sets what the service knows, and what it takes", () =>
    Effect.gen(function* () {
      const { data } = oneOf("ConfigMap", "coffer")
      const own: ReadonlyArray<Yaml> = [...container.env, ...job.containers[0].env]
      const names = [...Object.keys(data), ...own.map(({ name }) => name)].filter((name) => !others.has(name))
      assert.deepStrictEqual(
        names.filter((name) => !isKnown(name)),
        []
      )
      const exit = yield* Effect.exit(
        settingsOf({
          ...data,
          DATABASE_URL: "postgres://app@localhost/coffer",
          SECRET_KEY: secretKey,
          OPERATOR_TOKEN: operatorToken,
          FILES_S3_SECRET_KEY: "of the bucket",
          RUNNER_HOST: "coffer-0.coffer-runners.coffer.svc.cluster.local",
          RUNNER_LISTEN_HOST: "10.1.2.3"
        })
      )
      assert.isTrue(Exit.isSuccess(exit), Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "")
    })
  )

  it("each secret that is read from a file is in the example of secrets, and no other", () => {
    const filesOf = (env: ReadonlyArray<Yaml>) => env.filter(({ name }) => name.endsWith("_FILE"))
    const secret = (name: string) => Object.keys(oneOf("Secret", name).stringData)
    for (const { name, value } of filesOf(container.env)) assert.strictEqual(value, `/secrets/${name.slice(0, -5)}`)
    assert.sameMembers(
      filesOf(container.env).map(({ name }) => name.slice(0, -5)),
      secret("coffer")
    )
    assert.sameMembers(
      filesOf(job.containers[0].env).map(({ value }) => path.basename(value)),
      ["DATABASE_URL", ...secret("coffer-owner")]
    )
  })

  it("the ports are those of the settings, and each name of a port leads to one", () => {
    const { data } = oneOf("ConfigMap", "coffer")
    const ports = Object.fromEntries(container.ports.map(({ containerPort, name }: Yaml) => [name, containerPort]))
    assert.deepStrictEqual(ports, {
      http: Number(data.PORT),
      admin: Number(data.ADMIN_PORT),
      runner: Number(data.RUNNER_PORT)
    })
    const { annotations } = statefulSet.template.metadata
    assert.strictEqual(annotations["prometheus.io/port"], data.ADMIN_PORT)
    for (const service of ["coffer", "coffer-runners"]) {
      for (const { targetPort } of oneOf("Service", service).spec.ports) assert.property(ports, targetPort)
    }
    for (const { ports: allowed } of oneOf("NetworkPolicy", "coffer").spec.ingress) {
      for (const { port } of allowed) assert.property(ports, port)
    }
    assert.strictEqual(statefulSet.serviceName, oneOf("Service", "coffer-runners").metadata.name)
    const { endpoints, selector } = readYaml("ops/prometheus/service-monitor.yaml")[0].spec
    const scraped = objects.filter(
      ({ object }) => object.kind === "Service" && object.metadata.labels.app === selector.matchLabels.app
    )
    assert.include(
      scraped.flatMap(({ object }) => object.spec.ports.map(({ name }: Yaml) => name)),
      endpoints[0].port
    )
  })

  it("each probe asks a path that the service has at that port", () => {
    const isAt = (portKind: "public" | "admin", asked: string) =>
      routes.some(
        ({ method, path: each, route }) => method === "GET" && each === asked && isAnsweredAt(portKind, route)
      )
    for (const probe of ["startupProbe", "livenessProbe", "readinessProbe"]) {
      const { httpGet } = container[probe]
      assert.isTrue(isAt(httpGet.port === "http" ? "public" : "admin", httpGet.path), probe)
    }
    assert.isTrue(isAt("admin", statefulSet.template.metadata.annotations["prometheus.io/path"]))
  })

  it("the runners' port is open to runners alone, and labels lead to the runners", () => {
    const { labels } = statefulSet.template.metadata
    const policy = oneOf("NetworkPolicy", "coffer").spec
    for (const selector of [
      statefulSet.selector,
      policy.podSelector,
      oneOf("PodDisruptionBudget", "coffer").spec.selector
    ]) {
      assert.deepStrictEqual(selector.matchLabels, labels)
    }
    for (const service of ["coffer", "coffer-runners"]) {
      assert.deepStrictEqual(oneOf("Service", service).spec.selector, labels)
    }
    const toRunners = policy.ingress.filter(({ ports }: Yaml) => ports.some(({ port }: Yaml) => port === "runner"))
    assert.deepStrictEqual(toRunners, [
      { from: [{ podSelector: { matchLabels: labels } }], ports: [{ port: "runner" }] }
    ])
  })

  it("a stop has the time that the program takes for it, after the time in which balancers forget it", () => {
    const { lifecycle } = container
    const stopSeconds = 9
    assert.isAbove(
      statefulSet.template.spec.terminationGracePeriodSeconds,
      Number(lifecycle.preStop.exec.command[1]) + stopSeconds
    )
  })

  it("each container is unprivileged and writes only to its own folders", () => {
    for (const spec of [statefulSet.template.spec, job]) {
      assert.isTrue(spec.securityContext.runAsNonRoot)
      assert.strictEqual(spec.securityContext.runAsUser, 10001)
      for (const { securityContext } of spec.containers) {
        assert.deepStrictEqual(securityContext, {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] }
        })
      }
      const volumes = new Set(spec.volumes.map(({ name }: Yaml) => name))
      for (const { volumeMounts } of spec.containers) {
        for (const { name } of volumeMounts) assert.isTrue(volumes.has(name), name)
      }
    }
  })
})

describe("docker/healthcheck.mjs", () => {
  const codeWith = (env: Record<string, string>) =>
    Effect.promise(async () => {
      const [code] = await once(spawn(process.execPath, ["docker/healthcheck.mjs"], { env }), "close")
      return code
    })

  it.live("says yes of a service that can work, and no where nothing listens", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* start()
      assert.strictEqual(yield* codeWith({ HOST: "127.0.0.1", PORT: new URL(baseUrl).port }), 0)
      // Where everything is listened to, it is asked at this machine's own address.
      assert.strictEqual(yield* codeWith({ PORT: new URL(baseUrl).port }), 0)
      assert.strictEqual(yield* codeWith({ HOST: "127.0.0.1", PORT: String(yield* freePort) }), 1)
    })
  )
})
