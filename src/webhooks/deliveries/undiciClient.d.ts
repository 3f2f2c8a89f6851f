/** The one part of undici that posts need. The whole package is five times as many modules to load at each start. */
declare module "undici/lib/dispatcher/client.js" {
  export { Client as default } from "undici"
}
