/**
 * All commands that work through the APIs: the merchants', and the operator's. A command's module is loaded only when
 * it runs, so that no command waits for the others.
 */

const merchantLoaders = {
  orders: () => import("./orders.ts").then(({ ordersCommand }) => ordersCommand),
  refunds: () => import("./refunds.ts").then(({ refundsCommand }) => refundsCommand),
  disputes: () => import("./disputes.ts").then(({ disputesCommand }) => disputesCommand),
  links: () => import("./links.ts").then(({ linksCommand }) => linksCommand),
  events: () => import("./events.ts").then(({ eventsCommand }) => eventsCommand),
  deliveries: () => import("./deliveries.ts").then(({ deliveriesCommand }) => deliveriesCommand),
  logs: () => import("./logs.ts").then(({ logsCommand }) => logsCommand),
  endpoints: () => import("./endpoints.ts").then(({ endpointsCommand }) => endpointsCommand),
  balance: () => import("./balance.ts").then(({ balanceCommand }) => balanceCommand),
  ledger: () => import("./ledger.ts").then(({ ledgerCommand }) => ledgerCommand),
  reports: () => import("./reports.ts").then(({ reportsCommand }) => reportsCommand),
  exports: () => import("./exported.ts").then(({ exportsCommand }) => exportsCommand),
  listen: () => import("./listen.ts").then(({ listenCommand }) => listenCommand),
  trigger: () => import("./trigger.ts").then(({ triggerCommand }) => triggerCommand),
  clock: () => import("./clock.ts").then(({ clockCommand }) => clockCommand),
  channel: () => import("./clock.ts").then(({ channelCommand }) => channelCommand),
  webhooks: () => import("./webhooks.ts").then(({ webhooksCommand }) => webhooksCommand),
  agent: () => import("./agent.ts").then(({ agentCommand }) => agentCommand),
  mcp: () => import("./mcp.ts").then(({ mcpCommand }) => mcpCommand),
  get: () => import("./raw.ts").then(({ getCommand }) => getCommand),
  post: () => import("./raw.ts").then(({ postCommand }) => postCommand),
  delete: () => import("./raw.ts").then(({ deleteCommand }) => deleteCommand),
  profiles: () => import("./profiles.ts").then(({ profilesCommand }) => profilesCommand),
  confirm: () => import("./confirmed.ts").then(({ confirmCommand }) => confirmCommand)
}

const operatorLoaders = {
  "held-up": () => import("./needsAttention.ts").then(({ needsAttentionCommand }) => needsAttentionCommand),
  payouts: () => import("./payouts.ts").then(({ payoutsCommand }) => payoutsCommand),
  erasures: () => import("./erasures.ts").then(({ erasuresCommand }) => erasuresCommand),
  runners: () => import("./runners.ts").then(({ runnersCommand }) => runnersCommand),
  stripe: () => import("./stripe.ts").then(({ stripeCommand }) => stripeCommand)
}

type Loaders = Readonly<Record<string, () => Promise<unknown>>>
type Loaded<Each extends Loaders> = ReadonlyArray<Awaited<ReturnType<Each[keyof Each]>>>

/** All of them, or only the one with this name. */
const load = <Each extends Loaders>(loaders: Each, name: string | undefined): Promise<Loaded<Each>> =>
  Promise.all(
    Object.keys(loaders)
      .filter((each) => name === undefined || each === name)
      .map((each) => loaders[each]!())
  ) as Promise<Loaded<Each>>

export const loadMerchantCommands = (name?: string) => load(merchantLoaders, name)
export const loadOperatorCommands = (name?: string) => load(operatorLoaders, name)

/** Groups of commands for the first typed word. Help and suggestions for a mistyped word get all of them. */
export const groupsFor = (word: string | undefined, own: ReadonlyArray<string> = []) => {
  const isKnown = [merchantLoaders, operatorLoaders].some((each) => Object.hasOwn(each, word ?? ""))
  const name = isKnown || own.includes(word ?? "") ? word : undefined
  return Promise.all([loadMerchantCommands(name), loadOperatorCommands(name)]).then(([merchants, operators]) =>
    [
      { group: "Your account", commands: merchants },
      { group: "For operators", commands: operators }
    ].filter(({ commands }) => commands.length > 0)
  )
}
