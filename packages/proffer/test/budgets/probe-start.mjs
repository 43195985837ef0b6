// Counts the code that V8 parses when a server imports Proffer: node probe-start.mjs <dist> <entry>….
import inspector from "node:inspector";

const [dist, ...entries] = process.argv.slice(2);
const session = new inspector.Session();
const files = new Map();
session.connect();
session.on("Debugger.scriptParsed", ({ params }) => {
  if (params.url.startsWith(dist)) files.set(params.url, params.length);
});
session.post("Debugger.enable");
for (const entry of entries) await import(`${dist}/${entry}`);
session.disconnect();

const characters = [...files.values()].reduce((sum, length) => sum + length, 0);
process.stderr.write(JSON.stringify({ files: files.size, characters }));
