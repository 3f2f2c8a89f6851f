// As a merchant writes it: `docs/guides/medusa.md`. The session is Medusa's own, and nothing is asked of other servers.
const { defineConfig } = require("@medusajs/framework/utils")
const { COFFER_BASE_URL, COFFER_KEY, DATABASE_URL, WEBHOOK_URL } = process.env

const provider = (id, capture) => ({
  resolve: "@coffer/medusa",
  id,
  options: {
    apiKey: COFFER_KEY,
    baseUrl: COFFER_BASE_URL,
    webhookUrl: `${WEBHOOK_URL}/hooks/payment/coffer_${id}`,
    returnUrl: "http://shop.example/checkout",
    capture
  }
})

module.exports = defineConfig({
  admin: { disable: true },
  projectConfig: {
    databaseUrl: DATABASE_URL,
    http: { storeCors: "*", adminCors: "*", authCors: "*", jwtSecret: "of the tests", cookieSecret: "of the tests" }
  },
  modules: [
    {
      resolve: "@medusajs/medusa/payment",
      options: {
        webhook_delay: 1,
        providers: [provider("coffer", "automatic"), provider("later", "manual")]
      }
    }
  ]
})
