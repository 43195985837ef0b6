import { createContext } from "preact";
import { useCallback, useContext, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Api } from "../../protocol/api.ts";
import type { CallMethod, CallState, JsonObject, Offer, Place } from "../../protocol/data.ts";
import { type ApiClient, ApiFailure } from "./api.ts";
import { itemId, itemOfCall, valueOfCall } from "./calls.ts";
import { type Drafts, draftOf, draftsFromText, draftsToText, type ItemDraft, withDraft } from "./drafts.ts";
import { type InspectorState, type PageState, reduce, type Store, type StreamState } from "./inspector-state.ts";
import { formatRoute, parseRoute, type Route, type Shown } from "./route.ts";

/** Everything that every part of the page may use. */
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
  /** The arguments that were typed for each item. */
  readonly drafts: Drafts;
  setDraft(id: string, draft: ItemDraft): void;
  /** Opens the form of an item with the arguments of a call. */
  openForm(call: Pick<CallState, "method" | "params">): void;
  /** The address of another part of the page, with the revision, the filter and the side pane of this one. */
  href(shown: Shown): string;
  go(shown: Shown): void;
  /** Changes the rest of the address: not a new step for the back button. */
  adjust(change: Omit<Route, "shown">): void;
  /** Makes a request whose answer arrives as an event, if at all. A failure is reported. */
  send<Name extends keyof Api>(name: Name, body: Api[Name]["in"]): void;
  /** Makes a call of the page and resolves to its id; the result arrives as an event. */
  call(method: CallMethod, params: JsonObject): Promise<string | undefined>;
  /** Announces a text to people with a screen reader. `assertive` interrupts. */
  announce(text: string, urgency?: keyof Announcement): void;
  /** Shows why a request of the page has failed. */
  report(error: unknown): void;
  /** Opens the editor. */
  openPlace(place: Place): void;
}

/** The texts that screen readers say: results politely, questions at once. */
export interface Announcement {
  readonly polite: string;
  readonly assertive: string;
}

export const AppContext = createContext<App | undefined>(undefined);

export function useApp(): App {
  const app = useContext(AppContext);
  if (app === undefined) throw new Error("useApp is called outside of the page.");
  return app;
}

/**
 * The last answer to a request that is made again whenever one of the keys changes.
 * @param load - makes the request. If it returns undefined, the last answer stays.
 */
export function useFetched<Value>(
  load: () => Promise<Value> | undefined,
  keys: readonly unknown[],
): Value | Error | undefined {
  const [found, setFound] = useState<Value | Error>();
  useEffect(() => {
    let isCurrent = true;
    const keep = (value: Value | Error) => isCurrent && setFound(() => value);
    load()?.then(keep, keep);
    return () => {
      isCurrent = false;
    };
  }, keys);
  return found;
}

