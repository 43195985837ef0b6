// npm start: installs what is missing, builds what is stale and shows the quickstart example at work.
import "./node-version.mjs";
import { ensureBuilt } from "./build.mjs";
import { converse } from "./conversation.mjs";
import { ensureInstalled } from "./npm.mjs";
import { main, stylesFor } from "./terminal.mjs";

const example = "examples/quickstart/server.ts";

await main(async () => {
  ensureInstalled();
  await ensureBuilt();
  await showQuickstart();
});

/** The main job: what somebody who has just cloned the repository should see. */
async function showQuickstart() {
  await converse(example);
  const { bold, dim } = stylesFor(process.stdout);
  process.stdout.write(`
${bold("Try next")}
  npx proffer serve ${example}   ${dim("the command to give to an MCP client")}
  npm test                                          ${dim("every check")}
  edit ${example} and run npm start again
`);
}
