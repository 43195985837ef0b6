import { useEffect, useState } from "preact/hooks";
import { type Drafts, draftsFromText, draftsToText } from "../state/draft.ts";

const KEPT_AS = "proffer-inspector-drafts";
const PAUSE = 200;

/** What was typed, also after a reload of this tab. */
export function useDrafts(): [Drafts, (change: (drafts: Drafts) => Drafts) => void] {
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
