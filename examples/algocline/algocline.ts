import { defineResourceGroup, defineServer, type LogSink, type Resource, type Server } from "proffer";
import { createContract } from "./contract.ts";
import { type Live, liveResources } from "./live.ts";
import type { Places } from "./places.ts";
import { documentResources, SERVICES } from "./resources.ts";
import { watchHome } from "./watch-home.ts";

export interface AlgoclineOptions {
  /**
   * 1 is exactly the document: two resources, seven templates, no notifications. 2 adds the features that the document
   * plans: the hub's index, narratives, complete lists, completion and change notifications. Default: 2.
   */
  readonly edition?: 1 | 2;
  /** Receives the server's log. Default: stderr. */
  readonly log?: LogSink;
}

/** Creates a read-only server for an algocline installation. */
export function defineAlgocline(places: Places, options: AlgoclineOptions = {}): Server {
  const { edition = 2, log } = options;
  const live: Live | undefined = edition === 1 ? undefined : { watch: watchHome(places) };
  const resources: readonly Resource[] = [
    ...documentResources(places, live),
    ...(live === undefined ? [] : liveResources(places, live)),
  ];
  const services = edition === 1 ? SERVICES : [...SERVICES, "hub"];
  return defineServer({
    name: "alc",
    version: "2.0.0",
    instructions: "Read algocline packages, cards, scenarios, evaluations and session logs by their alc:// URIs.",
    resources: [defineResourceGroup(createContract(services), resources)],
    ...(log === undefined ? {} : { log }),
  });
}
