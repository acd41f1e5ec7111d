// Costs are on their lines when VS Code is started with a source that was edited before.
const { run } = require("./run");
const { isShown } = require("./edited");

exports.run = () => run({
  async "hints, lenses and hot spots"() {
    await isShown("edited");
  },
});
