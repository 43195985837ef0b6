import type { Call, Method } from "../../calls/call.ts";
import { routeFor } from "../../catalog/find.ts";
import { badCursor, type List, listHints, page } from "../../catalog/pages.ts";
import { InvalidParams } from "../../protocol/errors.ts";
import type { SkillsOption } from "../../providers/skills/folder.ts";
import { decode, SKILL_FILE, type Skill } from "../../providers/skills/skill.ts";
import type { Resource } from "../../resources/define.ts";
import type { Feature } from "../../server/feature.ts";
import type { ServerState } from "../../server/server.ts";
import { sealerOf } from "../../support/seal.ts";
import { quote } from "../../uri/parse.ts";
import { findLoadSkill, hasLoadSkill, listLoadSkill } from "./load-skill.ts";
import { addEntry, type ServedSkill, ServedSkills, skillOf, skillsOf, typeOf, uriOf } from "./served.ts";

/** The extension. Its stage is "beta"; the text is that of ext-skills at 0682b7b. */
const EXTENSION = "io.modelcontextprotocol/skills";

const CAPABILITY = { extensions: { [EXTENSION]: { directoryRead: true } } };

const folders = new WeakMap<ServerState, ServedSkills>();

/** The items are the resources that are a `SKILL.md`, so that access decides about a skill and its files at once. */
const LIST: List<Resource> = {
  name: "skills",
  entries: ({ server }) => server.resources.entries().filter(({ item }) => skillOf(item)?.main === item),
  describe: (item) => skillOf(item)?.entry as object,
};

const METHODS: { readonly [name: string]: (call: Call) => Promise<object> } = {
  async "skills/list"(call) {
    await Promise.all(skillsOf(call.server).map(addEntry));
    return page(call, LIST);
  },

  async "skills/get"(call) {
    const served = namedSkill(call);
    if (served === undefined || served.main.uri !== call.params.uri)
      throw new InvalidParams(
        `No skill is served at ${quote(String(call.params.uri))}. skills/list returns the skills.`,
      );
    await addEntry(served);
    call.cacheHints = listHints(call);
    return { skill: served.entry };
  },

  async "resources/directory/read"(call) {
    const uri = String(call.params.uri);
    const served = namedSkill(call);
    const children = served && childrenOf(served.skill, uri);
    if (children === undefined) throw new InvalidParams(`${quote(uri)} is not a directory resource.`);
    const { server } = call;
    const bound = JSON.stringify([server.info.name, EXTENSION, uri]);
    const from = await openCursor(call, bound);
    const resources = children.slice(from, from + server.pageSize);
    const end = from + resources.length;
    call.cacheHints = listHints(call);
    if (end >= children.length) return { resources };
    return { resources, nextCursor: await sealerOf(server).seal("cursor", String(end), bound) };
  },
};

async function openCursor(call: Call, bound: string): Promise<number> {
  const { cursor } = call.params;
  if (cursor === undefined) return 0;
  const opened = typeof cursor === "string" ? await sealerOf(call.server).open("cursor", cursor, bound) : undefined;
  if (opened === undefined) throw badCursor();
  return Number(opened);
}

/** The skill that a request names, if it exists for the caller. */
function namedSkill(call: Call): ServedSkill | undefined {
  const [named] = call.named ?? [];
  return named && skillOf(named.item);
}

/** The files and folders directly in a folder of a skill; undefined if the URI names no folder. */
function childrenOf(skill: Skill, uri: string): readonly object[] | undefined {
  const folders = new Map<string, object>();
  const files: object[] = [];
  let isFolder = false;
  for (const [path, bytes] of skill.files) {
    const segments = path.split("/");
    const depth = segments.findIndex((_, index) => uriOf(skill, segments.slice(0, index).join("/")) === uri);
    if (depth === -1) continue;
    isFolder = true;
    const name = segments[depth] as string;
    const child = uriOf(skill, segments.slice(0, depth + 1).join("/"));
    if (depth === segments.length - 1)
      files.push({ uri: child, name, mimeType: typeOf(path, decode(bytes)), size: bytes.length });
    else folders.set(name, { uri: child, name, mimeType: "inode/directory" });
  }
  return isFolder ? [...files, ...folders.values()] : undefined;
}

const METHOD = { isIn: () => true, cacheable: true, runs: true } as const;

/** The option `skills`: instructions for models, with files, as the extension serves them, and for clients without it. */
export const feature: Feature = {
  capabilities: () => CAPABILITY,
  methods: Object.fromEntries(
    Object.entries(METHODS).map(([name, handle]): [string, Method] => [name, { ...METHOD, handle }]),
  ),

  attach(server) {
    folders.set(server, new ServedSkills(server, server.options.skills as SkillsOption));
  },

  /** Access is decided by the resource of a skill, also for its folders, which are no resources. */
  before(call) {
    const { uri } = call.params;
    if (!(call.method in METHODS) || typeof uri !== "string") return;
    const route = routeFor(call, uri) ?? routeFor(call, `${uri}/${SKILL_FILE}`);
    if (route !== undefined && skillOf(route.value) !== undefined) call.named = [{ item: route.value, given: {} }];
  },

  addsTools: (server, client) => hasLoadSkill(client) && skillsOf(server).length > 0,
  list: (call, list) => (list === "tools" ? listLoadSkill(call) : undefined),
  findTool: findLoadSkill,

  open: (server) => folders.get(server)?.watch(),
  close: async (server) => folders.get(server)?.unwatch(),
};
