// Measures the cost of features for a request: node bench/features.mjs [--only token,scopes] [--rounds 9] [--requests 1600]
// Each server of servers/features.mjs has a path per feature; the paths take turns, and the best rounds are compared.
import "../scripts/node-version.mjs";
import { generateKeyPairSync, sign } from "node:crypto";
import { parseArgs } from "node:util";
import { ensureBuilt } from "../scripts/build.mjs";
import { Failure, main, progress } from "../scripts/terminal.mjs";
import { headersOf } from "./lib/http-client.mjs";
import { load } from "./lib/http-load.mjs";
import { startServer } from "./lib/server-process.mjs";
import { median } from "./lib/statistics.mjs";
import { request } from "./workload/messages.mjs";

const ISSUER = "https://login.example.com";
const CALL = ["tools/call", { name: "add", arguments: { a: 19, b: 23 } }];
const MOUNTED = ["tools/call", { name: "m_add", arguments: { a: 19, b: 23 } }];
const LIST = ["tools/list", {}];

/** The features: the path to compare with, the request, and how often the CPU without the feature it may take. */
const FEATURES = {
  hook: { title: "a synchronous hook", base: "none", asked: CALL },
  token: { title: "a cached token", base: "none", asked: CALL, budget: 1.15 },
  verified: { title: "a token that is verified each time, ES256", base: "none", asked: CALL },
  scopes: { title: "scopes that the token has", base: "token", asked: CALL, budget: 1.02 },
  granted: { title: 'a list of 100 tools with lists: "granted"', base: "listed", asked: LIST, budget: 1.05 },
  middleware: { title: "one middleware", base: "none", asked: CALL, budget: 1.1 },
  maxResult: { title: "maxResult that does not apply", base: "none", asked: CALL, budget: 1.02 },
  observer: { title: "telemetry() without an SDK", base: "none", asked: CALL, budget: 1.05 },
  // Its process has the context manager of an SDK.
  telemetry: { title: "telemetry() with an SDK, no exporter", base: "none", asked: CALL, budget: 1.35, process: "sdk" },
  local: { title: "a server in this process, mounted", base: "none", asked: MOUNTED, budget: 1.1, process: "mounts" },
  // The baseline is a handler that calls the other server with a client.
  remote: { title: "a server elsewhere, mounted", base: "byHand", asked: MOUNTED, budget: 1.25, process: "mounts" },
};

const OPTIONS = {
  only: { type: "string" },
  rounds: { type: "string", default: "9" },
  requests: { type: "string", default: "1600" },
};
/** The first rounds warm the servers up. */
const WARM_ROUNDS = 3;

await main(async () => {
  const { values } = parseArgs({ options: OPTIONS });
  const chosen = values.only?.split(",") ?? Object.keys(FEATURES);
  const unknown = chosen.find((name) => !Object.hasOwn(FEATURES, name));
  if (unknown !== undefined)
    throw new Failure(`Unknown feature "${unknown}". Use ${Object.keys(FEATURES).join(", ")}.`);
  await ensureBuilt();
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  process.env.ISSUER = ISSUER;
  process.env.JWKS = JSON.stringify({ keys: [{ ...publicKey.export({ format: "jwk" }), kid: "bench" }] });
  const token = tokenOf(privateKey);
  for (const name of ["plain", "sdk", "mounts"]) {
    const features = chosen.filter((each) => (FEATURES[each].process ?? "plain") === name);
    if (features.length === 0) continue;
    const behind = name === "mounts" ? await startServer(serverOf("behind"), "http", "") : undefined;
    if (behind !== undefined) process.env.BEHIND = `http://127.0.0.1:${behind.port}/mcp`;
    print(features, await measure(name, features, token, values));
    await behind?.stop();
  }
});

function serverOf(name) {
  return { name, file: "servers/features.mjs", mode: name };
}

/** Returns the CPU of a request in µs by path, one figure per round. */
async function measure(name, features, token, { rounds, requests }) {
  const server = await startServer(serverOf(name), "http", "");
  const paths = new Map(
    features.flatMap((each) => [FEATURES[each].base, each].map((path) => [path, FEATURES[each].asked])),
  );
  const jobs = [...paths].map(([path, asked]) => ({ path, bytes: bytesOf(server.port, path, asked, token), cpu: [] }));
  const count = Number(requests);
  for (let round = -WARM_ROUNDS; round < Number(rounds); round++) {
    for (const { bytes, cpu } of jobs) {
      const before = server.cpuMicros;
      await load(server.port, bytes, { inFlight: 8, seconds: 600, count });
      if (round >= 0) cpu.push((server.cpuMicros - before) / count);
    }
    progress(`${name}: round ${round + 1} of ${rounds}`);
  }
  await server.stop();
  return new Map(jobs.map(({ path, cpu }) => [path, cpu]));
}

function print(features, cpu) {
  for (const name of features) {
    const { title, base, budget } = FEATURES[name];
    const [own, other] = [cpu.get(name), cpu.get(base)];
    const ratio = Math.min(...own) / Math.min(...other);
    const verdict = budget === undefined ? "" : ratio <= budget ? `, within ${budget}` : `, ABOVE ${budget}`;
    const medians = (median(own) / median(other)).toFixed(2);
    console.log(`${title}: ${ratio.toFixed(2)} × ${base} (medians ${medians})${verdict}`);
  }
}

/** Returns a request to a path as bytes. All have the token, so that its bytes are not part of a difference. */
function bytesOf(port, path, [method, params], token) {
  const message = request("modern", 100_000, method, params);
  const body = JSON.stringify(message);
  const headers = {
    host: `127.0.0.1:${port}`,
    ...headersOf("modern", message),
    authorization: `Bearer ${token}`,
    "content-length": Buffer.byteLength(body),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return [Buffer.from(`POST /${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`)];
}

function tokenOf(key) {
  const iat = Math.floor(Date.now() / 1000);
  const claims = { iss: ISSUER, aud: "bench", sub: "ada", client_id: "web", scope: "a b", iat, exp: iat + 36_000 };
  const parts = [{ alg: "ES256", typ: "at+jwt", kid: "bench" }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString("base64url"),
  );
  const input = parts.join(".");
  return `${input}.${sign("sha256", Buffer.from(input), { key, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
}
