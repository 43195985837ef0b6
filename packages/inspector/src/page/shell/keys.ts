/** The action of a key. */
export type Action =
  | { readonly do: "palette" | "find" | "call" | "cancel" | "help" }
  | { readonly do: "go"; readonly to: "tools" | "prompts" | "resources" | "history" | "wire" }
  | { readonly do: "move"; readonly by: 1 | -1 }
  | { readonly do: "tab"; readonly by: 1 | -1 };

interface Key {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

interface KeySituation {
  /** A field has the focus. */
  readonly typing: boolean;
  /** Keys without a modifier are on: WCAG 2.1.4 wants a switch. */
  readonly singleKeys: boolean;
  /** The key before was `g`. */
  readonly going: boolean;
}

const SINGLE: { readonly [key: string]: Action } = {
  "/": { do: "find" },
  "?": { do: "help" },
  j: { do: "move", by: 1 },
  k: { do: "move", by: -1 },
  "]": { do: "tab", by: 1 },
  "[": { do: "tab", by: -1 },
};

const GOALS: { readonly [key: string]: Action } = {
  t: { do: "go", to: "tools" },
  p: { do: "go", to: "prompts" },
  r: { do: "go", to: "resources" },
  h: { do: "go", to: "history" },
  w: { do: "go", to: "wire" },
};

/** The keys of the help, in its order. */
export const KEY_HELP: readonly (readonly [keys: string, meaning: string])[] = [
  ["Ctrl K or ⌘K", "Open the palette: items, saved calls, actions"],
  ["Ctrl Enter or ⌘Enter", "Call"],
  ["Esc", "Cancel the call"],
  ["/", "Find in the list"],
  ["j and k", "Next and previous item"],
  ["[ and ]", "Previous and next tab of the answer"],
  ["g t, g p, g r", "Go to tools, prompts, resources"],
  ["g h, g w", "Go to the history, to the wire"],
  ["?", "These keys"],
];

/** Undefined if the key is not one of the page. No key without a modifier acts while a field has the focus, except Esc. */
export function actionFor(key: Key, { typing, singleKeys, going }: KeySituation): Action | undefined {
  const modified = key.ctrlKey || key.metaKey;
  if (modified && !key.altKey && key.key.toLowerCase() === "k") return { do: "palette" };
  if (modified && !key.altKey && key.key === "Enter") return { do: "call" };
  if (modified || key.altKey) return undefined;
  if (key.key === "Escape") return { do: "cancel" };
  if (typing || !singleKeys) return undefined;
  const table = going ? GOALS : SINGLE;
  return Object.hasOwn(table, key.key) ? table[key.key] : undefined;
}
