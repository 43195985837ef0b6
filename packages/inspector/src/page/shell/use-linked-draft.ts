import { useEffect } from "preact/hooks";
import { useApp } from "../state/app.ts";
import { type Drafts, draftOf, type ItemDraft, withDraft } from "../state/draft.ts";

/** The address changes when a person pauses: browsers limit how often it may. */
const PAUSE = 300;

/** Takes the arguments of the address that was opened, then keeps the address up to date with what is typed. */
export function useLinkedDraft(
  id: string | undefined,
  draft: ItemDraft,
  setDrafts: (change: (drafts: Drafts) => Drafts) => void,
): void {
  const { route, adjust, report } = useApp();
  useEffect(() => {
    if (route.damaged) report(new Error("The arguments of this address are damaged and were left out."));
    const { value } = route;
    if (id === undefined || value === undefined) return;
    setDrafts((drafts) => {
      const kept = draftOf(drafts, id);
      return JSON.stringify(kept.value) === JSON.stringify(value) ? drafts : withDraft(drafts, id, { value });
    });
  }, []);
  useEffect(() => {
    if (id === undefined) return undefined;
    const value = Object.keys(draft.value).length > 0 ? draft.value : undefined;
    const timer = setTimeout(() => adjust({ value, damaged: undefined }), PAUSE);
    return () => clearTimeout(timer);
  }, [id, draft.value]);
}
