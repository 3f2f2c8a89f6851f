/** The exports of `@coffer/vendure`. */
export { cofferHandler, CofferPlugin, type CofferPluginOptions, reconcileTask } from "./CofferPlugin.ts"
