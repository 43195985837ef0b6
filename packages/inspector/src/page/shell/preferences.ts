import { useState } from "preact/hooks";

/** How a person likes the page. Kept in the browser: nothing of it is secret or about the server. */
export interface Preferences {
  readonly theme: "system" | "light" | "dark";
  readonly singleKeys: boolean;
  readonly side: boolean;
  readonly wire: boolean;
}

const KEPT_AS = "proffer-inspector-preferences";
const DEFAULTS: Preferences = { theme: "system", singleKeys: true, side: true, wire: true };

export function usePreferences(): [Preferences, (change: Partial<Preferences>) => void] {
  const [preferences, setPreferences] = useState(read);
  return [
    preferences,
    (change) => {
      const next = { ...preferences, ...change };
      localStorage.setItem(KEPT_AS, JSON.stringify(next));
      setPreferences(next);
    },
  ];
}

function read(): Preferences {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT_AS) ?? "{}") as Partial<Preferences>;
    return { ...DEFAULTS, ...kept };
  } catch {
    return DEFAULTS;
  }
}
