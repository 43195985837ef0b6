import { ITEM_METHODS, type Revision } from "./revision.ts";

/** The newest revision: stateless, with self-describing requests and results. `model.ts` has its shapes. */
export const REV_2026_07_28: Revision = {
  version: "2026-07-28",
  handshake: false,
  methods: new Set(["server/discover", ...ITEM_METHODS, "subscriptions/listen"]),
  emptyLists: false,
  batches: false,
  primed: false,
  unreadableId: undefined,
  codes: {},
  capabilityErrors: true,
  checksFailures: false,
  inputs: new Set(["elicitation/create", "sampling/createMessage", "roots/list"]),
  urlQuestions: true,
  rounds: true,
  extensions: true,
  replacesScopes: false,
  convert: {},
  envelope: (server, hints) => ({
    resultType: "complete",
    ...hints,
    _meta: { "io.modelcontextprotocol/serverInfo": server },
  }),
};
