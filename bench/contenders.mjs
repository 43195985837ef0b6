// The measured servers. A contender is a server file, run as `node <file> <transport> <mode> <profile>`; over HTTP it
// listens on 127.0.0.1:$PORT at /mcp. It registers the items of `definitionOf(profile)`.
//
// era: the protocol era of its client. session: a session is opened first. short: part of the short run.
// sessions: part of the short run of the sessions scenario. limit: a baseline, not a library. Each era has its own raw
// server, because its messages have other sizes.

const legacy = { era: "legacy" };
const modern = { era: "modern" };

/** The contenders of each transport. The raw servers come first. */
export const CONTENDERS = {
  http: [
    { name: "raw", file: "servers/raw.mjs", mode: "plain", ...legacy, short: true, limit: true },
    { name: "raw again", file: "servers/raw.mjs", mode: "plain", ...legacy, short: true, limit: true },
    { name: "raw modern", file: "servers/raw.mjs", mode: "plain", ...modern, short: true, limit: true },
    { name: "raw, serialised once", file: "servers/raw.mjs", mode: "cached", ...legacy, limit: true },
    { name: "raw, web objects", file: "servers/raw.mjs", mode: "fetch", ...legacy, limit: true },
    { name: "raw, checked", file: "servers/raw.mjs", mode: "checked", ...legacy, limit: true },
    { name: "Proffer", file: "servers/proffer.mjs", mode: "stateless", ...legacy, short: true },
    { name: "Proffer session", file: "servers/proffer.mjs", mode: "session", ...legacy, session: true, sessions: true },
    { name: "Proffer modern", file: "servers/proffer.mjs", mode: "stateless", ...modern, short: true },
    { name: "mcp-lite", file: "servers/mcp-lite.mjs", mode: "stateless", ...legacy, short: true },
    {
      name: "mcp-lite session",
      file: "servers/mcp-lite.mjs",
      mode: "session",
      ...legacy,
      session: true,
      sessions: true,
    },
    { name: "tmcp session", file: "servers/tmcp.mjs", ...legacy, session: true, sessions: true },
    { name: "tmcp modern", file: "servers/tmcp.mjs", ...modern },
    { name: "SDK v2", file: "servers/sdk-v2.mjs", mode: "handler", ...legacy },
    { name: "SDK v2 session", file: "servers/sdk-v2.mjs", mode: "session", ...legacy, session: true },
    { name: "SDK v2 modern", file: "servers/sdk-v2.mjs", mode: "handler", ...modern, short: true },
    { name: "SDK v2 express", file: "servers/sdk-v2.mjs", mode: "express", ...modern },
    { name: "SDK v2 hono", file: "servers/sdk-v2.mjs", mode: "hono", ...modern },
    { name: "SDK v1", file: "servers/sdk-v1.mjs", mode: "stateless", ...legacy },
    { name: "SDK v1 session", file: "servers/sdk-v1.mjs", mode: "session", ...legacy, session: true },
    { name: "SDK v1 express", file: "servers/sdk-v1.mjs", mode: "express", ...legacy },
    { name: "SDK v1 hono", file: "servers/sdk-v1.mjs", mode: "hono", ...legacy },
    { name: "fastmcp", file: "servers/fastmcp.mjs", mode: "stateless", ...legacy },
    { name: "fastmcp session", file: "servers/fastmcp.mjs", mode: "session", ...legacy, session: true },
  ],
  stdio: [
    { name: "raw", file: "servers/raw.mjs", mode: "plain", ...legacy, short: true, limit: true },
    { name: "raw again", file: "servers/raw.mjs", mode: "plain", ...legacy, short: true, limit: true },
    { name: "raw modern", file: "servers/raw.mjs", mode: "plain", ...modern, short: true, limit: true },
    { name: "raw, serialised once", file: "servers/raw.mjs", mode: "cached", ...legacy, limit: true },
    { name: "raw, checked", file: "servers/raw.mjs", mode: "checked", ...legacy, limit: true },
    { name: "Proffer", file: "servers/proffer.mjs", ...legacy, short: true },
    { name: "Proffer modern", file: "servers/proffer.mjs", ...modern, short: true },
    { name: "tmcp", file: "servers/tmcp.mjs", ...legacy, short: true },
    { name: "tmcp modern", file: "servers/tmcp.mjs", ...modern },
    { name: "SDK v2", file: "servers/sdk-v2.mjs", ...legacy, short: true },
    { name: "SDK v2 modern", file: "servers/sdk-v2.mjs", ...modern },
    { name: "SDK v1", file: "servers/sdk-v1.mjs", ...legacy },
    { name: "fastmcp", file: "servers/fastmcp.mjs", ...legacy },
  ],
};

/** Returns the name of the raw server that a contender is compared with. */
export function rawFor(contender) {
  return contender.era === "modern" ? "raw modern" : "raw";
}

/** Whether the contender is Proffer. */
export function isOurs({ name }) {
  return name.startsWith("Proffer");
}
