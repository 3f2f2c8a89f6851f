// In TypeScript: export { default, config } from "@coffer/medusa/reconcile"
module.exports = require("@coffer/medusa/reconcile")
