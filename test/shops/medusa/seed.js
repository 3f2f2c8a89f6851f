// `medusa exec`: one product, one way to send it, one region whose payment provider is Coffer, and an administrator.
const flows = require("@medusajs/medusa/core-flows")
const { ContainerRegistrationKeys, Modules } = require("@medusajs/framework/utils")

module.exports.default = async ({ container }) => {
  const run = async (name, input) => (await flows[name](container).run({ input })).result
  const link = container.resolve(ContainerRegistrationKeys.LINK)
  const fulfillment = container.resolve(Modules.FULFILLMENT)

  const [channel] = await run("createSalesChannelsWorkflow", { salesChannelsData: [{ name: "Shop" }] })
  const [region] = await run("createRegionsWorkflow", {
    regions: [
      {
        name: "World",
        currency_code: "usd",
        countries: ["de"],
        payment_providers: ["pp_coffer_coffer", "pp_coffer_later"]
      }
    ]
  })
  await run("createTaxRegionsWorkflow", [{ country_code: "de", provider_id: "tp_system" }])
  const [location] = await run("createStockLocationsWorkflow", { locations: [{ name: "Store" }] })
  await run("linkSalesChannelsToStockLocationWorkflow", { id: location.id, add: [channel.id] })
  const manual = { [Modules.FULFILLMENT]: { fulfillment_provider_id: "manual_manual" } }
  await link.create({ [Modules.STOCK_LOCATION]: { stock_location_id: location.id }, ...manual })
  const [profile] = await run("createShippingProfilesWorkflow", { data: [{ name: "Default", type: "default" }] })
  const set = await fulfillment.createFulfillmentSets({
    name: "Post",
    type: "shipping",
    service_zones: [{ name: "Germany", geo_zones: [{ country_code: "de", type: "country" }] }]
  })
  await link.create({
    [Modules.STOCK_LOCATION]: { stock_location_id: location.id },
    [Modules.FULFILLMENT]: { fulfillment_set_id: set.id }
  })
  const [option] = await run("createShippingOptionsWorkflow", [
    {
      name: "Post",
      price_type: "flat",
      provider_id: "manual_manual",
      service_zone_id: set.service_zones[0].id,
      shipping_profile_id: profile.id,
      type: { label: "Post", description: "By post", code: "post" },
      prices: [{ currency_code: "usd", amount: 5 }]
    }
  ])
  const [product] = await run("createProductsWorkflow", {
    products: [
      {
        title: "Emma",
        status: "published",
        shipping_profile_id: profile.id,
        sales_channels: [{ id: channel.id }],
        options: [{ title: "Binding", values: ["Paper"] }],
        variants: [
          {
            title: "Paper",
            manage_inventory: false,
            options: { Binding: "Paper" },
            prices: [{ currency_code: "usd", amount: 14.99 }]
          }
        ]
      }
    ]
  })
  const [key] = await run("createApiKeysWorkflow", {
    api_keys: [{ title: "Shop", type: "publishable", created_by: "" }]
  })
  await run("linkSalesChannelsToApiKeyWorkflow", { id: key.id, add: [channel.id] })

  const [user] = await run("createUsersWorkflow", { users: [{ email: "owner@example.com" }] })
  const auth = container.resolve(Modules.AUTH)
  const body = { email: "owner@example.com", password: "of-the-tests-1" }
  const { authIdentity } = await auth.register("emailpass", { body })
  await auth.updateAuthIdentities({ id: authIdentity.id, app_metadata: { user_id: user.id } })
  const made = { key: key.token, region: region.id, option: option.id, variant: product.variants[0].id }
  process.stdout.write(`${JSON.stringify({ seeded: made })}\n`)
}
