// Measures what authentication adds to a request: node bench/auth.mjs [--rounds 9] [--requests 1600]
import "../scripts/node-version.mjs";
import { generateKeyPairSync, sign } from "node:crypto";
import { parseArgs } from "node:util";
import { ensureBuilt } from "../scripts/build.mjs";
import { main, progress } from "../scripts/terminal.mjs";
import { headersOf } from "./lib/http-client.mjs";
import { load } from "./lib/http-load.mjs";
import { startServer } from "./lib/server-process.mjs";
import { request } from "./workload/messages.mjs";

const ISSUER = "https://login.example.com";

/** The paths of servers/protected.mjs. Requests with the same token that are in flight together are verified once. */
const MODES = {
  "/none": "no authenticate",
  "/hook": "a synchronous hook",
  "/cached": "a cached token",
  "/verified": "no cache, ES256",
};

await main(async () => {
  const options = { rounds: { type: "string", default: "9" }, requests: { type: "string", default: "1600" } };
  const { values } = parseArgs({ options });
  const [rounds, count] = [Number(values.rounds), Number(values.requests)];
  await ensureBuilt();
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  process.env.ISSUER = ISSUER;
  process.env.JWKS = JSON.stringify({ keys: [{ ...publicKey.export({ format: "jwk" }), kid: "bench" }] });
  const server = await startServer({ name: "protected", file: "servers/protected.mjs" }, "http", "");
  const requests = new Map(Object.keys(MODES).map((path) => [path, bytesOf(server.port, path, tokenOf(privateKey))]));
  const cpu = new Map(Object.keys(MODES).map((path) => [path, []]));
  // The first rounds warm the server up. The modes take turns, so that other load affects all of them alike.
  for (let round = -3; round < rounds; round++) {
    for (const [path, bytes] of requests) {
      const before = server.cpuMicros;
      await load(server.port, bytes, { inFlight: 8, seconds: 600, count });
      if (round >= 0) cpu.get(path).push((server.cpuMicros - before) / count);
    }
    progress(`round ${round + 1} of ${rounds}`);
  }
  await server.stop();
  print(cpu);
});

/** Prints the CPU time of a request, and the ratios of the best rounds and of the medians. */
function print(cpu) {
  const base = cpu.get("/none");
  process.stdout.write("mode | best µs | best ratio | median ratio\n--- | --- | --- | ---\n");
  for (const [path, all] of cpu) {
    const figures = [best(all), best(all) / best(base), median(all) / median(base)];
    process.stdout.write(`${MODES[path]} | ${figures.map((each) => each.toFixed(2)).join(" | ")}\n`);
  }
}

function best(values) {
  return Math.min(...values);
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

/** Returns a request to a path as bytes. */
function bytesOf(port, path, token) {
  const message = request("modern", 100_000, "tools/call", { name: "add", arguments: { a: 19, b: 23 } });
  const body = JSON.stringify(message);
  const headers = {
    host: `127.0.0.1:${port}`,
    ...headersOf("modern", message),
    // Every mode sends it, so that reading the header is not part of the difference.
    authorization: `Bearer ${token}`,
    "content-length": Buffer.byteLength(body),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return [Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`)];
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
