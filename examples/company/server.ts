import { createRequire } from "node:module";
import { defineServer } from "proffer";
import { remote } from "proffer/client";
import { server as orders } from "./orders.ts";

/** A server of npm, which knows only older revisions. */
const MEMORY = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-memory/dist/index.js");

const { PARTNER_URL = "http://127.0.0.1:4000/mcp", NOTES_FILE = "notes.jsonl", ...env } = process.env;

export default defineServer({
  name: "company",
  version: "1.0.0",
  instructions: "Orders of the company, its notes, and the parcel service of a partner.",
  servers: {
    orders,
    notes: remote(
      { command: process.execPath, args: [MEMORY], env: { PATH: env.PATH, MEMORY_FILE_PATH: NOTES_FILE } },
      { only: ["create_entities", "search_nodes", "read_graph"] },
    ),
    partner: remote(PARTNER_URL),
  },
});
