import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { CallMethod } from "../../protocol/call.ts";
import type { JsonObject } from "../../protocol/json.ts";
import type { Offer, Place } from "../../protocol/offer.ts";
import type { ApiClient } from "../api/client.ts";
import type { Route, Shown } from "../routes/route.ts";
import type { InspectorState, StreamState } from "./inspector-state.ts";

/** What every part of the page may use. */
export interface App {
  readonly api: ApiClient;
  readonly state: InspectorState;
  readonly stream: StreamState;
  /** Why Node refuses the stream. */
  readonly refusal: string | undefined;
  readonly route: Route;
  /** The revision that calls are made with. */
  readonly revision: string;
  /** The offer on that revision, once it is known. */
  readonly offer: Offer | undefined;
  /** The address of another part of the page, with the revision, the filter and the side pane of this one. */
  href(shown: Shown): string;
  go(shown: Shown): void;
  /** Changes the rest of the address: not a new step for the back button. */
  adjust(change: { readonly [Name in keyof Omit<Route, "shown">]?: Route[Name] | undefined }): void;
  /** Makes a call of the page and resolves to its id; the result arrives as an event. */
  call(method: CallMethod, params: JsonObject): Promise<string | undefined>;
  /** Says something to people who do not see the page. `assertive` interrupts. */
  announce(text: string, urgency?: "polite" | "assertive"): void;
  /** Shows what went wrong with a request of the page. */
  report(error: unknown): void;
  /** Opens the editor. */
  openPlace(place: Place): void;
}

export const AppContext = createContext<App | undefined>(undefined);

export function useApp(): App {
  const app = useContext(AppContext);
  if (app === undefined) throw new Error("useApp is called outside of the page.");
  return app;
}
