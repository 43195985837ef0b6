import { join } from "node:path";
import { defineResource, InvalidParams, NotFound, param, type Resource } from "proffer";
import { jsonl } from "proffer/jsonl";
import { cardToJson } from "./card.ts";
import { id } from "./contract.ts";
import { type FileSet, filesBelow, filesIn } from "./file-sets.ts";
import { type Live, listed } from "./live.ts";
import { extractMeta } from "./lua-meta.ts";
import { packageFiles } from "./packages.ts";
import type { Places } from "./places.ts";
import { boundLog } from "./session-log.ts";

/** The valid first segments of a URI. */
export const SERVICES = ["types", "packages", "cards", "scenarios", "eval", "logs"];

const LUA = "text/x-lua";
const JSON_TYPE = "application/json";
const EVAL_ID = /^[A-Za-z0-9-]+_\d+$/;

/** The two resources and seven templates of the document, in its order. */
export function documentResources(places: Places, live: Live | undefined): readonly Resource[] {
  return [
    ...typeStubs(places, live),
    ...packageResources(places, live),
    ...cardResources(places, live),
    scenario(places, live),
    evalResult(places, live),
    sessionLog(places, live),
  ];
}

function typeStubs({ home }: Places, live: Live | undefined): readonly Resource[] {
  const stubs = filesIn(join(home, "types"), "");
  const stub = (name: string, description: string) => {
    return defineResource({
      uri: `alc://types/${name}`,
      name,
      description,
      mimeType: LUA,
      ...(live === undefined ? {} : { watch: live.watch }),
      // Listed even if the file is missing. Returning undefined from a fixed URI would send an empty text.
      read: async () => {
        const text = await stubs.text(name);
        if (text === undefined) throw new NotFound();
        return text;
      },
    });
  };
  return [
    stub("alc.d.lua", "Lua type stubs for alc.* StdLib"),
    stub("alc_shapes.d.lua", "Lua type stubs for alc_shapes DSL"),
  ];
}

function packageResources(places: Places, live: Live | undefined): readonly Resource[] {
  const sources = packageFiles(places, "init.lua");
  const params = { name: id("package name") };
  return [
    defineResource({
      uri: "alc://packages/{name}/init.lua",
      name: "package-init-lua",
      description: "Lua source of an installed package",
      mimeType: LUA,
      params,
      ...listed(live, sources, (name) => `alc://packages/${name}/init.lua`),
      exists: ({ name }) => sources.has(name),
      read: ({ name }) => sources.text(name),
    }),
    defineResource({
      uri: "alc://packages/{name}/meta",
      name: "package-meta",
      description: "Package metadata JSON (description, category, alc_shapes_compat)",
      mimeType: JSON_TYPE,
      params,
      ...listed(live, sources, (name) => `alc://packages/${name}/meta`),
      exists: ({ name }) => sources.has(name),
      read: async ({ name }) => extractMeta((await sources.text(name)) ?? ""),
    }),
  ];
}

function cardResources({ home }: Places, live: Live | undefined): readonly Resource[] {
  const folder = join(home, "cards");
  const cards = filesBelow(folder, ".toml");
  const samples = filesBelow(folder, ".samples.jsonl");
  const params = { card_id: id("card_id") };
  return [
    defineResource({
      uri: "alc://cards/{card_id}",
      name: "card",
      description: "Immutable Card snapshot",
      mimeType: JSON_TYPE,
      params,
      ...listed(live, cards, (card) => `alc://cards/${card}`),
      exists: ({ card_id }) => cards.has(card_id),
      read: async ({ card_id }) => {
        const toml = await cards.text(card_id);
        return toml === undefined ? undefined : cardToJson(toml, card_id);
      },
    }),
    ...jsonl(({ card_id }) => samples.find(card_id), {
      uri: "alc://cards/{card_id}/samples",
      name: "card-samples",
      description: "Per-case sample rows (paginate with ?offset=N&limit=M)",
      within: folder,
      params,
      offset: { default: 0, max: 10_000_000, plus: true },
      limit: { default: 100, max: 10_000, plus: true },
      ...listed(live, samples, (card) => `alc://cards/${card}/samples`),
      // A card may have no samples, but samples require a card.
      exists: ({ card_id }) => cards.has(card_id),
      badLines: ({ line, problem }) => `Failed to parse sample line ${line}: it ${problem}`,
    }),
  ];
}

function scenario({ home }: Places, live: Live | undefined): Resource {
  const scenarios = filesIn(join(home, "scenarios"), ".lua");
  return defineResource({
    uri: "alc://scenarios/{name}",
    name: "scenario",
    description: "Scenario Lua source",
    mimeType: LUA,
    params: { name: id("scenario name") },
    ...listed(live, scenarios, (name) => `alc://scenarios/${name}`),
    exists: ({ name }) => scenarios.has(name),
    read: ({ name }) => scenarios.text(name),
  });
}

function evalResult({ home }: Places, live: Live | undefined): Resource {
  const results = filesIn(join(home, "evals"), ".json");
  const readable: FileSet = {
    ...results,
    ids: async () => (await results.ids()).filter((result) => EVAL_ID.test(result)),
  };
  return defineResource({
    uri: "alc://eval/{result_id}",
    name: "eval-result",
    description: "Eval result detail ({strategy}_{timestamp_secs} id)",
    mimeType: JSON_TYPE,
    params: { result_id: id("eval result_id") },
    ...listed(live, readable, (result) => `alc://eval/${result}`),
    exists: ({ result_id }) => EVAL_ID.test(result_id) && results.has(result_id),
    read: ({ result_id }) => {
      // Algocline checks the query before the form of the id.
      if (EVAL_ID.test(result_id)) return results.text(result_id);
      throw new InvalidParams(`invalid eval_id: must be {strategy}_{timestamp}, got '${result_id}'`);
    },
  });
}

function sessionLog(places: Places, live: Live | undefined): Resource {
  const logs = filesIn(places.logs, ".json");
  return defineResource({
    uri: "alc://logs/{session_id}{?limit,max_chars}",
    name: "session-log",
    description: "Session log (paginate with ?limit=N&max_chars=M)",
    mimeType: JSON_TYPE,
    params: {
      session_id: id("session_id"),
      limit: param.integer({ default: 50, max: 10_000, plus: true }),
      max_chars: param.integer({ default: 20_000, max: 1_000_000, plus: true }),
    },
    ...listed(live, logs, (session) => `alc://logs/${session}`),
    exists: ({ session_id }) => logs.has(session_id),
    read: async ({ session_id, limit, max_chars }) => {
      const text = await logs.text(session_id);
      return text === undefined ? undefined : boundLog(text, { limit, maxChars: max_chars }, session_id);
    },
  });
}
