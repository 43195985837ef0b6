import { useEffect, useRef } from "preact/hooks";
import { type Action, actionFor } from "./keys.ts";
import { isTyping } from "./roving.ts";

/** The second key of `g t` must follow within this time. */
const SEQUENCE = 1500;

/** Calls `act` for the keys of the page. It returns whether the key did something: otherwise the browser gets it. */
export function useKeys(singleKeys: boolean, act: (action: Action) => boolean): void {
  const latest = useRef({ singleKeys, act });
  latest.current = { singleKeys, act };
  useEffect(() => {
    let goingSince = Number.NEGATIVE_INFINITY;
    function onKey(event: KeyboardEvent) {
      // A dialog has its own keys. One that is being composed, such as a Japanese word, belongs to its editor.
      if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]")) return;
      const { singleKeys, act } = latest.current;
      const typing = isTyping(event.target);
      const going = event.timeStamp - goingSince < SEQUENCE;
      goingSince = Number.NEGATIVE_INFINITY;
      const action = actionFor(event, { typing, singleKeys, going });
      const plain = !(event.ctrlKey || event.metaKey || event.altKey);
      if (action === undefined && plain && singleKeys && !typing && event.key === "g") goingSince = event.timeStamp;
      if (action !== undefined && act(action)) event.preventDefault();
    }
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}
