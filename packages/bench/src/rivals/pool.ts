/** A tuned node-postgres pool: connections are kept, numbers are parsed, and a time is the text of the response. */
import pg from "pg"

const int8 = 20
const timestamptz = 1184
pg.types.setTypeParser(int8, Number)
pg.types.setTypeParser(timestamptz, (text: string) => new Date(text).toISOString())

/** Plans that were made while a table was small are kept: without it, all sides slow down with every row. */
const options = "-c enable_seqscan=off -c jit=off"

export const makePool = (url: string, max: number): pg.Pool =>
  new pg.Pool({ connectionString: url, max, min: max, idleTimeoutMillis: 0, options })

/** A client whose queries are sent without waiting for the answers of those before them. */
export const makePipeline = async (url: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: url, pipeline: true, options } as pg.ClientConfig)
  await client.connect()
  return client
}
