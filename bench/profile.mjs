// Profiles the CPU time of a server by file and by function: npm run profile -- <case> [options]
import "../scripts/node-version.mjs";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Failure, main, progress } from "../scripts/terminal.mjs";
import { CONTENDERS } from "./contenders.mjs";
import { summariseProfile } from "./lib/cpu-profile.mjs";
import { ensureReady } from "./lib/install.mjs";
import { connect } from "./lib/link.mjs";
import { startServer } from "./lib/server-process.mjs";
import { prepareCase } from "./scenarios/requests.mjs";
import { CASES } from "./workload/cases.mjs";
import { makeFiles } from "./workload/files.mjs";

const OPTIONS = {
  transport: { type: "string", short: "t", default: "stdio" },
  server: { type: "string", short: "s", default: "Proffer" },
  seconds: { type: "string", default: "4" },
  "in-flight": { type: "string", default: "32" },
  keep: { type: "string" },
};

const USAGE = `npm run profile -- <case> [--transport stdio|http] [--server "SDK v2"] [--seconds 4] [--in-flight 32] [--keep folder]
  cases: ${Object.keys(CASES).join(", ")}
  --keep leaves the .cpuprofile in a folder, for the developer tools of a browser`;

// Node writes the profile only on a clean exit.
const exitOnTerm = `data:text/javascript,process.on("SIGTERM", () => process.exit(0))`;

await main(async () => {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: OPTIONS });
  const [name] = positionals;
  const contender = CONTENDERS[values.transport]?.find((one) => one.name === values.server);
  if (CASES[name] === undefined || contender === undefined) throw new Failure(USAGE);
  await ensureReady();
  makeFiles();
  progress(`${contender.name}, ${name}, over ${values.transport}`);
  const folder = values.keep ?? mkdtempSync(join(tmpdir(), "proffer-profile-"));
  await record(contender, values, name, folder);
  const [file] = readdirSync(folder).filter((file) => file.endsWith(".cpuprofile"));
  process.stdout.write(summariseProfile(JSON.parse(readFileSync(join(folder, file), "utf8"))));
  if (values.keep === undefined) rmSync(folder, { recursive: true });
});

async function record(contender, { transport, seconds, "in-flight": inFlight }, name, folder) {
  const flags = ["--cpu-prof", `--cpu-prof-dir=${folder}`, "--cpu-prof-interval=200", `--import=${exitOnTerm}`];
  const server = await startServer(contender, transport, CASES[name].profile, flags);
  const { run } = await prepareCase(await connect(server, transport), CASES[name]);
  await run({ inFlight: Number(inFlight), seconds: Number(seconds) });
  await server.stop();
}
