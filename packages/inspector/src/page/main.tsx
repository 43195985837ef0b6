import { render } from "preact";
import { commandFor, Locked } from "./shell/banners.tsx";
import { Page } from "./shell/page.tsx";
import { createApiClient, follow, takeSecret } from "./state/api.ts";
import { createStore, INITIAL_STATE, type PageState, reduce } from "./state/inspector-state.ts";

const root = document.getElementById("page") as HTMLElement;
const secret = takeSecret();

if (secret === undefined) {
  render(<Locked earlier={false} command={commandFor(undefined)} />, root);
} else {
  const api = createApiClient(secret);
  const initial: PageState = { inspector: INITIAL_STATE, stream: "connecting", refusal: undefined };
  // A hidden tab gets no frames, but must not keep all events until it is seen.
  const schedule = (draw: () => void) => (document.hidden ? setTimeout(draw, 100) : requestAnimationFrame(draw));
  const store = createStore(initial, schedule);
  const follower = {
    onEvents: (events: Parameters<typeof reduce>[1]) =>
      store.set((state) => ({ ...state, inspector: reduce(state.inspector, events) })),
    onStream: (stream: PageState["stream"], refusal?: string) => store.set((state) => ({ ...state, stream, refusal })),
  };
  const leaving = new AbortController();
  addEventListener("pagehide", () => leaving.abort());
  // The browser may show the page again as it was: without a stream it would be a picture.
  addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
  render(<Page api={api} store={store} />, root);
  void follow(api, follower, leaving.signal);
}
