// Every script imports this file first, for its side effect. Keep the syntax of the scripts compatible with old versions
// of Node, so that they print this message and not a SyntaxError.
import { readFileSync } from "node:fs";

const { engines } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const wanted = engines.node.replace(">=", "");

if (isOlder(process.versions.node, wanted)) {
  process.stderr.write(
    `Proffer needs Node ${wanted} or newer; this is ${process.version}. Install it from nodejs.org.\n`,
  );
  process.exit(1);
}

function isOlder(version, minimum) {
  const [major, minor] = version.split(".").map(Number);
  const [minimumMajor, minimumMinor] = minimum.split(".").map(Number);
  return major < minimumMajor || (major === minimumMajor && minor < minimumMinor);
}
