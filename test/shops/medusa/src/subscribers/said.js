// A line of JSON for what a test waits for.
const said = {
  "order.placed": ({ id }) => ({ placed: id }),
  "payment.captured": ({ id }) => ({ captured: id }),
  "payment.refunded": ({ id }) => ({ refunded: id })
}
module.exports.default = async ({ event }) => {
  process.stdout.write(`${JSON.stringify(said[event.name](event.data))}\n`)
}
module.exports.config = { event: Object.keys(said) }
