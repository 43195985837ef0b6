import type { Calls } from "./calls/calls.ts";
import { checkValue } from "./calls/check-value.ts";
import { compare } from "./calls/compare.ts";
import { completeArgument } from "./calls/complete.ts";
import { expandTemplate } from "./calls/expand-template.ts";
import type { Subscriptions } from "./calls/subscriptions.ts";
import { clientLane, viewOfClient } from "./clients/client-view.ts";
import type { Connections } from "./connections/connections.ts";
import type { Offers } from "./connections/offers.ts";
import { copyAs } from "./copy/copy-as.ts";
import type { History } from "./history/history.ts";
import type { ModelView } from "./protocol/api.ts";
import type { Item, Offer } from "./protocol/offer.ts";
import type { Handlers } from "./routes.ts";
import { ApiProblem } from "./support/api-problem.ts";
import type { InspectorHost } from "./support/host.ts";

/** The parts of an inspector that requests of the page need. */
export interface InspectorParts {
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
      async open(place) {
        await code.open(place);
        return {};
      },
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
    clear() {
      record.clear();
      return {};
    },
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
      return profile.viewTools(offer).get(findTool(tool, offer).key) as ModelView;
    },
    cost: async ({ revision, tool }) => host.costOf(findTool(tool, await offers.get(revision)).description),
  };
}

/** The requests that need a server. */
function callHandlers({ record, profiles }: InspectorHost, calling: Calling): Partial<Handlers> {
  const { connections, calls, subscriptions } = calling;
  return {
    call: (draft) => ({ id: calls.start(draft) }),
    answer({ ask, answer }) {
      calls.answer(ask, answer);
      return {};
    },
    cancel({ id }) {
      calls.cancel(id);
      return {};
    },
    result: ({ id }) => ({ result: calls.result(id) }),
    resend: ({ call, run, change }) => ({ id: calls.resend(call, run, change) }),
    reanswer: ({ call, run }) => ({ id: calls.reanswer(call, run) }),
    client: ({ conn }) => viewOfClient(connections, profiles, clientLane(record.lanes(), conn)),
    complete: async ({ revision, ...asked }) => completeArgument(await connections.use(revision), asked),
    async subscribe({ revision, uri }) {
      await subscriptions.subscribe(await connections.use(revision), uri);
      return {};
    },
    async unsubscribe({ revision, uri }) {
      await subscriptions.unsubscribe(revision, uri);
      return {};
    },
    async raw({ revision, text }) {
      const { client } = await connections.use(revision);
      try {
        client.send(text);
      } catch (error) {
        throw new ApiProblem(400, "not_sent", `The text could not be sent: ${(error as Error).message}`);
      }
      return {};
    },
    async compare({ method, params, revisions }) {
      return { results: await compare(connections, record, method, params, revisions) };
    },
    async reconnect() {
      await connections.reconnect();
      return {};
    },
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
    forget({ id }) {
      history.forget(id);
      return {};
    },
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
