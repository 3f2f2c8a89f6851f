/** The forms of `DATABASE_URL`: as libpq writes it, with one server or several. */
import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result } from "effect"
import { readAddress, serverNames } from "../../src/platform/postgres/databaseAddress.ts"

const read = (url: string) => Result.getOrThrow(readAddress(Redacted.make(url)))
const problem = (url: string) => Result.getOrThrow(Result.flip(readAddress(Redacted.make(url))))
const urls = (url: string) => read(url).servers.map((server) => Redacted.value(server.url))

describe("the address of the database", () => {
  it("names one server, as it always did", () => {
    const { anyServer, database, password, sslmode } = read("postgres://u:p%40ss@db.example/coffer?sslmode=verify-full")
    assert.deepStrictEqual([anyServer, database, password, sslmode], [false, "coffer", "p@ss", "verify-full"])
    assert.deepStrictEqual(urls("postgres://u:p%40ss@db.example/coffer?sslmode=verify-full"), [
      "postgres://u:p%40ss@db.example:5432/coffer?sslmode=verify-full"
    ])
    assert.deepStrictEqual(urls("postgresql://localhost:5433"), ["postgresql://localhost:5433"])
  })

  it("names several, each with its own port, or the usual one", () => {
    const url = "postgres://u:p@one:5433,two,[::1]:5434/coffer?target_session_attrs=read-write&sslmode=require"
    assert.deepStrictEqual(urls(url), [
      "postgres://u:p@one:5433/coffer?sslmode=require",
      "postgres://u:p@two:5432/coffer?sslmode=require",
      "postgres://u:p@[::1]:5434/coffer?sslmode=require"
    ])
    assert.strictEqual(serverNames(read(url)), "one:5433, two:5432, [::1]:5434")
  })

  it("names them in parameters as well, with one port for each or one for all", () => {
    assert.deepStrictEqual(urls("postgres://u@/coffer?host=one,two&port=5433"), [
      "postgres://u@one:5433/coffer",
      "postgres://u@two:5433/coffer"
    ])
    assert.deepStrictEqual(urls("postgres://u@ignored/coffer?host=one,two&port=1,2"), [
      "postgres://u@one:1/coffer",
      "postgres://u@two:2/coffer"
    ])
    assert.deepStrictEqual(read("postgres://u@/coffer?host=/run/postgresql").servers[0]!.host, "/run/postgresql")
    assert.deepStrictEqual(urls("postgres://u@%2Frun%2Fpostgresql/coffer"), [
      "postgres://u@localhost:5432/coffer?host=%2Frun%2Fpostgresql"
    ])
  })

  it("asks for a server that takes writes, unless any will do", () => {
    const any = (query: string) => read(`postgres://one,two/coffer${query}`).anyServer
    assert.deepStrictEqual(
      ["", "?target_session_attrs=read-write", "?target_session_attrs=primary", "?target_session_attrs=any"].map(any),
      [false, false, false, true]
    )
  })

  for (const [url, said] of [
    ["mysql://u:secret@h/db", /^must look like postgres:/],
    ["nonsense", /^must look like postgres:/],
    ["postgres://u:secret@h/%ff", /^must look like postgres:/],
    ["postgres://u:secret@one,,two/db", /^names a server without a host/],
    ["postgres://u:secret@/db?host=one,", /^names a server without a host/],
    ["postgres://u:secret@one:two/db", /^names a server that is not host:port/],
    ["postgres://u:secret/more@one/db", /^names a server that is not host:port/],
    ["postgres://u:secret@one:0,two/db", /^names a port that is not between 1 and 65535/],
    ["postgres://u:secret@one:99999/db", /^names a port that is not between 1 and 65535/],
    ["postgres://u:secret@/db?host=a,b,c&port=1,2", /^names 3 hosts and 2 ports/],
    [`postgres://u:secret@${Array.from({ length: 9 }, (_, index) => `h${index}`).join()}/db`, /^names more than 8/],
    ["postgres://u:secret@one,two/db?target_session_attrs=standby", /^has target_session_attrs=standby, and Coffer/],
    ["postgres://u:secret@one/db?target_session_attrs=read-only", /use read-write\.$/],
    ["postgres://u:secret@one/db?target_session_attrs=master", /^has an unknown target_session_attrs/]
  ] as const) {
    it(`is refused where it is ${url.replace("secret", "…")}, without its password`, () => {
      assert.match(problem(url), said)
      assert.notInclude(problem(url), "secret")
    })
  }
})
