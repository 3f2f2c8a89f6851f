/** Named statements and transactions on node-postgres. */
import type { Pool, PoolClient } from "pg"

export const run = (
  client: PoolClient | Pool,
  statement: { readonly name: string; readonly text: string },
  values: ReadonlyArray<unknown>
) => client.query({ ...statement, values: values as Array<unknown> })

export const transaction = async <A>(pool: Pool, work: (client: PoolClient) => Promise<A>): Promise<A> => {
  const client = await pool.connect()
  try {
    await client.query("begin")
    const result = await work(client)
    await client.query("commit")
    return result
  } catch (cause) {
    await client.query("rollback")
    throw cause
  } finally {
    client.release()
  }
}
