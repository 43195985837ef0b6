import { parseTemplate } from "proffer/uri";
import type { Calls } from "./calls/calls.ts";
import type { History } from "./calls/history.ts";
import { compare } from "./calls/perform.ts";
import { checkValue } from "./calls/problems.ts";
import type { Subscriptions } from "./calls/subscriptions.ts";
import type { Connected } from "./connections/connected.ts";
import type { Connections } from "./connections/connections.ts";
import { type Offers, viewOfClient } from "./connections/offers.ts";
import { copyAs } from "./copy/copy.ts";
import type { Api, ModelView } from "./protocol/api.ts";
import type { Item, JsonObject, Offer } from "./protocol/data.ts";
import type { Handlers } from "./routes.ts";
import { ApiProblem } from "./support/api-problem.ts";
import type { InspectorHost } from "./support/host.ts";
import { isObject } from "./support/values.ts";

/** The parts of an inspector that requests of the page need. */
interface InspectorParts {
  readonly host: InspectorHost;
  readonly offers: Offers;
  /** Absent if there is no server to call. */
  readonly calling?: Calling | undefined;
}

interface Calling {
  readonly connections: Connections;
  readonly calls: Calls;
  readonly subscriptions: Subscriptions;
  readonly history: History;
}

/** Creates the functions that answer the page, as far as the host makes them possible. */
export function createHandlers(parts: InspectorParts): Partial<Handlers> {
  const { host, calling } = parts;
  const { code, copying } = host;
  return {
    ...viewHandlers(parts),
    ...(calling && callHandlers(host, calling)),
    ...(calling && historyHandlers(host, calling.history)),
    ...(code && {
      source: ({ kind, key }) => code.view(kind, key),
      open: (place) => code.open(place),
    }),
    ...(copying && {
      async copy({ draft, format, client }) {
        const [newest = draft.revision] = calling?.connections.revisions ?? [];
        const offer = parts.offers.find(draft.revision) ?? (await parts.offers.get(newest));
        const tools = offer.items.filter(({ kind }) => kind === "tool").map(({ description }) => description);
        const url = copying.address();
        const source = { ...copying, serverName: offer.server.name, newest, tools };
        return copyAs(format, draft, { ...source, ...(url !== undefined && { url }) }, client);
      },
    }),
  };
}

/** The requests that look at the offers and at the record. */
function viewHandlers({ host, offers, calling }: InspectorParts): Partial<Handlers> {
  const { record, profiles } = host;
  const revisions = () => calling?.connections.revisions ?? [];
  return {
    offer: ({ revision }) => offers.get(revision),
    check: ({ schema, value }) => checkValue(schema, value),
    expand: ({ template, values }) => expandTemplate(template, values),
    message({ n }) {
      const message = record.get(n);
      if (message !== undefined) return message;
      throw new ApiProblem(404, "unknown_message", "The record does not keep this message any more.");
    },
    clear: () => record.clear(),
    export() {
      const [offer] = offers.known();
      return host.exportRecord({ ...(offer && { server: offer.server }), revisions: revisions() });
    },
    async doctor() {
      const [newest] = revisions();
      return { findings: newest === undefined ? [] : await host.findProblems(await offers.get(newest)) };
    },
    async model({ tool, client }) {
      const profile = profiles.find(client);
      if (profile === undefined) {
        throw new ApiProblem(404, "unknown_client", `No profile has the id ${JSON.stringify(client.slice(0, 100))}.`);
      }
      const [newest = ""] = revisions();
      const wanted = profile.revision ?? newest;
      const offer = await offers.get(revisions().includes(wanted) ? wanted : newest);
      const { key } = findTool(tool, offer);
      return (await profile.viewTools(offer, key)).get(key) as ModelView;
    },
    cost: async ({ revision, tool }) => host.costOf(findTool(tool, await offers.get(revision)).description),
  };
}

/** The requests that need a server. */
function callHandlers({ record, profiles }: InspectorHost, calling: Calling): Partial<Handlers> {
  const { connections, calls, subscriptions } = calling;
  return {
    call: (draft) => ({ id: calls.start(draft) }),
    answer: ({ ask, answer }) => calls.answer(ask, answer),
    cancel: ({ id }) => calls.cancel(id),
    result: ({ id }) => ({ result: calls.result(id) }),
    resend: ({ call, run, change }) => ({ id: calls.resend(call, run, change) }),
    reanswer: ({ call, run }) => ({ id: calls.reanswer(call, run) }),
    client: ({ conn }) => viewOfClient(connections, profiles, record.lanes(), conn),
    complete: async ({ revision, ...asked }) => completeArgument(await connections.use(revision), asked),
    subscribe: async ({ revision, uri }) => subscriptions.subscribe(await connections.use(revision), uri),
    unsubscribe: ({ revision, uri }) => subscriptions.unsubscribe(revision, uri),
    async raw({ revision, text }) {
      const { send } = await connections.use(revision);
      try {
        send(text);
      } catch (error) {
        throw new ApiProblem(400, "not_sent", `The text could not be sent: ${(error as Error).message}`);
      }
    },
    compare: async (asked) => ({ results: await compare(connections, record, asked) }),
    reconnect: () => connections.reconnect(),
  };
}

function historyHandlers(host: InspectorHost, history: History): Partial<Handlers> {
  return {
    history: () => ({ entries: history.list() }),
    remembered({ id }) {
      const call = history.get(id);
      if (call !== undefined) return { call };
      throw new ApiProblem(404, "unknown_call", "The history does not have this call any more.");
    },
    forget: ({ id }) => history.forget(id),
    ...(host.saveCall && {
      save({ name, draft, id }) {
        const file = host.saveCall?.(name, draft) as string;
        if (id !== undefined) history.setSaved(id, name);
        return { file };
      },
    }),
  };
}

/** @throws {ApiProblem} if the server does not offer the tool, or not any more. */
function findTool(name: string, { items }: Offer): Item {
  const found = items.find(({ kind, key }) => kind === "tool" && key === name);
  if (found !== undefined) return found;
  throw new ApiProblem(404, "unknown_tool", `The server has no tool ${JSON.stringify(name.slice(0, 100))} now.`);
}

/** The protocol permits at most this many values. */
const MAX_VALUES = 100;

/**
 * Asks the server for the completions of an argument. Most servers have none for most arguments, and some say so with an
 * error: the wire shows it, and the field has no suggestions.
 */
async function completeArgument(
  { client }: Connected,
  { ref, name, value, known }: Omit<Api["complete"]["in"], "revision">,
): Promise<Api["complete"]["out"]> {
  const context = known === undefined ? {} : { context: { arguments: known } };
  const params = { ref, argument: { name, value }, ...context };
  const { completion } = await client
    .requestOnce("completion/complete", params)
    .catch(() => ({ completion: undefined }));
  const { values, total, hasMore } = isObject(completion) ? completion : {};
  const texts = Array.isArray(values) ? values.filter((each) => typeof each === "string") : [];
  return {
    values: texts.slice(0, MAX_VALUES),
    ...(typeof total === "number" && { total }),
    ...(typeof hasMore === "boolean" && { hasMore }),
  };
}

/** Expands the URI template of a server with the values of its form. */
function expandTemplate(template: string, values: JsonObject): Api["expand"]["out"] {
  try {
    return { uri: parseTemplate(template).expand(values as never) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}