/** Puts together the parts of `useApp`, and the texts that are shown around all panes. */
export function useAppState(api: ApiClient, store: Store<PageState>) {
  const { inspector: state, stream, refusal } = useStore(store);
  const { route, open, replace } = useRoute();
  const [drafts, setDrafts] = useDrafts();
  // For changes that come later than the drawing that they belong to, or several before the next one.
  const latest = useRef(route);
  latest.current = route;
  const [announcement, setAnnouncement] = useState<Announcement>({ polite: "", assertive: "" });
  const [problem, setProblem] = useState<string>();
  const revision = route.revision ?? state.revisions[0] ?? "";
  const offer = state.offers.get(revision);

  const report = useCallback((error: unknown) => {
    if (error instanceof ApiFailure && error.status === 401) {
      store.set((all) => ({ ...all, stream: "earlier" }));
      return;
    }
    const remedy = error instanceof ApiFailure && error.remedy ? ` ${error.remedy}` : "";
    setProblem(`${error instanceof Error ? error.message : String(error)}${remedy}`);
  }, []);
  const announce = useCallback((text: string, urgency: keyof Announcement = "polite") => {
    setAnnouncement((last) => ({ ...last, [urgency]: text }));
  }, []);

  // Another revision is read when it is first looked at.
  useEffect(() => {
    if (!state.ready || revision === "" || offer !== undefined) return;
    api
      .post("offer", { revision })
      .then((offer) => store.set((all) => ({ ...all, inspector: reduce(all.inspector, [{ kind: "offer", offer }]) })))
      .catch(report);
  }, [state.ready, revision, offer === undefined]);

  const app = useMemo((): App => {
    const moved = ({ revision, filter, side }: Route, shown: Shown): Route => ({ shown, revision, filter, side });
    const send: App["send"] = (name, body) => void api.post(name, body).catch(report);
    const setDraft: App["setDraft"] = (id, draft) => setDrafts((all) => withDraft(all, id, draft));
    const go: App["go"] = (shown) => {
      latest.current = moved(latest.current, shown);
      open(latest.current);
    };
    return {
      api,
      state,
      stream,
      refusal,
      route,
      revision,
      offer,
      drafts,
      setDraft,
      openForm(call) {
        const item = itemOfCall(call);
        setDraft(itemId(item), { value: valueOfCall(call) });
        go({ pane: "item", ...item });
      },
      href: (shown) => formatRoute(moved(route, shown)),
      go,
      adjust(change) {
        latest.current = { ...latest.current, ...change };
        replace(latest.current);
      },
      call: (method, params) =>
        api
          .post("call", { revision, method, params })
          .then(({ id }) => id)
          .catch((error) => {
            report(error);
            return undefined;
          }),
      announce,
      report,
      send,
      openPlace: (place) => send("open", place),
    };
  }, [api, state, stream, refusal, route, revision, offer, drafts]);
  return { app, announcement, problem, dismiss: () => setProblem(undefined) };
}

/** The address of the page is its state: it decides which panes are shown. */
function useRoute() {
  const [route, setRoute] = useState(() => parseRoute(new URL(location.href)));
  useEffect(() => {
    const read = () => setRoute(parseRoute(new URL(location.href)));
    addEventListener("popstate", read);
    return () => removeEventListener("popstate", read);
  }, []);
  return {
    route,
    /** Opens an address as a link would: the back button returns. */
    open(next: Route) {
      history.pushState(null, "", formatRoute(next));
      setRoute(next);
    },
    /** Rewrites the address of the panes that are shown. */
    replace(next: Route) {
      const address = formatRoute(next);
      if (address !== location.pathname + location.search) history.replaceState(null, "", address);
      setRoute(next);
    },
  };
}

function useStore<Value>(store: Store<Value>): Value {
  const [value, setValue] = useState(store.get);
  useEffect(() => {
    const draw = () => setValue(store.get);
    draw();
    return store.subscribe(draw);
  }, [store]);
  return value;
}

const KEPT_AS = "proffer-inspector-drafts";
const PAUSE = 200;

/** The drafts, also after a reload of this tab. */
function useDrafts(): [Drafts, (change: (drafts: Drafts) => Drafts) => void] {
  const [drafts, setDrafts] = useState(() => draftsFromText(sessionStorage.getItem(KEPT_AS)));
  useEffect(() => {
    const keep = () => sessionStorage.setItem(KEPT_AS, draftsToText(drafts));
    const timer = setTimeout(keep, PAUSE);
    addEventListener("pagehide", keep);
    return () => {
      clearTimeout(timer);
      removeEventListener("pagehide", keep);
    };
  }, [drafts]);
  return [drafts, setDrafts];
}

/** The address changes when a person pauses: browsers limit how often it may. */
const ADDRESS_PAUSE = 300;

/** Takes the arguments of the address that was opened, then keeps the address up to date with the draft of an item. */
export function useLinkedDraft({ route, drafts, setDraft, adjust, report }: App, id: string | undefined): void {
  useEffect(() => {
    if (route.damaged) report(new Error("The arguments of this address are damaged and were left out."));
    const { value } = route;
    if (id === undefined || value === undefined) return;
    if (JSON.stringify(draftOf(drafts, id).value) !== JSON.stringify(value)) setDraft(id, { value });
  }, []);
  const { value } = draftOf(drafts, id ?? "");
  useEffect(() => {
    if (id === undefined) return undefined;
    const change = { value: Object.keys(value).length > 0 ? value : undefined, damaged: undefined };
    const timer = setTimeout(() => adjust(change), ADDRESS_PAUSE);
    return () => clearTimeout(timer);
  }, [id, value]);
}
