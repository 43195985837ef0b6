import { useApp } from "../state/app.ts";
import type { Tab } from "./tabs.tsx";

/** The open tab of a pane: the one that the address names, if there is one of that name. Choosing one changes the address. */
export function useTab<Id extends string>(
  pane: "request" | "result" | "side",
  tabs: readonly Tab<Id>[],
  usual: Id,
): readonly [Id, (id: Id) => void] {
  const { route, adjust } = useApp();
  return [tabs.find(({ id }) => id === route[pane])?.id ?? usual, (id) => adjust({ [pane]: id })];
}
