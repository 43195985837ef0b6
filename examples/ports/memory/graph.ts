import { randomUUID } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { resolve } from "node:path";

/** A thing that is remembered, with facts about it. */
export interface Entity {
  /** The unique name. */
  name: string;
  /** The kind of thing, such as person or place. */
  entityType: string;
  /** The facts, one sentence each. */
  observations: string[];
}

/** A directed connection between two entities. */
export interface Relation {
  /** The name of the entity that the sentence is about. */
  from: string;
  /** The name of the other entity. */
  to: string;
  /** The verb between them, in the active voice: "works at". */
  relationType: string;
}

/** All that is remembered, or a part of it. */
export interface Graph {
  entities: Entity[];
  relations: Relation[];
}

const FILE = resolve(process.env.MEMORY_FILE_PATH ?? "memory.jsonl");

/** Reads the graph from its file: one entity or relation in each line. Without a file, the graph is empty. */
export async function readGraph(): Promise<Graph> {
  const graph: Graph = { entities: [], relations: [] };
  const text = await readFile(FILE, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const { type, name, entityType, observations, from, to, relationType } = JSON.parse(line);
    if (type === "entity") graph.entities.push({ name, entityType, observations });
    else if (type === "relation") graph.relations.push({ from, to, relationType });
  }
  return graph;
}

let lastChange: Promise<unknown> = Promise.resolve();

/** Changes the graph after all earlier changes. If `edit` throws, the file stays as it is. */
export function changeGraph<Value>(edit: (graph: Graph) => Value): Promise<Value> {
  const change = lastChange.then(async () => {
    const graph = await readGraph();
    const value = edit(graph);
    await writeGraph(graph);
    return value;
  });
  lastChange = change.catch(() => {});
  return change;
}

/** Replaces the file at once: a process that dies while it writes must not leave half a memory. */
async function writeGraph({ entities, relations }: Graph): Promise<void> {
  const lines = [
    ...entities.map((entity) => ({ type: "entity", ...entity })),
    ...relations.map((relation) => ({ type: "relation", ...relation })),
  ];
  const draft = `${FILE}.${randomUUID()}.tmp`;
  try {
    await writeFile(draft, lines.map((line) => JSON.stringify(line)).join("\n"));
    await rename(draft, FILE);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
