const KEPT_AS = "proffer-inspector-secret";

/**
 * Takes the secret of this start from the fragment of the address, where no server and no log sees it, keeps it for this tab
 * and removes it from the address and from the history of the browser.
 */
export function takeSecret(): string | undefined {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const given = fragment.get("k");
  if (given) {
    sessionStorage.setItem(KEPT_AS, given);
    history.replaceState(history.state, "", location.pathname + location.search);
  }
  return sessionStorage.getItem(KEPT_AS) ?? undefined;
}
