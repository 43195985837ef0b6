import { defineServer, type Result, result, ToolError } from "proffer";
import { changeGraph, type Entity, type Graph, type Relation, readGraph } from "./graph.ts";

export const server = defineServer({ name: "memory-server", version: "0.6.3" });

/** Facts to add to one entity. */
interface NewObservations {
  /** The entity that the facts are about. */
  entityName: string;
  /** The facts, one sentence each. */
  contents: string[];
}

/** Facts to remove from one entity. */
interface OldObservations {
  /** The entity that the facts are about. */
  entityName: string;
  /** The facts, exactly as they were added. */
  observations: string[];
}

/** The facts that one entity did not have yet. */
interface AddedObservations {
  entityName: string;
  addedObservations: string[];
}

interface Done {
  success: boolean;
  message: string;
}

/**
 * Remembers new things. One whose name is already known is left as it is.
 * @title Create Entities
 * @param entities - the things to remember
 * @readOnly false @destructive false @idempotent false @openWorld false
 */
export async function create_entities(entities: Entity[]): Promise<Result<{ entities: Entity[] }>> {
  const added = await change((graph) => {
    const known = new Set(graph.entities.map(({ name }) => name));
    const unknown = entities.filter(({ name }) => !known.has(name));
    graph.entities = [...graph.entities, ...unknown];
    return unknown;
  });
  return result({ entities: added }, { content: pretty(added) });
}

/**
 * Remembers how things are connected. A connection that is already known is left as it is.
 * @title Create Relations
 * @param relations - the connections to remember
 * @readOnly false @destructive false @idempotent false @openWorld false
 */
export async function create_relations(relations: Relation[]): Promise<Result<{ relations: Relation[] }>> {
  const added = await change((graph) => {
    const unknown = relations.filter((relation) => !graph.relations.some((known) => isSame(known, relation)));
    graph.relations = [...graph.relations, ...unknown];
    return unknown;
  });
  return result({ relations: added }, { content: pretty(added) });
}

/**
 * Adds facts to things that are already known.
 * @title Add Observations
 * @param observations - the facts, by entity
 * @readOnly false @destructive false @idempotent false @openWorld false
 */
export async function add_observations(
  observations: NewObservations[],
): Promise<Result<{ results: AddedObservations[] }>> {
  const added = await change((graph) =>
    observations.map(({ entityName, contents }) => {
      const entity = graph.entities.find(({ name }) => name === entityName);
      if (entity === undefined) throw new ToolError(`Entity with name ${entityName} not found`);
      const addedObservations = contents.filter((content) => !entity.observations.includes(content));
      entity.observations = [...entity.observations, ...addedObservations];
      return { entityName, addedObservations };
    }),
  );
  return result({ results: added }, { content: pretty(added) });
}

/**
 * Forgets things, and all their connections.
 * @title Delete Entities
 * @param entityNames - the names of the things
 * @readOnly false @destructive @idempotent @openWorld false
 */
export async function delete_entities(entityNames: string[]): Promise<Result<Done>> {
  const gone = new Set(entityNames);
  await change((graph) => {
    graph.entities = graph.entities.filter(({ name }) => !gone.has(name));
    graph.relations = graph.relations.filter(({ from, to }) => !gone.has(from) && !gone.has(to));
  });
  return done("Entities deleted successfully");
}

/**
 * Forgets facts about things. Unknown things and facts are ignored.
 * @title Delete Observations
 * @param deletions - the facts, by entity
 * @readOnly false @destructive @idempotent @openWorld false
 */
export async function delete_observations(deletions: OldObservations[]): Promise<Result<Done>> {
  await change((graph) => {
    for (const { entityName, observations } of deletions) {
      const entity = graph.entities.find(({ name }) => name === entityName);
      if (entity === undefined) continue;
      entity.observations = entity.observations.filter((observation) => !observations.includes(observation));
    }
  });
  return done("Observations deleted successfully");
}

/**
 * Forgets connections. Unknown ones are ignored.
 * @title Delete Relations
 * @param relations - the connections to forget
 * @readOnly false @destructive @idempotent @openWorld false
 */
export async function delete_relations(relations: Relation[]): Promise<Result<Done>> {
  await change((graph) => {
    graph.relations = graph.relations.filter((known) => !relations.some((relation) => isSame(known, relation)));
  });
  return done("Relations deleted successfully");
}

/**
 * Returns all that is remembered.
 * @title Read Graph
 * @readOnly @destructive false @idempotent @openWorld false
 */
export async function read_graph(): Promise<Result<Graph>> {
  return shown(await readGraph());
}

/**
 * Finds the things whose name, type or facts contain a text, whatever its case, and their connections.
 * @title Search Nodes
 * @param query - the text to look for
 * @readOnly @destructive false @idempotent @openWorld false
 */
export async function search_nodes(query: string): Promise<Result<Graph>> {
  const wanted = query.toLowerCase();
  const graph = await readGraph();
  return shown(
    around(graph, ({ name, entityType, observations }) =>
      [name, entityType, ...observations].some((text) => text.toLowerCase().includes(wanted)),
    ),
  );
}

/**
 * Returns things by their names, and their connections.
 * @title Open Nodes
 * @param names - the names of the things
 * @readOnly @destructive false @idempotent @openWorld false
 */
export async function open_nodes(names: string[]): Promise<Result<Graph>> {
  const wanted = new Set(names);
  return shown(around(await readGraph(), ({ name }) => wanted.has(name)));
}

/**
 * All that is remembered, as JSON.
 * @resource memory://knowledge-graph
 * @name knowledge-graph
 * @title Knowledge Graph
 * @mimeType application/json
 */
export async function knowledge_graph(): Promise<string> {
  return pretty(await readGraph());
}

/** Changes the graph and notifies the subscribers of its resource. */
async function change<Value>(edit: (graph: Graph) => Value): Promise<Value> {
  const value = await changeGraph(edit);
  server.notify("memory://knowledge-graph");
  return value;
}

/** The entities that match, with each relation that starts or ends at one of them. */
function around(graph: Graph, matches: (entity: Entity) => boolean): Graph {
  const entities = graph.entities.filter(matches);
  const names = new Set(entities.map(({ name }) => name));
  return { entities, relations: graph.relations.filter(({ from, to }) => names.has(from) || names.has(to)) };
}

function isSame(one: Relation, other: Relation): boolean {
  return one.from === other.from && one.to === other.to && one.relationType === other.relationType;
}

function done(message: string): Result<Done> {
  return result({ success: true, message }, { content: message });
}

function shown(graph: Graph): Result<Graph> {
  return result(graph, { content: pretty(graph) });
}

function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
