// Runs the shop's job now, whose schedule is each ten minutes.
const { default: reconcile } = require("../../jobs/coffer.js")

module.exports.POST = async (request, response) => {
  await reconcile(request.scope)
  response.json({})
}
