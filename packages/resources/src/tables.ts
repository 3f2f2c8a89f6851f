/** All tables of the database. */
import * as calls from "./calls.ts"
import * as channels from "./channels.ts"
import * as links from "./links.ts"
import * as merchants from "./merchants.ts"
import * as orders from "./orders.ts"
import * as people from "./people.ts"
import type { Resource } from "./Resource.ts"
import * as returns from "./returns.ts"
import * as service from "./service.ts"
import * as wallets from "./wallets.ts"
import * as webhooks from "./webhooks.ts"

const rooms = [orders, links, returns, wallets, webhooks, merchants, people, calls, channels, service]

export const tables: ReadonlyArray<Resource> = rooms.flatMap((room): ReadonlyArray<Resource> => Object.values(room))
