import { useEffect, useState } from "preact/hooks";
import { formatRoute, parseRoute, type Route } from "../routes/route.ts";

export interface Navigation {
  readonly route: Route;
  /** Opens an address as a link would: the back button returns. */
  go(route: Route): void;
  /** Rewrites the address of what is shown. */
  replace(route: Route): void;
}

/** The address of the page is its state: what is shown follows from it. */
export function useRoute(): Navigation {
  const [route, setRoute] = useState(() => parseRoute(new URL(location.href)));
  useEffect(() => {
    const read = () => setRoute(parseRoute(new URL(location.href)));
    addEventListener("popstate", read);
    return () => removeEventListener("popstate", read);
  }, []);
  return {
    route,
    go(next) {
      history.pushState(null, "", formatRoute(next));
      setRoute(next);
    },
    replace(next) {
      const address = formatRoute(next);
      if (address !== location.pathname + location.search) history.replaceState(null, "", address);
      setRoute(next);
    },
  };
}
