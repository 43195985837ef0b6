import { ApiProblem } from "./api-problem.ts";
import type { Calls } from "./calls/calls.ts";
import { compare } from "./calls/compare.ts";
import { completeArgument } from "./calls/complete.ts";
import type { Subscriptions } from "./calls/subscriptions.ts";
import { clientLane, viewOfClient } from "./clients/client-view.ts";
import type { Connections } from "./connections/connections.ts";
import type { WireRecord } from "./record/record.ts";
import type { Handlers } from "./routes.ts";

/** The requests that need a server. */
export function createCallHandlers(
  connections: Connections,
  calls: Calls,
  subscriptions: Subscriptions,
  record: WireRecord,
): Partial<Handlers> {
  return {
    call: (draft) => ({ id: calls.start(draft) }),
    answer: ({ ask, answer }) => {
      calls.answer(ask, answer);
      return {};
    },
    cancel: ({ id }) => {
      calls.cancel(id);
      return {};
    },
    result: ({ id }) => ({ result: calls.result(id) }),
    resend: ({ call, run, change }) => ({ id: calls.resend(call, run, change) }),
    reanswer: ({ call, run }) => ({ id: calls.reanswer(call, run) }),
    client: ({ conn }) => viewOfClient(connections, clientLane(record.lanes(), conn)),
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
