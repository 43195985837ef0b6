import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type ApiClient, ApiFailure } from "../api/client.ts";
import { formatRoute, type Route } from "../routes/route.ts";
import type { App } from "../state/app.ts";
import type { PageState } from "../state/page-state.ts";
import { reduce } from "../state/reduce.ts";
import type { Store } from "../state/store.ts";
import type { Announcement } from "./announcer.tsx";
import { useRoute } from "./use-route.ts";
import { useStore } from "./use-store.ts";

interface AppState {
  readonly app: App;
  readonly announcement: Announcement;
  readonly problem: string | undefined;
  dismiss(): void;
}

/** Puts together what `useApp` gives to all parts of the page. */
export function useAppState(api: ApiClient, store: Store<PageState>): AppState {
  const { inspector: state, stream, refusal } = useStore(store);
  const { route, go, replace } = useRoute();
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
  const announce = useCallback((text: string, urgency: "polite" | "assertive" = "polite") => {
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
    const moved = ({ revision, filter, side }: Route) => ({
      ...(revision ? { revision } : {}),
      ...(filter ? { filter } : {}),
      ...(side ? { side } : {}),
    });
    return {
      api,
      state,
      stream,
      refusal,
      route,
      revision,
      offer,
      href: (shown) => formatRoute({ ...moved(route), shown }),
      go: (shown) => {
        latest.current = { ...moved(latest.current), shown };
        go(latest.current);
      },
      adjust: (change) => {
        const entries = Object.entries({ ...latest.current, ...change }).filter(([, value]) => value !== undefined);
        latest.current = Object.fromEntries(entries) as unknown as Route;
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
      openPlace: (place) => {
        api.post("open", place).catch(report);
      },
    };
  }, [api, state, stream, refusal, route, revision, offer]);
  return { app, announcement, problem, dismiss: () => setProblem(undefined) };
}
